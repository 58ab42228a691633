"""Units in all their spellings, and the metrics that mean nothing without one."""

from __future__ import annotations

import pytest

from ncu_triage.readers.csv.units import dimensional, factor, homemade


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("", 1),
        ("%", 1),
        ("inst/cycle", 1),
        ("nsecond", 1),
        ("us", 1e3),
        ("msecond", 1e6),
        ("second", 1e9),
        ("hz", 1),
        ("Mhz", 1e6),
        ("cycle/nsecond", 1e9),
        ("/nsecond", 1e9),
        ("sector/us", 1e6),
        ("byte/block", 1),
        ("Kbyte", 1e3),
        ("Mbytes", 1e6),
        ("Gbyte/second", 1e9),
        ("Tbyte/s", 1e12),
        ("%/Kbyte", 1e3),
    ],
)
def test_units_come_to_the_base_unit_of_a_report(unit: str, expected: float) -> None:
    assert factor(unit) == pytest.approx(expected)


@pytest.mark.parametrize("unit", ["Mb", "GB", "Gb/sec", "KiB"])
def test_a_home_made_unit_that_could_mean_several_is_not_guessed(unit: str) -> None:
    assert homemade(unit) is None


@pytest.mark.parametrize(("unit", "expected"), [("microsec", 1e3), ("Kbyte", 1e3), ("%", 1)])
def test_a_home_made_unit_that_is_certain_is_taken(unit: str, expected: float) -> None:
    assert homemade(unit) == expected


@pytest.mark.parametrize(
    "metric",
    ["gpu__time_duration.sum", "dram__bytes.sum", "gpc__cycles_elapsed.avg.per_second"],
)
def test_times_bytes_and_rates_need_their_unit(metric: str) -> None:
    assert dimensional(metric)


@pytest.mark.parametrize(
    "metric",
    [
        "dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
        "launch__occupancy_limit_shared_mem",
        "device__attribute_l2_cache_size",
        "smsp__inst_executed.sum",
    ],
)
def test_percentages_and_counts_do_not(metric: str) -> None:
    assert not dimensional(metric)

"""Which measurements are said to be doubtful."""

from __future__ import annotations

import pytest
from fixtures.launches import kernel

SAMPLE = "smsp__pcsamp_warps_issue_stalled_wait"


@pytest.mark.parametrize(
    ("metrics", "fields", "words"),
    [
        ({}, {"nan": frozenset({"a", "b"})}, "2 counters are not a number"),
        ({"gpu__time_duration.sum": 3000.0}, {}, "runs for 3.00 µs"),
        ({"lts__t_sector_hit_rate.pct": 181.0}, {}, "impossible values: L2 hit rate 181.0 %"),
        (
            {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 105.0},
            {},
            "SM throughput 105.0 %: above what is possible",
        ),
        (
            {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 140.0},
            {},
            "impossible values: SM throughput 140.0 %",
        ),
        ({"gpu__time_duration.sum": -5.0}, {}, "impossible values: Duration -5.00 ns"),
        ({"gpu__time_duration.sum": 0.0}, {}, "impossible values: Duration 0 s"),
        ({"gpu__time_duration.sum": 1e30}, {}, "impossible values: Duration 1e+21 s"),
        ({}, {"nan": frozenset({"a"})}, "1 counter is not a number"),
        ({}, {"suspect": frozenset({"a", "b"})}, "2 counters are of an earlier launch"),
        ({}, {"suspect": frozenset({"gpu__time_duration.sum"})}, "of an earlier launch"),
        (
            {
                "sm__warps_active.avg.pct_of_peak_sustained_active": 104.7,
                "sm__maximum_warps_per_active_cycle_pct": 100.0,
            },
            {},
            "exceeds 100.0 %",
        ),
        (
            {
                "gpc__cycles_elapsed.avg.per_second": 585e6,
                "device__attribute_clock_rate": 1_590_000.0,
            },
            {},
            "37 % of their highest clock",
        ),
        ({SAMPLE: 12.0}, {}, "12 warp-state samples"),
    ],
)
def test_a_doubtful_measurement_is_said(
    metrics: dict[str, float | str], fields: dict[str, object], words: str
) -> None:
    warnings = kernel(metrics, **fields).measurement
    assert [words in w.warning for w in warnings] == [True]


def test_a_good_measurement_says_nothing() -> None:
    metrics = {"gpu__time_duration.sum": 1e6, SAMPLE: 5000.0, "lts__t_sector_hit_rate.pct": 50.0}
    assert kernel(metrics).measurement == []

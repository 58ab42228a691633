"""Gains worked out by hand."""

from __future__ import annotations

import pytest

from ncu_triage.engine.gain import by_lost_time, by_waste

TRANSPOSE = {
    "l1_throughput_active_pct": 90.0,
    "dram_throughput_pct": 63.0,
    "l2_throughput_pct": 27.0,
    "issue_active_pct": 7.0,
}


def test_the_next_limiter_bounds_the_gain() -> None:
    # L1 keeps a tenth of its work; DRAM at 63 of at most 90 % is next: 1 - 0.63/0.9.
    gain = by_waste(TRANSPOSE, ["l1"], {"l1": 0.1})
    assert gain is not None
    assert gain.expected_pct == pytest.approx(30.0)
    assert gain.at_most_pct == pytest.approx(37.0)
    assert gain.limited_by == "DRAM at 63.0 %"


def test_waste_that_inflates_the_next_limiter_counts_there_too() -> None:
    gain = by_waste(TRANSPOSE, ["l1", "dram"], {"l1": 0.1, "dram": 0.5})
    assert gain is not None
    assert gain.expected_pct == pytest.approx(100 * (1 - 0.315 / 0.9))


@pytest.mark.parametrize(("busy", "part"), [(60.0, 0.0), (70.0, 0.5), (80.0, 1.0), (95.0, 1.0)])
def test_a_unit_that_is_not_busy_was_not_waited_for(busy: float, part: float) -> None:
    gain = by_waste({"l1_throughput_active_pct": busy}, ["l1"], {"l1": 0.0})
    assert gain is not None
    assert gain.expected_pct == pytest.approx(100 * part)


def test_without_the_causes_unit_nothing_is_said() -> None:
    assert by_waste({"dram_throughput_pct": 50.0}, ["l1"], {"l1": 0.0}) is None


def test_at_the_wall_nothing_is_promised() -> None:
    gain = by_waste({**TRANSPOSE, "dram_throughput_pct": 95.0}, ["l1"], {"l1": 0.1})
    assert gain is not None
    assert gain.expected_pct == 0.0
    assert gain.at_most_pct == pytest.approx(5.0)


def test_lost_time_is_won_as_far_as_the_busiest_unit_lets() -> None:
    gain = by_lost_time({"dram_throughput_pct": 72.0}, 0.5)
    assert gain.expected_pct == pytest.approx(20.0)
    assert gain.at_most_pct == pytest.approx(28.0)
    assert gain.limited_by == "DRAM at 72.0 %"


def test_work_that_moves_to_another_pipe_leaves_the_bytes_where_they_are() -> None:
    # Twice as fast on another pipe, nine tenths of the instructions with it: L1 at 63 % of at
    # most 90 % ends what would be half of the time at 30 %, and at 37 % at its whole peak.
    numbers = {
        "pipe_fma_pct": 80.0,
        "issue_active_pct": 85.0,
        "l1_throughput_active_pct": 63.0,
    }
    gain = by_lost_time(numbers, 0.5, likely=0.5, remaining={"fma": 0.0, "issue": 0.1})
    assert gain.expected_pct == pytest.approx(15.0)
    assert gain.at_most_pct == pytest.approx(37.0)
    assert gain.limited_by == "L1/shared memory at 63.0 %"
    # Beside a nearly idle L1 half of the time is won at most: the work itself is left.
    alone = by_lost_time(
        {**numbers, "l1_throughput_active_pct": 42.0},
        0.5,
        likely=0.5,
        remaining={"fma": 0.0, "issue": 0.1},
    )
    assert (alone.expected_pct, alone.at_most_pct) == (25.0, 50.0)
    assert alone.limited_by == "the work itself"


def test_idle_sms_leave_room_in_every_sms_own_units() -> None:
    numbers = {"l1_throughput_active_pct": 97.0, "dram_throughput_pct": 10.0}
    assert by_lost_time(numbers, 0.33, idle_sms=True).expected_pct == pytest.approx(33.0)
    assert by_lost_time(numbers, 0.33).expected_pct == 0.0

"""Launches whose counters are another launch's."""

from __future__ import annotations

from fixtures.launches import launch

from ncu_triage.quantities.derive import derive
from ncu_triage.quantities.replay import ReplayCheck

FIRST = {
    "gpu__time_duration.sum": 1_222_208.0,
    "gpc__cycles_elapsed.max": 2_320_627.0,
    "sm__cycles_active.avg": 2_284_988.54,
    "smsp__inst_executed.sum": 491_622.0,
    "inst_executed": 491_622.0,
    "launch__registers_per_thread": 32.0,
}


def test_copied_counters_are_suspect_and_the_launchs_own_stay() -> None:
    check = ReplayCheck()
    assert check.checked(launch(FIRST)).suspect == frozenset()
    second = check.checked(
        launch({**FIRST, "inst_executed": 91_675_850_236.0}, id="0/0/1", grid=(7, 1, 1))
    )
    assert "gpu__time_duration.sum" in second.suspect
    assert second.metrics["inst_executed"] == 91_675_850_236.0
    assert second.metrics["launch__registers_per_thread"] == 32.0
    kernel = derive(second)
    assert kernel.absent["duration"] == "suspect"
    assert "of an earlier launch" in kernel.measurement[0].warning


def test_like_launches_are_not_copies() -> None:
    check = ReplayCheck()
    check.checked(launch(FIRST))
    near = {**FIRST, "sm__cycles_active.avg": 2_284_990.0}
    assert check.checked(launch(near)).suspect == frozenset()


def test_a_few_equal_numbers_prove_nothing() -> None:
    check = ReplayCheck()
    few = {"gpu__time_duration.sum": 1728.0, "smsp__inst_executed.sum": 64.0}
    check.checked(launch(few))
    assert check.checked(launch(few)).suspect == frozenset()


def test_a_kernel_that_counts_the_same_twice_is_believed() -> None:
    check = ReplayCheck()
    check.checked(launch(FIRST))
    again = launch(FIRST, id="0/0/1")
    assert check.checked(again) is again

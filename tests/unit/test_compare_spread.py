"""A change is one only beyond its spread."""

from __future__ import annotations

import random

import pytest

from ncu_triage.compare.spread import change, spread, whole


def test_the_spread_of_few_launches_is_not_known() -> None:
    assert spread([1.0, 2.0, 3.0]) is None
    assert spread([1.0, 1.0, 1.02, 0.98]) == pytest.approx(0.0148, abs=0.001)


def test_one_launch_each_has_an_assumed_spread() -> None:
    found = change([100e-6], [104e-6])
    assert (found.spread, found.verdict) == ("assumed", "same")
    assert found.change_pct == pytest.approx(4)
    assert found.noise_pct == pytest.approx(2.9, abs=0.1)
    assert change([100e-6], [120e-6]).verdict == "slower"
    assert change([100e-6], [80e-6]).verdict == "faster"


def test_many_launches_tell_a_small_change_from_noise() -> None:
    noise = random.Random(7)
    before = [1e-3 * noise.gauss(1, 0.005) for _ in range(40)]
    after = [1.03e-3 * noise.gauss(1, 0.005) for _ in range(40)]
    found = change(before, after)
    assert (found.spread, found.verdict) == ("measured", "slower")
    assert found.change_pct == pytest.approx(3, abs=0.4)


def test_launches_of_different_work_are_held_one_against_one() -> None:
    before = [1e-3, 5e-3, 20e-3, 80e-3, 20e-3, 5e-3]
    after = [value * 1.1 for value in before]
    assert change(before, after).verdict == "slower"
    # One launch fewer, and only the medians are left, which lie far apart by themselves.
    assert change(before, after[:-1]).verdict == "same"


def test_a_launch_that_is_out_of_line_changes_nothing() -> None:
    steady = [1e-3] * 9
    assert change([5e-3, *steady], [1e-3, *steady]).verdict == "same"


def test_a_very_short_kernel_is_no_steadier_than_its_clock() -> None:
    assert change([160e-9] * 5, [192e-9] * 5).verdict == "same"


@pytest.mark.parametrize(("launches", "noise"), [(1, 0.02), (2, 0.02), (4, 0.02), (10, 0.01)])
def test_noise_alone_hardly_ever_counts(launches: int, noise: float) -> None:
    chance = random.Random(launches)

    def night() -> list[float]:
        level = 1e-3 * chance.gauss(1, 0.003)
        return [level * chance.gauss(1, noise) for _ in range(launches)]

    alarms = sum(change(night(), night()).verdict != "same" for _ in range(1000))
    assert alarms <= 10


def test_the_whole_is_as_unsure_as_its_parts_weigh() -> None:
    big, small = change([1.0], [1.0]), change([1e-6], [3e-6])
    found = whole([(1.0, 1.0, big), (1e-6, 3e-6, small)])
    assert found is not None
    assert found.verdict == "same"
    assert found.noise_pct == pytest.approx(big.noise_pct, rel=0.05)
    assert whole([]) is None

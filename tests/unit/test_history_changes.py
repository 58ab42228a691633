"""Steps and drifts are found, and a kernel's own noise is neither."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest

from ncu_triage.history.changes import changes, moved
from ncu_triage.history.noise import spread
from ncu_triage.history.series import Event, Limits, Point
from ncu_triage.history.words import what

Level = Callable[[int], float]


def _nights(
    count: int, level: Level = lambda night: 1.0, noise: float = 0.01, seed: int = 1
) -> list[Point]:
    rng = random.Random(seed)
    return [
        Point(report=i, at=86400.0 * i, duration=1e-3 * level(i) * rng.gauss(1, noise))
        for i in range(count)
    ]


def _found(points: Sequence[Point]) -> list[Event]:
    return changes(points, Limits())


def test_a_quiet_kernel_has_no_event() -> None:
    assert not _found(_nights(365))


@pytest.mark.parametrize("noise", [0.0, 0.001, 0.01, 0.03])
def test_noise_is_no_event(noise: float) -> None:
    assert sum(len(_found(_nights(200, noise=noise, seed=seed))) for seed in range(20)) <= 1


@pytest.mark.parametrize(("factor", "direction"), [(1.12, "slower"), (0.8, "faster")])
def test_a_step_is_found_on_its_second_night(factor: float, direction: str) -> None:
    (event,) = _found(_nights(100, lambda night: factor if night >= 60 else 1.0))
    assert (event.event, event.direction, event.since, event.found) == ("step", direction, 60, 61)
    assert event.change_pct == pytest.approx(100 * (factor - 1), abs=1.5)
    assert event.before == pytest.approx(1e-3, rel=0.01)
    assert event.alarming == (direction == "slower")


def test_one_bad_night_is_no_step() -> None:
    assert not _found(_nights(100, lambda night: 1.5 if night == 60 else 1.0))


def test_a_kernel_that_is_slow_now_and_then_is_so_by_nature() -> None:
    points = _nights(200, lambda night: 1.3 if night % 13 in (0, 1) else 1.0)
    assert len(_found(points)) <= 2


def test_a_step_below_the_threshold_is_no_event_however_certain() -> None:
    assert not _found(_nights(200, lambda night: 1.03 if night >= 60 else 1.0, noise=0.0005))


def test_the_same_step_is_noise_in_a_noisy_kernel() -> None:
    step: Level = lambda night: 1.08 if night >= 60 else 1.0  # noqa: E731
    assert _found(_nights(62, step, noise=0.005))
    assert not _found(_nights(62, step, noise=0.05))


def test_a_slow_drift_is_found() -> None:
    points = _nights(200, lambda night: 1 + 0.0015 * max(0, night - 40))
    first, *rest = _found(points)
    assert (first.event, first.direction) == ("drift", "slower")
    assert 30 <= first.since <= 70
    assert first.found <= 90
    assert {event.event for event in rest} == {"drift"}


def test_a_night_tells_what_a_drift_came_to() -> None:
    points = _nights(120, lambda night: 1 + 0.0015 * max(0, night - 40))
    event = _found(points)[0]
    told = moved(points, event.found, Limits())
    assert told is not None
    assert (told.before, told.after, told.sigmas) == (event.before, event.after, event.sigmas)
    before = moved(points, event.found - 1, Limits())
    assert before is not None and abs(before.after / before.before - 1) < 0.05


def test_a_night_soon_after_a_step_is_no_other_step() -> None:
    points = _nights(40, lambda night: 1.2 if night >= 30 else 1.0)
    sizes = [moved(points, night, Limits()) for night in range(28, 40)]
    assert [one is not None and one.after / one.before > 1.1 for one in sizes] == [
        *([False] * 3),
        True,
        *([False] * 8),
    ]


def test_what_is_found_does_not_depend_on_later_nights() -> None:
    points = _nights(120, lambda night: 1.2 if night >= 60 else 1.0)
    whole = _found(points)
    for end in range(1, 120):
        assert _found(points[:end]) == [event for event in whole if event.found < end]


def test_two_steps_are_two_events() -> None:
    levels = {0: 1.0, 40: 1.2, 80: 0.9}
    points = _nights(120, lambda night: levels[max(k for k in levels if k <= night)])
    assert [event.since for event in _found(points)] == [40, 80]


def test_another_clock_is_no_fault_of_the_kernel() -> None:
    rng = random.Random(2)
    points = [
        Point(
            report=i,
            at=float(i),
            duration=1e-3 * (1.2 if i >= 40 else 1.0) * rng.gauss(1, 0.005),
            cycles=1e6 * rng.gauss(1, 0.005),
        )
        for i in range(60)
    ]
    (event,) = _found(points)
    assert event.excuse == "clock" and not event.alarming
    assert "another clock" in what(event)


@pytest.mark.parametrize("count", range(6))
def test_a_short_history_is_no_ground_for_alarm(count: int) -> None:
    assert not _found(_nights(count, lambda night: 1.06 if night >= 3 else 1.0))


def test_nights_without_a_duration_are_passed_over() -> None:
    points = _nights(60, lambda night: 1.2 if night >= 30 else 1.0)
    points[10:10] = [Point(report=1000 + i, at=0.0, duration=None) for i in range(5)]
    assert [event.since for event in _found(points)] == [30]


def test_the_spread_is_of_the_differences_and_at_least_the_launches_own() -> None:
    drifting = [0.01] * 100
    assert spread(drifting, []) < 0.02
    assert spread([0.0] * 100, [0.05] * 100) == pytest.approx(0.05, rel=0.05)
    assert spread([], []) == pytest.approx(0.03)
    rng = random.Random(3)
    normal = [rng.gauss(0, 0.02) - rng.gauss(0, 0.02) for _ in range(2000)]
    assert spread(normal, []) == pytest.approx(0.02, rel=0.1)

"""Find steps and drifts of a kernel's duration, as one would have night by night."""

from __future__ import annotations

from collections.abc import Sequence

from ncu_triage.history.series import Event, Limits, Point
from ncu_triage.history.watch import Moved, Watch


def changes(points: Sequence[Point], limits: Limits) -> list[Event]:
    """Return the steps and drifts in a kernel's nights, in the order they were found."""
    watch = Watch(points, limits)
    return [event for night in range(watch.nights) if (event := watch.look(night))]


def moved(points: Sequence[Point], report: int, limits: Limits) -> Moved | None:
    """Return how a report differs from the level so far, by the event that it makes certain.

    Without an event nothing differs, so that a gate and the events say the same. None where
    too little is known.
    """
    watch = Watch(points, limits)
    for night in range(watch.nights):
        if watch.report(night) == report:
            return watch.moved(night)
        watch.look(night)
    return None

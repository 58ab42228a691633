"""What one report says of a kernel, held against the nights before it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.history.changes import moved
from ncu_triage.history.events import Trend
from ncu_triage.history.series import Limits, Point
from ncu_triage.history.watch import Moved

# Nights that say what is usual, and the least of them that say anything.
_MEMORY = 14
_LEAST_BEFORE = 2
# With fewer nights before it a night's time is not judged: three make a level, one confirms.
LEAST_EARLIER = 4


class Tonight(NamedTuple):
    """A kernel tonight: how its time differs, its bottlenecks, and rules that fire anew.

    What only one night shows is no difference yet. `earlier` counts the nights before that
    it may be compared with.
    """

    earlier: int
    moved: Moved | None
    excused: bool
    kind_before: str | None
    kind_after: str | None
    new_rules: frozenset[str]


def tonight(trend: Trend, report: int, limits: Limits) -> Tonight | None:
    """Return what a report says of a kernel; None where it is not in it."""
    points = trend.comparable(report)
    place = next((i for i, p in enumerate(points) if p.report == report), None)
    if place is None:
        return None
    point = points[place]
    found = [event for event in trend.events if event.found == report]
    changed = [e.kind_before for e in found if e.event == "bottleneck" and e.excuse is None]
    return Tonight(
        earlier=place,
        moved=moved(points, report, limits),
        excused=any(event.excuse == "clock" for event in found),
        kind_before=changed[0] if changed else point.kind,
        kind_after=point.kind,
        new_rules=_new(points, place),
    )


def _new(points: Sequence[Point], place: int) -> frozenset[str]:
    """Return the rules that fired tonight and the night before, and not before that."""
    before = points[max(0, place - 1 - _MEMORY) : max(0, place - 1)]
    if len(before) < _LEAST_BEFORE:
        return frozenset()
    usual = {rule for point in before for rule in point.rules}
    confirmed = set(points[place].rules) & set(points[place - 1].rules)
    return frozenset(confirmed - usual)

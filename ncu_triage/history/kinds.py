"""Find changes of bottleneck, and tell them from a kernel that lies on a border."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from ncu_triage.history.series import Event, Point

# Nights that say what is usual, and the least of them that say anything.
_BEFORE = 14
_LEAST_BEFORE = 2
# A kernel that changed more often than that in so many nights lies on a border.
_MEMORY = 60
_MOST_CHANGES = 2
_UNKNOWN = "insufficient-data"


def kind_changes(points: Sequence[Point]) -> list[Event]:
    """Return the changes of bottleneck, each confirmed by a second night.

    A night without enough data says nothing of the kernel.
    """
    known = [point for point in points if point.kind and point.kind != _UNKNOWN]
    begin, found = 0, []
    for night in range(_LEAST_BEFORE + 1, len(known)):
        if event := _change(known, begin, night):
            found.append(event)
            begin = night - 1
    return found


def _change(points: Sequence[Point], begin: int, night: int) -> Event | None:
    first, second = points[night - 1], points[night]
    before = [p.kind for p in points[max(begin, night - 1 - _BEFORE) : night - 1]]
    if first.kind != second.kind or len(before) < _LEAST_BEFORE:
        return None
    (usual, _), *_ = Counter(before).most_common(1)
    if usual == second.kind or _flips(points, night - 1):
        return None
    return Event(
        event="bottleneck",
        since=first.report,
        found=second.report,
        kind_before=usual,
        kind_after=second.kind,
        excuse="tool" if points[night - 2].tool != first.tool else None,
    )


def _flips(points: Sequence[Point], end: int) -> bool:
    """Tell whether the kernel changed so often before that it means nothing."""
    nights = points[max(0, end - _MEMORY) : end]
    return sum(a.kind != b.kind for a, b in pairwise(nights)) > _MOST_CHANGES

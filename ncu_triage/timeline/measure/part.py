"""Parts of a timeline, and the one in which a program has found its pace."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from ncu_triage.timeline.events import NO_CALL, Copies, Graphs, Kernels, Timeline
from ncu_triage.timeline.measure.figures import Figures, figures

Events = TypeVar("Events", Kernels, Copies, Graphs)

_STEP = "ProfilerStep##"
_A_PACE = 3  # repetitions that make a range a step of the program
_COVERED = 0.5  # of the time from the second repetition on; less is a detail of the steps


class Steady(Struct, frozen=True, kw_only=True):
    """The figures without the first repetition of the range that repeats."""

    name: str
    repetitions: int
    figures: Figures


def between(timeline: Timeline, start: int, end: int) -> Timeline:
    """Return the part whose kernels were launched between two moments of the host.

    The GPU runs behind the host, so a kernel belongs where its call was; copies and graphs
    belong to the stretch in which those kernels ran.
    """
    kernels = timeline.kernels
    rows = [
        row
        for row, (call, began) in enumerate(zip(kernels.launched, kernels.start, strict=True))
        if start <= (began if call == NO_CALL else call) < end
    ]
    first = kernels.start[rows[0]] if rows else start
    last = max((kernels.end[row] for row in rows), default=end)
    return replace(
        timeline,
        kernels=_chosen(kernels, rows),
        copies=_within(timeline.copies, first, last),
        graphs=_within(timeline.graphs, first, last),
    )


def steady(timeline: Timeline) -> Steady | None:
    """Measure the steps that follow the first one; None where nothing repeats."""
    found = _steps(timeline)
    if found is None:
        return None
    name, rows = found
    ranges = timeline.ranges
    part = between(timeline, ranges.start[rows[1]], max(ranges.end[row] for row in rows))
    if not part.kernels:
        return None
    return Steady(name=name, repetitions=len(rows) - 1, figures=figures(part))


def _steps(timeline: Timeline) -> tuple[str, list[int]] | None:
    """Return the range that repeats one after the other, and covers the most time."""
    ranges = timeline.ranges
    rows: dict[tuple[int, int], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(ranges.name, ranges.thread, strict=True)):
        rows[key].append(row)
    repeated = [
        (timeline.range_names[name], own)
        for (name, _), own in rows.items()
        if len(own) >= _least(timeline.range_names[name]) and _in_turn(timeline, own)
    ]
    return max(
        repeated, key=lambda one: (one[0] == _STEP, _covered(timeline, one[1])), default=None
    )


def _least(name: str) -> int:
    return 2 if name == _STEP else _A_PACE


def _in_turn(timeline: Timeline, rows: list[int]) -> bool:
    """Tell whether ranges follow each other, and leave little room between."""
    ranges = timeline.ranges
    apart = all(ranges.end[one] <= ranges.start[after] for one, after in pairwise(rows))
    later = rows[1:]
    whole = ranges.end[later[-1]] - ranges.start[later[0]]
    return apart and _covered(timeline, later) >= _COVERED * whole


def _covered(timeline: Timeline, rows: list[int]) -> int:
    return sum(timeline.ranges.end[row] - timeline.ranges.start[row] for row in rows)


def _within(events: Events, first: int, last: int) -> Events:
    low, high = bisect_left(events.start, first), bisect_right(events.start, last)
    return _chosen(events, range(low, high))


def _chosen(events: Events, rows: Iterable[int]) -> Events:
    places = list(rows)
    columns = {
        name: array(column.typecode, (column[row] for row in places))
        for name in events.__struct_fields__
        for column in [getattr(events, name)]
    }
    return type(events)(**columns)

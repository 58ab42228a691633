"""Unions of stretches of time, the holes in them, and what two unions share."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ncu_triage.timeline.events import Column


class Union(NamedTuple):
    """Stretches that do not touch, in order; `first` and `last` are the rows at their ends.

    The first row of a stretch began it; the last one is the row that ended it.
    """

    start: Column
    end: Column
    first: Column
    last: Column

    @property
    def length(self) -> int:
        """The time covered."""
        return sum(self.end) - sum(self.start)

    @property
    def window(self) -> int:
        """The time from the first start to the last end."""
        return self.end[-1] - self.start[0] if self.start else 0

    def holes(self) -> Iterator[tuple[int, int]]:
        """Yield the stretches between, in order."""
        return zip(self.end, self.start[1:], strict=False)


def union(starts: Column, ends: Column, rows: Iterable[int]) -> Union:
    """Unite the given rows, which come in order of their start.

    What has no length covers nothing, and ends no hole.
    """
    found = Union(array("q"), array("q"), array("q"), array("q"))
    reach, last = -1, -1
    for row in rows:
        if ends[row] == starts[row]:
            continue
        if starts[row] > reach:
            if reach >= 0:
                found.end.append(reach)
                found.last.append(last)
            found.start.append(starts[row])
            found.first.append(row)
            reach, last = ends[row], row
        elif ends[row] > reach:
            reach, last = ends[row], row
    if reach >= 0:
        found.end.append(reach)
        found.last.append(last)
    return found


def union_of(spans: Iterable[tuple[int, int]]) -> Union:
    """Unite stretches in any order."""
    ordered = sorted(spans)
    starts = array("q", (start for start, _ in ordered))
    ends = array("q", (end for _, end in ordered))
    return union(starts, ends, range(len(starts)))


def joined(unions: Iterable[Union]) -> Union:
    """Unite unions; rows mean nothing in the result."""
    starts, ends = array("q"), array("q")
    for start, end in heapq.merge(*(zip(one.start, one.end, strict=True) for one in unions)):
        starts.append(start)
        ends.append(end)
    return union(starts, ends, range(len(starts)))


def overlap(one: Union, other: Union) -> int:
    """Return the time that lies in both."""
    shared = i = j = 0
    while i < len(one.start) and j < len(other.start):
        shared += max(0, min(one.end[i], other.end[j]) - max(one.start[i], other.start[j]))
        if one.end[i] < other.end[j]:
            i += 1
        else:
            j += 1
    return shared


def median(values: Sequence[int]) -> int | None:
    """Return the middle value, the lower one of two, so that it is one that occurs."""
    return sorted(values)[(len(values) - 1) // 2] if values else None


def nearest_rank(values: Sequence[int], percent: int) -> int | None:
    """Return the smallest value that so many percent of all do not exceed."""
    return sorted(values)[max(0, -(-percent * len(values) // 100) - 1)] if values else None

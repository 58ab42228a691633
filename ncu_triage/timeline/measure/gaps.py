"""The holes in a GPU's work, who closed them, and what the host did meanwhile."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import NamedTuple

from ncu_triage.timeline.events import BLOCKING, NO_CALL, Blocking, Timeline
from ncu_triage.timeline.measure.intervals import Union, joined, union, union_of


class Gap(NamedTuple):
    """A hole between the end of one kernel and the start of another, on one GPU.

    `late`: the closing kernel was not launched before the hole began, so nothing was
    queued. `launched` is when, or None where the file has no call for the kernel; `in_graph`
    tells that the call launched a CUDA graph. `copied` is the time in which other work ran:
    copies, memsets, and graphs whose kernels were not traced.
    """

    start: int
    end: int
    device: int
    before: int
    after: int
    launched: int | None
    in_graph: bool = False
    copied: int = 0

    @property
    def empty(self) -> int:
        """How long nothing ran, no copy either."""
        return self.length - self.copied

    @property
    def length(self) -> int:
        """How long no kernel ran."""
        return self.end - self.start

    @property
    def late(self) -> bool:
        """Whether the host launched too late."""
        return self.launched is not None and self.launched >= self.start


def kernel_unions(timeline: Timeline) -> Mapping[int, Union]:
    """Return the stretches in which kernels ran, by GPU."""
    kernels = timeline.kernels
    rows = by_device(timeline, kernels.stream)
    return {device: union(kernels.start, kernels.end, own) for device, own in rows.items()}


def by_device(timeline: Timeline, streams: Sequence[int]) -> dict[int, array[int]]:
    """Return the rows of each GPU, given the stream of every row."""
    rows: dict[int, array[int]] = defaultdict(lambda: array("q"))
    devices = [stream.device for stream in timeline.streams]
    for row, stream in enumerate(streams):
        rows[devices[stream]].append(row)
    return dict(sorted(rows.items()))


def other_work(timeline: Timeline) -> dict[int, Union]:
    """Return the stretches in which copies, memsets or untraced graphs ran, by GPU."""
    found: dict[int, list[Union]] = defaultdict(list)
    for events in (timeline.copies, timeline.graphs):
        for device, rows in by_device(timeline, events.stream).items():
            found[device].append(union(events.start, events.end, rows))
    return {device: joined(own) for device, own in found.items()}


def _shared(busy: Union, other: Union) -> array[int]:
    """Return for each hole how much of it other work fills."""
    found, at = array("q"), 0
    for start, end in busy.holes():
        while at < len(other.start) and other.end[at] <= start:
            at += 1
        here, filled = at, 0
        while here < len(other.start) and other.start[here] < end:
            filled += min(other.end[here], end) - max(other.start[here], start)
            here += 1
        found.append(filled)
    return found


class Gaps:
    """All holes between kernels, GPU by GPU in order of time; made anew on each pass."""

    def __init__(self, timeline: Timeline, unions: Mapping[int, Union]) -> None:
        self._kernels = timeline.kernels
        self._unions = unions
        self._other = other_work(timeline)
        self._copied = {
            device: _shared(busy, self._other[device])
            for device, busy in unions.items()
            if device in self._other
        }

    def __iter__(self) -> Iterator[Gap]:
        for device, busy in self._unions.items():
            copied = self._copied.get(device) or repeat(0)
            rows = zip(busy.holes(), busy.last, busy.first[1:], copied, strict=False)
            for (start, end), before, after, other in rows:
                call, in_graph = self._kernels.launched[after], self._kernels.in_graph[after]
                launched = None if call == NO_CALL else call
                yield Gap(start, end, device, before, after, launched, bool(in_graph), other)

    def others(self, gap: Gap, start: int) -> list[tuple[int, int]]:
        """Return when other work ran, from a moment in the gap to its end."""
        other = self._other.get(gap.device)
        return _parts(other, start, gap.end) if other and gap.copied else []


class Host:
    """Which stretches a host thread spent in calls that kept it."""

    def __init__(self, timeline: Timeline) -> None:
        spans: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
        calls = timeline.calls
        for start, end, thread, kind in zip(
            calls.start, calls.end, calls.thread, calls.kind, strict=True
        ):
            spans[thread, kind].append((start, end))
        self._kept = {key: union_of(own) for key, own in spans.items()}
        self._threads = timeline.kernels.thread

    def kept(self, gap: Gap) -> dict[Blocking, int]:
        """Return the time that calls kept the launching thread between gap and launch."""
        if gap.launched is None or not gap.late:
            return {}
        thread, found = self._threads[gap.after], {}
        for place, kind in enumerate(BLOCKING):
            if (calls := self._kept.get((thread, place))) and (
                time := _within(calls, gap.start, min(gap.launched, gap.end))
            ):
                found[kind] = time
        return found

    def free(self, gap: Gap, found: Gaps) -> int:
        """Return the time of a gap in which neither a call nor other work held up the next."""
        if gap.launched is None or not self._kept or not gap.late:
            return gap.empty
        spans: list[tuple[int, int]] = []
        thread, end = self._threads[gap.after], min(gap.launched, gap.end)
        for place in range(len(BLOCKING)):
            if calls := self._kept.get((thread, place)):
                spans += _parts(calls, gap.start, end)
        if not spans:
            return gap.empty
        return gap.length - union_of(spans + found.others(gap, gap.start)).length

    def waited(self, gap: Gap) -> bool:
        """Tell whether the host waited for the GPU at the moment the GPU ran dry."""
        calls = self._kept.get((self._threads[gap.after], BLOCKING.index("wait")))
        return bool(calls and _within(calls, gap.start, gap.start + 1))


def _within(calls: Union, start: int, end: int) -> int:
    """Return the time of the calls between two moments."""
    return sum(last - first for first, last in _parts(calls, start, end))


def _parts(one: Union, start: int, end: int) -> list[tuple[int, int]]:
    """Return what of a union lies between two moments."""
    low = max(0, bisect_right(one.start, start) - 1)
    high = bisect_right(one.start, end)
    cut = ((max(one.start[at], start), min(one.end[at], end)) for at in range(low, high))
    return [(first, last) for first, last in cut if last > first]

"""The holes in a GPU's work, who closed them, and what the host did meanwhile."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.timeline.events import BLOCKING, NO_CALL, Blocking, Timeline
from ncu_triage.timeline.measure.intervals import Union, union, union_of


class Gap(NamedTuple):
    """A hole between the end of one kernel and the start of another, on one GPU.

    `late`: the closing kernel was not launched before the hole began, so nothing was
    queued. `launched` is when, or None where the file has no call for the kernel.
    """

    start: int
    end: int
    device: int
    before: int
    after: int
    launched: int | None

    @property
    def length(self) -> int:
        """How long nothing ran."""
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


class Gaps:
    """All holes between kernels, GPU by GPU in order of time; made anew on each pass."""

    def __init__(self, timeline: Timeline, unions: Mapping[int, Union]) -> None:
        self._launched = timeline.kernels.launched
        self._unions = unions

    def __iter__(self) -> Iterator[Gap]:
        for device, busy in self._unions.items():
            rows = zip(busy.holes(), busy.last, busy.first[1:], strict=False)
            for (start, end), before, after in rows:
                call = self._launched[after]
                yield Gap(start, end, device, before, after, None if call == NO_CALL else call)


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

    def waited(self, gap: Gap) -> bool:
        """Tell whether the host waited for the GPU at the moment the GPU ran dry."""
        calls = self._kept.get((self._threads[gap.after], BLOCKING.index("wait")))
        return bool(calls and _within(calls, gap.start, gap.start + 1))


def _within(calls: Union, start: int, end: int) -> int:
    """Return the time of the calls between two moments."""
    low = max(0, bisect_right(calls.start, start) - 1)
    high = bisect_right(calls.start, end)
    return sum(
        max(0, min(calls.end[at], end) - max(calls.start[at], start)) for at in range(low, high)
    )

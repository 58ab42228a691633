"""Where the time from the first work to the last goes: parts that add up to it."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from ncu_triage.timeline.events import Column, Copies, Graphs, Timeline
from ncu_triage.timeline.measure.figures import extent
from ncu_triage.timeline.measure.gaps import Gaps, by_device
from ncu_triage.timeline.measure.intervals import Union, joined, overlap, union, union_of


class EndToEnd(Struct, frozen=True, kw_only=True):
    """The time from the first work to the last, once for each GPU that did work.

    What comes first in this list has the moment: kernels, copies and memsets beside no
    kernel, graphs whose kernels were not traced, and the time in which nothing ran: in gaps
    with nothing queued, in other gaps, before the first kernel and after the last.
    """

    total_ns: int
    kernels_ns: int
    copies_ns: int
    graphs_ns: int
    late_ns: int
    queued_ns: int
    outside_ns: int


def end_to_end(timeline: Timeline, unions: Mapping[int, Union], found: Gaps) -> EndToEnd:
    """Divide the time; the parts add up to the total to the nanosecond."""
    first, last = extent(timeline)
    copies, graphs = (_by_gpu(timeline, one) for one in (timeline.copies, timeline.graphs))
    late, queued = _gaps(found, late=True), _gaps(found, late=False)
    nothing = union_of(())
    sums = [0] * 6
    for gpu in range(len(timeline.devices)):
        kernels, moving = unions.get(gpu, nothing), copies.get(gpu, nothing)
        with_copies = joined((kernels, moving))
        working = joined((with_copies, graphs.get(gpu, nothing)))
        outside = union_of(_around(first, last, kernels))
        idle = (late.get(gpu, nothing), queued.get(gpu, nothing), outside)
        parts = (
            kernels.length,
            with_copies.length - kernels.length,
            working.length - with_copies.length,
            *(one.length - overlap(one, working) for one in idle),
        )
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return EndToEnd(
        total_ns=(last - first) * len(timeline.devices),
        kernels_ns=sums[0],
        copies_ns=sums[1],
        graphs_ns=sums[2],
        late_ns=sums[3],
        queued_ns=sums[4],
        outside_ns=sums[5],
    )


def _by_gpu(timeline: Timeline, events: Copies | Graphs) -> dict[int, Union]:
    rows = by_device(timeline, events.stream)
    return {gpu: union(events.start, events.end, own) for gpu, own in rows.items()}


def _gaps(found: Gaps, *, late: bool) -> dict[int, Union]:
    """Return the gaps of one kind by GPU; they come in order and do not touch."""
    ends: dict[int, tuple[Column, Column]] = defaultdict(lambda: (array("q"), array("q")))
    for gap in found:
        if gap.late is late:
            begin, end = ends[gap.device]
            begin.append(gap.start)
            end.append(gap.end)
    return {gpu: union(begin, end, range(len(begin))) for gpu, (begin, end) in ends.items()}


def _around(first: int, last: int, kernels: Union) -> list[tuple[int, int]]:
    """Return what lies before the first kernel and after the last; all, where there is none."""
    if not kernels.start:
        return [(first, last)]
    return [(first, kernels.start[0]), (kernels.end[-1], last)]

"""The numbers of a timeline, in integer nanoseconds, as the corpus defines them."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from ncu_triage.timeline.events import NO_CALL, Timeline
from ncu_triage.timeline.measure.gaps import Gaps, by_device, kernel_unions
from ncu_triage.timeline.measure.intervals import (
    Union,
    joined,
    median,
    nearest_rank,
    overlap,
    union,
)

TYPICAL_GAP = 5_000  # ns: more than a queued launch needs
SHORT = 10_000  # ns: a kernel for which launching costs a good part of its time


class KernelFigures(Struct, frozen=True, kw_only=True):
    """Kernels; busy is the length of their union, the window runs from first to last."""

    kernels: int
    devices: int
    streams: int
    distinct_names: int
    window_ns: int
    busy_ns: int
    kernel_sum_ns: int
    idle_share: float | None
    share_time_lt_10us: float | None
    share_count_lt_10us: float | None


class GapFigures(Struct, frozen=True, kw_only=True):
    """Holes between kernels; a late one was closed by a kernel launched after it began.

    Those that end in `empty_ns` leave out the time in which copies, memsets or untraced
    graphs ran. Of an unknown gap the file lacks the call that launched the closing kernel.
    """

    gaps: int
    gap_total_ns: int
    gap_median_ns: int | None
    gap_p90_ns: int | None
    gap_longest_ns: int | None
    gaps_over_5us: int
    gaps_over_5us_ns: int
    host_late_gaps: int
    host_late_ns: int
    host_late_over_5us: int
    host_late_over_5us_ns: int
    gap_empty_ns: int
    host_late_empty_ns: int
    unknown_empty_ns: int
    over_5us_empty_ns: int
    host_late_over_5us_empty_ns: int
    unknown_over_5us_empty_ns: int


class CopyFigures(Struct, frozen=True, kw_only=True):
    """Copies and memsets; hidden is what of their union lies inside that of the kernels."""

    copies_and_sets: int
    copy_set_bytes: int
    copy_set_union_ns: int
    copy_hidden_ns: int


class LaunchFigures(Struct, frozen=True, kw_only=True):
    """Times from an API call's start to its kernel's; a negative one is a skewed clock."""

    launches_matched: int
    launch_median_ns: int | None
    launch_negative: int
    graph_launched: int


class Figures(Struct, frozen=True, kw_only=True):
    """A timeline, or a part of it, in numbers.

    Sums over GPUs; a median is the lower middle value, P90 the nearest rank. None stands
    for a number that does not exist: a share of nothing, the median of no gaps.
    """

    kernels: KernelFigures
    gaps: GapFigures
    copies: CopyFigures
    launches: LaunchFigures
    graph_rows: int
    graph_ns: int
    any_busy_ns: int
    gpu_span_ns: int
    nvtx_ranges: int


def figures(timeline: Timeline, found: Gaps | None = None) -> Figures:
    """Measure a timeline, whose gaps may be known already."""
    unions = kernel_unions(timeline)
    first, last = extent(timeline)
    graphs = timeline.graphs
    return Figures(
        kernels=_kernels(timeline, unions),
        gaps=_gaps(found or Gaps(timeline, unions)),
        copies=_copies(timeline, unions),
        launches=_launches(timeline),
        graph_rows=len(graphs),
        graph_ns=sum(graphs.end) - sum(graphs.start),
        any_busy_ns=_any_busy(timeline, unions),
        gpu_span_ns=last - first,
        nvtx_ranges=len(timeline.ranges),
    )


def _kernels(timeline: Timeline, unions: Mapping[int, Union]) -> KernelFigures:
    kernels = timeline.kernels
    lengths = [end - start for start, end in zip(kernels.start, kernels.end, strict=True)]
    short = [length for length in lengths if length < SHORT]
    window = sum(busy.window for busy in unions.values())
    busy = sum(busy.length for busy in unions.values())
    return KernelFigures(
        kernels=len(kernels),
        devices=len(unions),
        streams=len(set(kernels.stream)),
        distinct_names=len({timeline.names[name].full for name in set(kernels.name)}),
        window_ns=window,
        busy_ns=busy,
        kernel_sum_ns=sum(lengths),
        idle_share=1 - busy / window if window else None,
        share_time_lt_10us=sum(short) / total if (total := sum(lengths)) else None,
        share_count_lt_10us=len(short) / len(lengths) if lengths else None,
    )


def _gaps(found: Gaps) -> GapFigures:
    lengths, late = array("q"), array("q")
    empty: dict[tuple[bool, str], int] = defaultdict(int)
    for gap in found:
        lengths.append(gap.length)
        why = "queued"
        if gap.late:
            late.append(gap.length)
            why = "late"
        elif gap.launched is None:
            why = "unknown"
        empty[gap.length > TYPICAL_GAP, why] += gap.empty
    over = {why: time for (is_over, why), time in empty.items() if is_over}
    each = {why: empty[True, why] + empty[False, why] for _, why in list(empty)}
    long = [length for length in lengths if length > TYPICAL_GAP]
    long_late = [length for length in late if length > TYPICAL_GAP]
    return GapFigures(
        gaps=len(lengths),
        gap_total_ns=sum(lengths),
        gap_median_ns=median(lengths),
        gap_p90_ns=nearest_rank(lengths, 90),
        gap_longest_ns=max(lengths, default=None),
        gaps_over_5us=len(long),
        gaps_over_5us_ns=sum(long),
        host_late_gaps=len(late),
        host_late_ns=sum(late),
        host_late_over_5us=len(long_late),
        host_late_over_5us_ns=sum(long_late),
        gap_empty_ns=sum(each.values()),
        host_late_empty_ns=each.get("late", 0),
        unknown_empty_ns=each.get("unknown", 0),
        over_5us_empty_ns=sum(over.values()),
        host_late_over_5us_empty_ns=over.get("late", 0),
        unknown_over_5us_empty_ns=over.get("unknown", 0),
    )


def _copies(timeline: Timeline, unions: Mapping[int, Union]) -> CopyFigures:
    copies, time, hidden = timeline.copies, 0, 0
    for device, rows in by_device(timeline, copies.stream).items():
        moving = union(copies.start, copies.end, rows)
        time += moving.length
        hidden += overlap(moving, unions[device]) if device in unions else 0
    return CopyFigures(
        copies_and_sets=len(copies),
        copy_set_bytes=sum(copies.bytes),
        copy_set_union_ns=time,
        copy_hidden_ns=hidden,
    )


def _launches(timeline: Timeline) -> LaunchFigures:
    kernels = timeline.kernels
    pairs = zip(kernels.start, kernels.launched, strict=True)
    times = [start - launched for start, launched in pairs if launched != NO_CALL]
    return LaunchFigures(
        launches_matched=len(times),
        launch_median_ns=median(times),
        launch_negative=sum(time < 0 for time in times),
        graph_launched=sum(kernels.in_graph),
    )


def _any_busy(timeline: Timeline, unions: Mapping[int, Union]) -> int:
    """Return the time in which a GPU did anything: kernels, copies, memsets, graphs."""
    found = {device: [own] for device, own in unions.items()}
    for events in (timeline.copies, timeline.graphs):
        for device, rows in by_device(timeline, events.stream).items():
            found.setdefault(device, []).append(union(events.start, events.end, rows))
    return sum(joined(own).length for own in found.values())


def extent(timeline: Timeline) -> tuple[int, int]:
    """Return the start of the first work and the end of the last, over all GPUs."""
    events = [one for one in (timeline.kernels, timeline.copies, timeline.graphs) if one]
    first = min((one.start[0] for one in events), default=0)
    return first, max((max(one.end) for one in events), default=0)

"""One group of a report beside its launches in a timeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.model import KernelDiagnosis
from ncu_triage.timeline.events import Gpu, Timeline
from ncu_triage.timeline.join.factor import FAR, Factor, factor, remarks
from ncu_triage.timeline.join.find import Found, Variant
from ncu_triage.timeline.join.matched import LEVELS, MatchedGroup, Reason, UnmatchedGroup
from ncu_triage.timeline.measure.gaps import by_device
from ncu_triage.timeline.measure.intervals import Union, median, union
from ncu_triage.timeline.say.words import count

_BY_NAME = {"mangled": 2, "name": 2, "spelling": 2, "unscoped": 2, "loose": 0}
_MOST_SHAPES = 3


class Whole(NamedTuple):
    """What a group's times are held against."""

    timeline: Timeline
    busy_ns: int
    end_to_end_ns: int
    real_ns: Mapping[str, int]
    gpu_sure: bool
    shared: Sequence[float] = ()


def matched_group(whole: Whole, launches: Sequence[KernelDiagnosis], found: Found) -> MatchedGroup:
    """Measure a group that was found."""
    kernels = whole.timeline.kernels
    lengths = [kernels.end[row] - kernels.start[row] for row in found.rows]
    middle = median(lengths) or 0
    times = factor(launches, whole.real_ns, middle, _gpu(whole.timeline, found))
    ran = ran_when(whole.timeline, found.rows)
    covered = sum(one.length for one in ran.values())
    doubts = list(_doubts(whole, launches[0], found, times, middle))
    sure = _BY_NAME[found.how] - len(doubts)
    grid, block = launches[0].grid, launches[0].block
    assert grid and block, "a group without a shape is never found"
    return MatchedGroup(
        group=launches[0].group,
        name=launches[0].demangled,
        grid=grid,
        block=block,
        how=found.how,
        confidence=LEVELS[max(0, sure)],
        profiled=len(launches),
        launches=len(found.rows),
        time_ns=sum(lengths),
        covered_ns=covered,
        shared_ns=sum(whole.shared[row] for row in found.rows),
        ran=ran,
        share_of_busy=covered / whole.busy_ns if whole.busy_ns else 0.0,
        share_of_end_to_end=covered / whole.end_to_end_ns if whole.end_to_end_ns else 0.0,
        median_ns=middle,
        profiled_median_ns=times.profiled_median,
        factor=times.value,
        clock_ratio=times.clocks,
        remarks=(*doubts, *remarks(times, middle)),
    )


def _doubts(
    whole: Whole, one: KernelDiagnosis, found: Found, times: Factor, middle: int
) -> Iterator[str]:
    """Yield what speaks against the two being one; each takes a step of confidence."""
    if found.how == "loose":
        yield "the names differ in what a compiler numbers anew with each build"
    if found.how == "unscoped" and "<" not in one.demangled:
        yield "the names agree only without their namespaces"
    if found.shared:
        yield "several kernels of the report have this name, and may be mixed up"
    if not whole.gpu_sure:
        yield "one of the two files does not name its GPU"
    registers = {whole.timeline.shapes[s].registers for s in _shapes(whole.timeline, found)}
    own = one.quantities.get("registers_per_thread")
    if isinstance(own, float) and None not in registers and registers != {int(own)}:
        yield "the registers per thread differ, so this is another build"
    if not middle:
        yield "most of its launches have no length on the timeline"
    if times.unexplained and times.unexplained > FAR:
        yield "the times differ far more than clocks and caches explain"


def _shapes(timeline: Timeline, found: Found) -> set[int]:
    return {timeline.kernels.shape[row] for row in found.rows}


def _gpu(timeline: Timeline, found: Found) -> Gpu:
    stream = timeline.streams[timeline.kernels.stream[found.rows[0]]]
    return timeline.devices[stream.device]


def ran_when(timeline: Timeline, rows: Sequence[int]) -> dict[int, Union]:
    """Return the stretches in which one of these kernels ran, by GPU."""
    kernels = timeline.kernels
    own = by_device(timeline, [kernels.stream[row] for row in rows])
    return {
        device: union(kernels.start, kernels.end, (rows[place] for place in places))
        for device, places in own.items()
    }


def unmatched_group(timeline: Timeline, one: KernelDiagnosis, found: Found) -> UnmatchedGroup:
    """Say why a group was not found."""
    reason: Reason = found.reason or "absent"
    graphs = count(len(timeline.graphs), "graph launch", "graph launches")
    if reason == "absent" and timeline.graphs:
        reason = "in-graphs"
    texts: Mapping[Reason, str] = {
        "absent": "does not occur in the timeline",
        "other-grid": f"runs there as {_shown(found.others)} only: another problem size",
        "other-gpu": "was profiled on a GPU that the timeline does not have",
        "no-shape": "one of the two files does not say how it was launched",
        "ambiguous": "cannot be told apart from other kernels with this name and shape",
        "in-graphs": f"may lie inside of {graphs} whose kernels were not traced",
        "no-kernel": "is no single kernel, and has no counterpart in a timeline",
    }
    return UnmatchedGroup(group=one.group, name=one.demangled, reason=reason, text=texts[reason])


def _shown(variants: Sequence[Variant]) -> str:
    """Print launch shapes, the first few of many."""
    shapes = sorted({(variant.grid, variant.block) for variant in variants})
    texts = [f"grid {_times(grid)}, block {_times(block)}" for grid, block in shapes]
    more = f" and {len(texts) - _MOST_SHAPES} more" if len(texts) > _MOST_SHAPES else ""
    return "; ".join(texts[:_MOST_SHAPES]) + more


def _times(extent: Sequence[int]) -> str:
    return "×".join(map(str, extent))

"""Match a report with a timeline: the same kernels, what they really take, or why not.

A time is carried over only between equal launch shapes on the same kind of GPU.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from ncu_triage.model import Confidence, Diagnosis, KernelDiagnosis
from ncu_triage.timeline.events import NO_CALL, Timeline
from ncu_triage.timeline.join.align import Alignment, align
from ncu_triage.timeline.join.factor import nanoseconds
from ncu_triage.timeline.join.find import Finder, Found, Variant
from ncu_triage.timeline.join.gpus import Agreement, agreement, described
from ncu_triage.timeline.join.group import Whole, matched_group, unmatched_group
from ncu_triage.timeline.join.matched import LEVELS, WEIGHTY, Match, MatchedGroup, Reason
from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.measure.gaps import kernel_unions
from ncu_triage.timeline.measure.sharing import shared_times

Members = Mapping[int, Sequence[KernelDiagnosis]]


def match(timeline: Timeline, diagnosis: Diagnosis, measured: Figures) -> Match:
    """Join the two, or say in `reason` why they cannot be compared."""
    members = _members(diagnosis)
    if not members:
        return Match(comparable=False, reason="the report holds no single kernel to look for")
    if not timeline.kernels:
        return Match(comparable=False, reason="the timeline holds no kernel to compare with")
    if not measured.kernels.kernel_sum_ns:
        return Match(comparable=False, reason="no kernel of the timeline has a length")
    used = sorted({one[0].device for one in members.values()}, key=str)
    agreed = {device: _agreement(timeline, diagnosis, device) for device in used}
    if not any(one.places for one in agreed.values()):
        return Match(comparable=False, reason=_other_gpu(timeline, diagnosis, used))
    found = _found(timeline, members, agreed)
    aligned, real = _real(timeline, diagnosis, found)
    whole = Whole(
        timeline=timeline,
        busy_ns=measured.kernels.busy_ns,
        end_to_end_ns=measured.gpu_span_ns * len(timeline.devices),
        real_ns=real,
        gpu_sure=all(one.sure for one in agreed.values()),
        shared=shared_times(timeline, kernel_unions(timeline)),
    )
    return _judged(whole, members, found, aligned)


def _members(diagnosis: Diagnosis) -> dict[int, list[KernelDiagnosis]]:
    """Return the launches of single kernels by group, in the report's order."""
    found: dict[int, list[KernelDiagnosis]] = defaultdict(list)
    for kernel in diagnosis.kernels:
        if kernel.workload == "kernel":
            found[kernel.group].append(kernel)
    return found


def _agreement(timeline: Timeline, diagnosis: Diagnosis, device: int | None) -> Agreement:
    return agreement(None if device is None else diagnosis.devices[device], timeline.devices)


def _other_gpu(timeline: Timeline, diagnosis: Diagnosis, used: Sequence[int | None]) -> str:
    mine = [described(None if d is None else diagnosis.devices[d]) for d in used]
    theirs = dict.fromkeys(described(gpu) for gpu in timeline.devices)
    return f"the report is from {', '.join(mine)}, the timeline from {', '.join(theirs)}"


def _found(
    timeline: Timeline, members: Members, agreed: Mapping[int | None, Agreement]
) -> dict[int, Found]:
    found: dict[int, Found] = {}
    claimed: set[Variant] = set()
    devices = [timeline.streams[stream].device for stream in timeline.kernels.stream]
    for device, one in agreed.items():
        speakers = {id: own[0] for id, own in members.items() if own[0].device == device}
        if not one.places:
            found |= {id: Found(reason="other-gpu") for id in speakers}
            continue
        rows = [row for row, place in enumerate(devices) if place in one.places]
        found |= Finder(timeline, rows, claimed).find(speakers)
    return found


def _real(
    timeline: Timeline, diagnosis: Diagnosis, found: Mapping[int, Found]
) -> tuple[Alignment, dict[str, int]]:
    """Return how the launches lie, and the real time of each that has a certain place."""
    kernels = timeline.kernels
    group_of = {row: id for id, one in found.items() for row in one.rows}

    def launched(row: int) -> int:
        return kernels.start[row] if kernels.launched[row] == NO_CALL else kernels.launched[row]

    rows = sorted(group_of, key=launched)
    profiled = [k for k in diagnosis.kernels if k.group in found and found[k.group].rows]
    if len(diagnosis.sources) > 1:
        return Alignment("groups", (None,) * len(profiled)), {}
    aligned = align([k.group for k in profiled], [group_of[row] for row in rows])
    pairs = zip(profiled, aligned.places, strict=True)
    places = {one.id: rows[place] for one, place in pairs if place is not None}
    return aligned, {id: kernels.end[row] - kernels.start[row] for id, row in places.items()}


def _judged(
    whole: Whole, members: Members, found: Mapping[int, Found], aligned: Alignment
) -> Match:
    """Measure what was found, and refuse what was profiled with another problem size."""
    groups = [matched_group(whole, members[id], one) for id, one in found.items() if one.rows]
    unmatched = tuple(
        unmatched_group(whole.timeline, members[id][0], one)
        for id, one in found.items()
        if not one.rows
    )
    times = {id: sum(nanoseconds(one) or 0.0 for one in own) for id, own in members.items()}
    same = sum(times[one.group] for one in groups)
    sized = sum(times[id] for id, one in found.items() if one.reason == "other-grid")
    total = sum(times.values())
    if not groups or sized > same:
        return Match(comparable=False, reason=_nothing(found), unmatched=unmatched)
    return Match(
        comparable=True,
        confidence=_confidence(groups),
        gpu_sure=whole.gpu_sure,
        order=aligned.order,
        groups=_ranked(groups),
        unmatched=unmatched,
        profiled_share=same / total if total else 0.0,
        real_ns=dict(whole.real_ns),
        busy_ns=whole.busy_ns,
        end_to_end_ns=whole.end_to_end_ns,
    )


def _nothing(found: Mapping[int, Found]) -> str:
    """Say why nothing, or too little, was found."""
    reasons: set[Reason | None] = {one.reason for one in found.values()}
    sized = sum(one.reason == "other-grid" for one in found.values())
    if sized:
        return (
            f"{sized} of the report's {len(found)} kernels run with other grids or blocks in"
            " the timeline: another problem size"
        )
    if reasons == {"no-shape"}:
        return "one of the two files does not say how the kernels were launched"
    return "none of the report's kernels occurs in the timeline: another program or build"


def _ranked(groups: Sequence[MatchedGroup]) -> tuple[MatchedGroup, ...]:
    return tuple(sorted(groups, key=lambda one: (-one.time_ns, one.group)))


def _confidence(groups: Sequence[MatchedGroup]) -> Confidence:
    """Return the least confidence of those groups that weigh something."""
    total = sum(one.time_ns for one in groups)
    weighty = [one for one in groups if one.time_ns >= WEIGHTY * total] or groups
    return min((one.confidence for one in weighty), key=LEVELS.index)

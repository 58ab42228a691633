"""Measure a timeline, put it beside a report, and say what the numbers mean."""

from __future__ import annotations

import heapq

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.join.alike import called_alike
from ncu_triage.timeline.join.match import match
from ncu_triage.timeline.join.rank import rank
from ncu_triage.timeline.measure.figures import extent, figures
from ncu_triage.timeline.measure.gaps import Gaps, Host, kernel_unions
from ncu_triage.timeline.measure.host import host_time, stretches
from ncu_triage.timeline.measure.intervals import overlap, union_of
from ncu_triage.timeline.measure.part import steady
from ncu_triage.timeline.measure.savings import fusion_at_most, graphs_at_most
from ncu_triage.timeline.measure.shares import by_direction, by_name
from ncu_triage.timeline.measure.whole import end_to_end
from ncu_triage.timeline.say.joined import joined_sentences
from ncu_triage.timeline.say.sentences import sentences
from ncu_triage.timeline.summary import Beside, LongGap, TimelineSummary

_MOST_GAPS, _MOST_NAMES = 5, 50


def summarise(timeline: Timeline) -> TimelineSummary:
    """Measure a timeline and say what the numbers mean."""
    unions = kernel_unions(timeline)
    found, host = Gaps(timeline, unions), Host(timeline)
    measured = figures(timeline, found)
    window, names = measured.kernels.window_ns, by_name(timeline)
    made = TimelineSummary(
        source=timeline.source,
        devices=timeline.devices,
        resolution_ns=timeline.resolution,
        figures=measured,
        whole=end_to_end(timeline, unions, found),
        steady=steady(timeline),
        kernels=tuple(names[:_MOST_NAMES]),
        collective_share=sum(one.share for one in names if one.collective),
        copies=tuple(by_direction(timeline)),
        host=host_time(host, found),
        stretches=tuple(stretches(timeline, found)),
        longest_gaps=_longest(timeline, found),
        graphs_save=graphs_at_most(found, host, window),
        fusion_saves=fusion_at_most(timeline, found, host, window),
        overhead_ns=_overhead(timeline),
    )
    return replace(made, sentences=tuple(sentences(made)))


def beside(timeline: Timeline, diagnosis: Diagnosis) -> Beside:
    """Put a timeline beside a report: what its kernels really take, and what comes first."""
    summary = summarise(called_alike(timeline, diagnosis))
    matched = match(timeline, diagnosis, summary.figures)
    ranked = tuple(rank(matched, diagnosis) if matched.comparable else diagnosis.priorities)
    said = tuple(joined_sentences(matched, ranked))
    return Beside(timeline=summary, match=matched, priorities=ranked, sentences=said)


def _longest(timeline: Timeline, found: Gaps) -> tuple[LongGap, ...]:
    first, _ = extent(timeline)
    longest = heapq.nsmallest(_MOST_GAPS, found, key=lambda gap: (-gap.length, gap.start))
    return tuple(
        LongGap(
            begins_ns=gap.start - first,
            length_ns=gap.length,
            late=gap.late,
            known=gap.launched is not None,
            copied_ns=gap.copied,
            before=timeline.names[timeline.kernels.name[gap.before]].full,
            after=timeline.names[timeline.kernels.name[gap.after]].full,
        )
        for gap in longest
    )


def _overhead(timeline: Timeline) -> int:
    """Return the profiler's own time between the first work and the last."""
    stalls = zip(timeline.overheads.start, timeline.overheads.end, strict=True)
    return overlap(union_of([extent(timeline)]), union_of(stalls))

"""A timeline's summary in the units of a diagnosis: seconds, and percent as 0-100."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import asdict

from ncu_triage.model import timeline as model
from ncu_triage.timeline.join.gpus import described
from ncu_triage.timeline.join.matched import MatchedGroup
from ncu_triage.timeline.join.rank import ran_ns
from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.measure.part import Steady
from ncu_triage.timeline.measure.savings import Saving
from ncu_triage.timeline.measure.whole import EndToEnd
from ncu_triage.timeline.summary import Beside, Sentence, TimelineSummary

_MOST_KERNELS = 20


def told(one: Beside, profiled: Collection[str]) -> model.Timeline:
    """Return what a diagnosis keeps of a timeline; `profiled` are the report's names."""
    summary, match = one.timeline, one.match
    whole = summary.whole.total_ns
    return model.Timeline(
        source=_source(summary),
        comparable=match.comparable,
        why_not=match.reason,
        confidence=match.confidence,
        order=match.order,
        profiled_pct=100 * match.profiled_share,
        wall=_s(summary.figures.gpu_span_ns),
        profiled_time=_s(ran_ns(match.groups)) if match.comparable else None,
        time=_time(summary.whole),
        gaps=_gaps(summary.figures),
        longest_gaps=_longest(summary),
        host=_host(summary),
        launches=_launches(summary.figures),
        copies=_copies(summary),
        graphs_save=_at_most(summary.graphs_save, whole),
        fusion_saves=_at_most(summary.fusion_saves, whole),
        steady=_steady(summary.steady),
        kernels=_kernels(summary, profiled),
        matched=[_matched(group) for group in match.groups],
        unmatched=[model.UnmatchedKernel(**asdict(group)) for group in match.unmatched],
        real_durations={id: _s(ns) for id, ns in match.real_ns.items()},
        statements=[_statement(each) for each in (*one.sentences, *summary.sentences)],
    )


def _s(nanoseconds: float) -> float:
    return nanoseconds / 1e9


def _maybe(nanoseconds: float | None) -> float | None:
    return None if nanoseconds is None else _s(nanoseconds)


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part


def _source(one: TimelineSummary) -> model.TimelineSource:
    source = one.source
    return model.TimelineSource(
        name=source.name,
        sha256=source.sha256,
        format=source.format,
        producer=source.producer,
        gpus=[described(gpu) for gpu in one.devices],
        complete=source.complete,
        lost_events=source.lost_events,
        notes=list(source.notes),
        resolution=_s(one.resolution_ns),
    )


def _time(whole: EndToEnd) -> model.TimelineTime:
    return model.TimelineTime(
        end_to_end=_s(whole.total_ns),
        kernels=_s(whole.kernels_ns),
        copies_not_overlapped=_s(whole.copies_ns),
        graphs=_s(whole.graphs_ns),
        host_bound=_s(whole.late_ns),
        queued=_s(whole.queued_ns),
        outside=_s(whole.outside_ns),
    )


def _gaps(figures: Figures) -> model.TimelineGaps:
    gaps = figures.gaps
    return model.TimelineGaps(
        gaps=gaps.gaps,
        total=_s(gaps.gap_total_ns),
        median=_maybe(gaps.gap_median_ns),
        p90=_maybe(gaps.gap_p90_ns),
        longest=_maybe(gaps.gap_longest_ns),
        over_5us=gaps.gaps_over_5us,
        over_5us_time=_s(gaps.gaps_over_5us_ns),
        late=gaps.host_late_gaps,
        late_time=_s(gaps.host_late_ns),
        late_over_5us=gaps.host_late_over_5us,
        late_over_5us_time=_s(gaps.host_late_over_5us_ns),
        window=_s(figures.kernels.window_ns),
        idle_pct=_percent(figures.kernels.idle_share),
        empty=_s(gaps.gap_empty_ns),
        late_empty=_s(gaps.host_late_empty_ns),
        unknown_empty=_s(gaps.unknown_empty_ns),
        over_5us_empty=_s(gaps.over_5us_empty_ns),
        late_over_5us_empty=_s(gaps.host_late_over_5us_empty_ns),
        unknown_over_5us_empty=_s(gaps.unknown_over_5us_empty_ns),
    )


def _longest(one: TimelineSummary) -> list[model.LongGap]:
    return [
        model.LongGap(
            begins=_s(gap.begins_ns),
            duration=_s(gap.length_ns),
            late=gap.late,
            before=gap.before,
            after=gap.after,
            copied=_s(gap.copied_ns),
            known=gap.known,
        )
        for gap in one.longest_gaps
    ]


def _host(one: TimelineSummary) -> model.HostTime:
    host = one.host
    return model.HostTime(
        wait=_s(host.wait_ns),
        copy=_s(host.copy_ns),
        allocate=_s(host.allocate_ns),
        load=_s(host.load_ns),
        other=_s(host.other_ns),
        launch=_s(host.launch_ns),
        after_wait=host.after_wait,
        launch_latency=_maybe(host.latency_median_ns),
        stretches=[
            model.HostStretch(
                gpu=each.device,
                begins=_s(each.begins_ns),
                duration=_s(each.length_ns),
                idle=_s(each.idle_ns),
                launches=each.kernels,
            )
            for each in one.stretches
        ],
    )


def _launches(figures: Figures) -> model.TimelineLaunches:
    kernels, launches = figures.kernels, figures.launches
    return model.TimelineLaunches(
        launches=kernels.kernels,
        streams=kernels.streams,
        kernels_summed=_s(kernels.kernel_sum_ns),
        short_pct=_percent(kernels.share_count_lt_10us),
        short_time_pct=_percent(kernels.share_time_lt_10us),
        call_to_start=_maybe(launches.launch_median_ns),
        without_call=kernels.kernels - launches.launches_matched,
        in_graphs=launches.graph_launched,
    )


def _copies(one: TimelineSummary) -> list[model.TimelineCopy]:
    return [
        model.TimelineCopy(
            direction=each.direction,
            pageable=each.pageable,
            copies=each.copies,
            bytes=float(each.bytes),
            time=_s(each.time_ns),
            hidden=_s(each.hidden_ns),
        )
        for each in one.copies
    ]


def _at_most(one: Saving, whole: int) -> model.AtMost:
    return model.AtMost(
        seconds=_s(one.at_most_ns),
        share_pct=100 * one.at_most_ns / whole if whole else 0.0,
        places=one.places,
        launches=one.kernels,
    )


def _steady(one: Steady | None) -> model.SteadyPart | None:
    if one is None:
        return None
    kernels = one.figures.kernels
    return model.SteadyPart(
        name=one.name,
        repetitions=one.repetitions,
        window=_s(kernels.window_ns),
        idle_pct=_percent(kernels.idle_share),
    )


def _kernels(one: TimelineSummary, profiled: Collection[str]) -> list[model.TimelineKernel]:
    return [
        model.TimelineKernel(
            name=each.name,
            profiled=each.name in profiled,
            launches=each.calls,
            time=_s(each.time_ns),
            share_pct=100 * each.share,
        )
        for each in one.kernels[:_MOST_KERNELS]
    ]


def _matched(one: MatchedGroup) -> model.MatchedKernel:
    return model.MatchedKernel(
        group=one.group,
        name=one.name,
        grid=one.grid,
        block=one.block,
        found_by=one.how,
        confidence=one.confidence,
        profiled=one.profiled,
        launches=one.launches,
        time=_s(one.time_ns),
        share_pct=100 * one.share_of_end_to_end,
        busy_pct=100 * one.share_of_busy,
        median=_s(one.median_ns),
        profiled_median=_maybe(one.profiled_median_ns),
        factor=one.factor,
        clock_ratio=one.clock_ratio,
        remarks=list(one.remarks),
    )


def _statement(one: Sentence) -> model.Statement:
    return model.Statement(id=one.id, text=one.text, advice=one.advice, evidence=list(one.evidence))

"""A timeline as its reader sees it: where the end-to-end time goes, gaps, real times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.model import Diagnosis
from ncu_triage.model.timeline import AtMost, LongGap, Timeline
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.clusters import Cluster, share
from ncu_triage.view.header import file_name
from ncu_triage.view.names import shorten
from ncu_triage.view.shown import Fact
from ncu_triage.view.shown_timeline import BoundRow, GapRow, StretchRow, TimelineView, TimePart
from ncu_triage.view.timeline_headline import end_to_end, headline
from ncu_triage.view.timeline_kernels import kernel_rows, kernels_note, unprofiled

# What the statements say, in their order; the others stand in bars and tables here.
_SENTENCES = (
    "no-kernels",
    "one-kernel",
    "idle",
    "steady",
    "host",
    "synchronisation",
    "host-bound",
    "runs-ahead",
    "in-graphs",
    "copies",
)
_CAUTIONS = (
    "file",
    "graphs-untraced",
    "overlap",
    "collectives",
    "no-launch-call",
    "clock-skew",
    "clock-steps",
    "profiler-overhead",
)
_ROUNDING = 1e-6  # percent: what is left of a difference of equal times
_GRAVE = ("file", "graphs-untraced")
_BOUNDS = (
    "Bounds, not estimates: the most that could go if nothing else became slower. They overlap,"
    " so they do not add up, and a profiler slows the host: gaps are longer here than without."
)
_MEANINGS = {
    "kernels": ("Kernels", "at least one kernel ran"),
    "copies": ("Copies not overlapped", "copies and memsets while no kernel ran"),
    "graphs": ("CUDA graphs", "their kernels were not traced"),
    "host": ("Host-bound gaps", "nothing was queued: the host launched the next kernel too late"),
    "queued": (
        "Other gaps",
        "the next kernel was queued and waited for a copy, an event or the driver",
    ),
    "unknown": (
        "Gaps of unknown cause",
        "the file lacks the launch call of the next kernel: queued or not, nothing tells",
    ),
    "outside": ("Idle before and after", "nothing ran: before the first kernel or after the last"),
}


def timeline_view(diagnosis: Diagnosis, found: Sequence[Cluster]) -> TimelineView | None:
    """Arrange a timeline for its reader; None where there is none."""
    one = diagnosis.timeline
    if one is None:
        return None
    parts, bounds = list(_parts(one)), list(_bounds(one))
    gaps, note = _gaps_summary(one), kernels_note(one)
    return TimelineView(
        name=file_name(one.source.name),
        refusal=_refusal(one),
        facts=list(_facts(one)),
        headline=headline(one),
        sentences=_told(one, _SENTENCES),
        parts=parts,
        gaps_summary=gaps,
        gaps=_gaps(one, found),
        stretches=_stretches(one),
        kernels=kernel_rows(one, found),
        kernels_note=note,
        unprofiled=unprofiled(one, found),
        bounds=bounds,
        bounds_note=_BOUNDS,
        cautions=_told(one, _CAUTIONS),
        in_short=list(_in_short(one, parts, bounds)),
    )


def _refusal(one: Timeline) -> str | None:
    if one.comparable:
        return None
    return (
        f"The timeline is not comparable with this report: {one.why_not}. Nothing of it is"
        " joined, and what to fix is ranked by the report's own time."
    )


def _told(one: Timeline, ids: Sequence[str]) -> list[str]:
    """Return statements of some ids, with what they advise."""
    return [
        f"{each.text} {each.advice}" if each.advice else each.text
        for each in one.statements
        if each.id in ids
    ]


def _facts(one: Timeline) -> Iterator[Fact]:
    launches = one.launches
    yield Fact("Timeline", file_name(one.source.name))
    if one.source.producer:
        yield Fact("Recorded by", one.source.producer)
    if one.source.gpus:
        yield Fact("GPU", "; ".join(dict.fromkeys(one.source.gpus)))
    gpus = len(one.source.gpus)
    together = f" ({show(one.time.end_to_end, 's')} of {gpus} GPUs together)" if gpus > 1 else ""
    wall = one.time.end_to_end if one.wall is None else one.wall
    yield Fact("First GPU work to last", f"{show(wall, 's')}{together}")
    if launches.launches:
        streams = words.count(launches.streams, "stream")
        yield Fact("Launches", f"{launches.launches:,} on {streams}")
    if launches.short_pct is not None:
        part = percent(launches.short_time_pct or 0.0)
        text = (
            f"{percent(launches.short_pct)} of launches take less than 10 µs: {part} of kernel time"
            if launches.short_pct
            else "no launch takes less than 10 µs"
        )
        yield Fact("Launch-bound share", text)
    if one.host.launch_latency is not None:
        yield Fact("Launch into an empty queue", f"{show(one.host.launch_latency, 's')} (median)")


def _parts(one: Timeline) -> Iterator[TimePart]:
    """Yield the parts that there are, in the order of the bar."""
    time, unknown = one.time, one.gaps.unknown_empty or 0.0
    seconds = {
        "kernels": time.kernels,
        "copies": time.copies_not_overlapped,
        "graphs": time.graphs,
        "host": time.host_bound,
        "queued": max(0.0, time.queued - unknown),
        "unknown": min(unknown, time.queued),
        "outside": time.outside,
    }
    for kind, part in seconds.items():
        fill = share(part, time.end_to_end)
        if part and fill is not None:
            label, meaning = _MEANINGS[kind]
            yield TimePart(kind, label, meaning, fill, percent(fill), show(part, "s"))


def _gaps_summary(one: Timeline) -> str | None:
    gaps = one.gaps
    if not gaps.gaps or gaps.median is None or gaps.p90 is None or gaps.longest is None:
        return None
    told = ", ".join(_reasons(one))
    return (
        f"{words.count(gaps.gaps, 'gap')} between kernels: median {show(gaps.median, 's')},"
        f" P90 {show(gaps.p90, 's')}, longest {show(gaps.longest, 's')}. {gaps.over_5us:,} above"
        f" 5 µs, {show(gaps.over_5us_time, 's')} in all{f': {told}' if told else ''}."
    )


def _reasons(one: Timeline) -> Iterator[str]:
    """Say what the gaps above 5 µs were, in parts of their time."""
    gaps = one.gaps
    whole, empty, late = gaps.over_5us_time, gaps.over_5us_empty, gaps.late_over_5us_empty
    unknown = gaps.unknown_over_5us_empty
    if empty is None or late is None or unknown is None:
        empty, late, unknown = whole, gaps.late_over_5us_time, 0.0
    told = (
        (whole - empty, _other(one)),
        (late, "nothing queued, because the host launched late"),
        (empty - late - unknown, "work queued that waited"),
        (unknown, "of unknown cause"),
    )
    for seconds, text in told:
        if (part := share(seconds, whole)) is not None and part > _ROUNDING:
            yield f"{percent(part)} {text}"


def _other(one: Timeline) -> str:
    return "copies or graphs" if one.time.graphs else "copies"


def _why(gap: LongGap, other: str) -> str:
    """Say what kept the next kernel, and how much of the gap was no idle time at all."""
    why = "nothing queued" if gap.late else "work queued"
    if not gap.known:
        why = "unknown: its launch call is not in the file"
    part = share(gap.copied, gap.duration) or 0.0
    return f"{percent(part)} {other}; {why}" if part > _ROUNDING else why


def _gaps(one: Timeline, found: Sequence[Cluster]) -> list[GapRow]:
    mine = {cluster.group.name: cluster.name.short for cluster in found}

    def called(name: str) -> str:
        return mine.get(name) or shorten(name)

    return [
        GapRow(
            begins=show(gap.begins, "s"),
            duration=show(gap.duration, "s"),
            why=_why(gap, _other(one)),
            before=called(gap.before),
            after=called(gap.after),
        )
        for gap in one.longest_gaps
    ]


def _stretches(one: Timeline) -> list[StretchRow]:
    return [
        StretchRow(
            begins=show(each.begins, "s"),
            duration=show(each.duration, "s"),
            idle=f"{show(each.idle, 's')} ({percent(share(each.idle, each.duration) or 0.0)})",
            launches=f"{each.launches:,}",
        )
        for each in one.host.stretches
    ]


def _bounds(one: Timeline) -> Iterator[BoundRow]:
    graphs, fused = one.graphs_save, one.fusion_saves
    late = words.count(graphs.launches, "late launch")
    chains = words.count(fused.places, "chain")
    told = (
        (
            "CUDA graphs",
            graphs,
            f"the gaps before {late}, without copies and what other calls waited for",
        ),
        (
            "Fusion",
            fused,
            f"the gaps in {chains} of short kernels, and of neighbours of one launch shape all but"
            " the longest",
        ),
    )
    for label, bound, text in told:
        if bound.seconds:
            yield _bound(label, bound, text)


def _bound(label: str, bound: AtMost, text: str) -> BoundRow:
    part = bound.share_pct
    return BoundRow(label, show(bound.seconds, "s"), percent(part), min(100.0, part), text)


def _in_short(
    one: Timeline, parts: Sequence[TimePart], bounds: Sequence[BoundRow]
) -> Iterator[str]:
    """Say it in a few lines; a refusal stands among the notes."""
    if not one.comparable:
        return
    if parts:
        told = ", ".join(f"{part.share} {part.label}" for part in parts)
        yield f"Of the {end_to_end(one)}: {told}."
    if (note := kernels_note(one)) and (one.unmatched or one.confidence == "low"):
        yield note
    if summary := _gaps_summary(one):
        yield summary
    if bounds:
        told = ", ".join(f"{one.label} {one.at_most} ({one.share})" for one in bounds)
        yield f"Could save at most (bounds, not estimates): {told}."
    yield from _told(one, _GRAVE)

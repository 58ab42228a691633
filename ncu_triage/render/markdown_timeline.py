"""A timeline in the ticket: where the end-to-end time goes, gaps, kernels, bounds."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.render.letters import glue
from ncu_triage.render.marked import bullets, code, prose, table
from ncu_triage.view.shown_timeline import RealKernelRow, TimelineView

_KERNELS = 15


def timeline(one: TimelineView) -> Iterator[str]:
    """Write the part about the timeline; of a refused one the reason, and the rest folded."""
    yield "### On the timeline"
    if one.refusal:
        yield f"**{prose(one.refusal)}**"
        yield _kernels(one)
        inner = "\n\n".join(block for block in (*_alone(one), *_gaps(one)) if block)
        summary = "<summary>What the timeline says of itself</summary>"
        yield f"<details>{summary}\n\n{inner}\n\n</details>"
        return
    yield from _alone(one)
    yield _kernels(one)
    yield from _gaps(one)


def _alone(one: TimelineView) -> Iterator[str]:
    yield prose(one.headline)
    yield " · ".join(f"{fact.label}: {prose(fact.text)}" for fact in one.facts)
    if one.parts:
        rows = [(part.label, part.share, part.time, prose(part.meaning)) for part in one.parts]
        yield table(("Part", "Share", "Time", "What happened"), rows, right=(1, 2))
    yield bullets(map(prose, one.sentences))
    yield bullets(f"*{prose(caution)}*" for caution in one.cautions)


def _kernels(one: TimelineView) -> str:
    if not one.kernels:
        return ""
    header = ("Profiled kernel", "Share", "Time", "n", "Median", "Profiled", "Factor", "Match")
    rows = table(header, map(_row, one.kernels[:_KERNELS]), right=(1, 2, 3, 4, 5, 6))
    left = len(one.kernels) - _KERNELS
    more = f"*{left} more are not listed.*" if left > 0 else ""
    notes = " ".join(prose(text) for text in (one.kernels_note, one.unprofiled) if text)
    return "\n\n".join(block for block in (notes, rows, more) if block)


def _row(row: RealKernelRow) -> list[str]:
    name = f"{code(row.name.short)}<br>{row.shape}" if row.shape else code(row.name.short)
    told = row.missing or " ".join((f"{row.confidence} confidence.", *row.remarks))
    numbers = (row.share, row.time, row.launches, row.median, row.profiled, row.factor)
    return [name, *map(glue, numbers), prose(told)]


def _gaps(one: TimelineView) -> Iterator[str]:
    if one.gaps_summary:
        yield prose(one.gaps_summary)
        header = ("Gap begins at", "Lasts", "Why", "After", "Before")
        rows = [
            (gap.begins, gap.duration, gap.why, code(gap.before), code(gap.after))
            for gap in one.gaps
        ]
        yield table(header, rows, right=(0, 1))
    if one.stretches:
        heads = ("Host-bound stretch begins at", "Lasts", "Idle", "Late launches")
        stretches = [(s.begins, s.duration, s.idle, s.launches) for s in one.stretches]
        yield table(heads, stretches, right=(0, 1, 2, 3))
    if one.bounds:
        yield bullets(
            f"{each.label} could save **at most {each.at_most}** ({each.share}):"
            f" {prose(each.rests_on)}"
            for each in one.bounds
        )
        yield prose(one.bounds_note)

"""Arrange a Comparison for its readers, once, for every output; nothing is judged here."""

from __future__ import annotations

from collections.abc import Mapping

from ncu_triage.compare.comparison import (
    Alone,
    Change,
    Comparison,
    FindingChange,
    KernelChange,
    Launches,
    Measure,
    Movement,
    Side,
)
from ncu_triage.gate.gated import Gated
from ncu_triage.render.comparison_gate import gate_view
from ncu_triage.render.comparison_headline import headline, sentences, title, totals
from ncu_triage.render.comparison_shown import (
    AloneRow,
    CaveatView,
    ComparisonView,
    FindingLine,
    KernelRow,
    Measured,
    Move,
    Reason,
    TimeRow,
)
from ncu_triage.render.comparison_words import (
    ARROW,
    fate_text,
    full_name,
    match_text,
    measured,
    shape,
    tone_of,
)
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.names import short_names
from ncu_triage.view.shown import Fact

_UNKNOWN = "unknown"


def comparison_view(comparison: Comparison, gated: Gated | None = None) -> ComparisonView:
    """Arrange and format a comparison, and the gate that it was held against."""
    short = short_names(_all_names(comparison))
    return ComparisonView(
        title=title(comparison),
        facts=_facts(comparison),
        headline=headline(comparison),
        sentences=sentences(comparison),
        caveats=[CaveatView(c.text, c.effect, c.refuses) for c in comparison.caveats],
        totals=totals(comparison),
        times=_times(comparison.before, comparison.after),
        kernels=[_kernel(kernel, short) for kernel in comparison.kernels],
        only_before=[_alone(one, short) for one in comparison.only_before],
        only_after=[_alone(one, short) for one in comparison.only_after],
        gate=gate_view(gated, short, whole=bool(comparison.kernels))
        if gated and gated.rows
        else None,
        tool=f"ncu-triage {comparison.after.tool}",
    )


def _all_names(comparison: Comparison) -> list[str]:
    """Return the full names as outputs and gate rows know them."""
    launches = [side for kernel in comparison.kernels for side in (kernel.after, kernel.before)]
    launches += [one.launches for one in (*comparison.only_before, *comparison.only_after)]
    return [name for one in launches for name in (full_name(one), one.demangled or one.name)]


def _facts(comparison: Comparison) -> list[Fact]:
    """Say what both sides are; what is the same stands once."""
    before, after = comparison.before, comparison.after
    told = (
        ("GPU", "; ".join(before.devices), "; ".join(after.devices)),
        ("Nsight Compute", ", ".join(before.ncu_versions), ", ".join(after.ncu_versions)),
        ("Launches", f"{before.launches:,}", f"{after.launches:,}"),
    )
    return [
        Fact(label, mine if mine == yours else f"{mine or _UNKNOWN} {ARROW} {yours or _UNKNOWN}")
        for label, mine, yours in told
        if mine or yours
    ]


def _times(before: Side, after: Side) -> list[TimeRow]:
    """Return each bottleneck's time on both sides, the longest first."""
    mine, yours = before.time_by_bottleneck, after.time_by_bottleneck
    kinds = sorted(
        mine.keys() | yours.keys(), key=lambda k: (-max(mine.get(k, 0.0), yours.get(k, 0.0)), k)
    )
    return [
        TimeRow(words.mark(k), show(mine.get(k, 0.0), "s"), show(yours.get(k, 0.0), "s"))
        for k in kinds
    ]


def _kernel(kernel: KernelChange, short: Mapping[str, str]) -> KernelRow:
    before, after = kernel.before, kernel.after
    kinds = list(dict.fromkeys((before.bottleneck.kind, after.bottleneck.kind)))
    mine, yours = short[full_name(before)], short[full_name(after)]
    shapes = list(
        dict.fromkeys(s for side in (before, after) if (s := shape(side.grid, side.block)))
    )
    counts = list(dict.fromkeys((f"{before.launches:,}", f"{after.launches:,}")))
    return KernelRow(
        name=yours,
        full=full_name(after),
        renamed=mine if mine != yours else None,
        shape=f" {ARROW} ".join(filter(None, shapes)),
        launches=f" {ARROW} ".join(counts),
        measures=_measures(kernel),
        saved=_saved(kernel.saved),
        share=percent(kernel.share_pct) if kernel.share_pct is not None else _UNKNOWN,
        marks=[words.mark(kind) for kind in kinds],
        confidences=_confidences(before, after),
        match=match_text(kernel.match),
        findings=[_finding(f) for f in kernel.findings if f.fate != "kept"],
        reasons=[
            Reason(theme.label, tone_of(theme.helps), [_move(m) for m in theme.movements])
            for theme in kernel.explanation
        ],
        units=[_move(movement) for movement in kernel.units],
        notes=kernel.notes,
    )


def _measures(kernel: KernelChange) -> list[Measured]:
    """Return time and cycles, the one to judge by first."""
    told: tuple[tuple[Measure, str, Change | None], ...] = (
        ("time", "Time per launch", kernel.time),
        ("cycles", "Cycles per launch", kernel.cycles),
    )
    ordered = sorted(told, key=lambda one: one[0] != kernel.measure)
    return [measured(change, measure, label) for measure, label, change in ordered if change]


def _confidences(before: Launches, after: Launches) -> str:
    both = dict.fromkeys((before.bottleneck.confidence, after.bottleneck.confidence))
    return f"{f' {ARROW} '.join(both)} confidence"


def _saved(seconds: float | None) -> str:
    if seconds is None:
        return _UNKNOWN
    text = show(abs(seconds), "s")
    return f"{text} less" if seconds > 0 else f"{text} more" if seconds < 0 else "no difference"


def _finding(change: FindingChange) -> FindingLine:
    fate, tone = fate_text(change.fate)
    severity = change.after or change.before or "info"
    return FindingLine(
        fate, "neutral" if severity == "info" else tone, change.rule, change.title, severity
    )


def _move(movement: Movement) -> Move:
    return Move(
        label=movement.label,
        before=show(movement.before, movement.unit),
        after=show(movement.after, movement.unit),
        basis=words.of_what(movement.basis),
        tone=tone_of(movement.helps),
    )


def _alone(one: Alone, short: Mapping[str, str]) -> AloneRow:
    launches = one.launches
    return AloneRow(
        name=short[full_name(launches)],
        full=full_name(launches),
        shape=shape(launches.grid, launches.block),
        launches=f"{launches.launches:,}",
        time=show(launches.total, "s") if launches.total is not None else _UNKNOWN,
        mark=words.mark(launches.bottleneck.kind),
    )

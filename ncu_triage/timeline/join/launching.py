"""The finding about launch overhead, which a profile can only guess, beside the true gaps."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from msgspec.structs import replace

from ncu_triage.model import CatalogueEntry, Evidence, Finding, KernelDiagnosis
from ncu_triage.model.timeline import Statement
from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.say.words import count, share, time

_RULE, _KIND = "launch-overhead", "launch-dominated"
# What the rule guesses of the cost of a launch; the gaps tell it.
_GUESSED = ("launch_cost", "launch_cost_pct")
_MATTERS = 0.05  # of the time from first to last kernel: as much as the rule itself asks for
_COST = (
    "Launching a kernel takes the host 2 to 5 µs, and costs the GPU time where it waits for that."
)
_WINDOW = "first to last kernel on the timeline"


def entries() -> Mapping[str, CatalogueEntry]:
    """Describe the numbers of the timeline that the finding carries as evidence."""
    return {
        "timeline_gaps_over_5us": CatalogueEntry(
            unit="", label="Gaps above 5 µs between kernels", formula="count, on the timeline"
        ),
        "timeline_gap_time": CatalogueEntry(
            unit="s",
            label="Time in gaps between kernels",
            formula="sum, on the timeline, without copies",
        ),
        "timeline_gap_pct": CatalogueEntry(
            unit="%",
            label="Time in gaps between kernels",
            formula="100 * timeline_gap_time / time from first to last kernel",
            basis=_WINDOW,
        ),
        "timeline_late_gap_time": CatalogueEntry(
            unit="s",
            label="Time in gaps with nothing queued",
            formula="sum of the gaps closed by a kernel that was launched after they began,"
            " without copies",
        ),
    }


def with_true_gaps(found: Finding, figures: Figures) -> Finding:
    """Add what the gaps really take; a guess that they do not bear out is no advice."""
    part = _part(figures)
    if found.rule != _RULE or part is None:
        return found
    refuted = part < _MATTERS
    return replace(
        found,
        severity="info" if refuted else found.severity,
        cause=f"{_COST} {_true_cost(figures, part)}",
        evidence=[
            *(row for row in found.evidence if row.quantity not in _GUESSED),
            *_evidence(figures, part),
        ],
        remedies=[] if refuted else found.remedies,
    )


def with_true_verdict(
    one: KernelDiagnosis, figures: Figures, matched: Collection[int]
) -> KernelDiagnosis:
    """Take back the confidence of a verdict about launching that the gaps do not bear out."""
    part = _part(figures)
    told = one.bottleneck
    if told.kind != _KIND or one.group not in matched or part is None or part >= _MATTERS:
        return one
    doubt = (
        f"On the timeline launching costs little: all gaps between kernels take {share(part)} of"
        " the time from the first to the last."
    )
    return replace(
        one, bottleneck=replace(told, confidence="low", sentence=f"{told.sentence} {doubt}")
    )


def doubts(figures: Figures) -> Statement:
    """Say once what speaks against all verdicts about launching."""
    return Statement(
        id="launching",
        text="They hardly wait for their launches there: all gaps between kernels take"
        f" {share(_part(figures) or 0.0)} of the time from the first to the last.",
    )


def _part(figures: Figures) -> float | None:
    """Return the gaps' part of the time, without copies; one kernel has no gaps."""
    window = figures.kernels.window_ns
    known = window and figures.kernels.kernels > 1
    return figures.gaps.gap_empty_ns / window if known else None


def _true_cost(figures: Figures, part: float) -> str:
    gaps = figures.gaps
    took = f"{time(gaps.gap_empty_ns)}, {share(part)} of the time from the first kernel to the last"
    if part < _MATTERS:
        return f"The timeline does not bear that out: all gaps between kernels take {took}."
    return (
        f"The timeline shows the gaps: they take {took}, {count(gaps.gaps_over_5us, 'gap')} are"
        f" above 5 µs, and for {time(gaps.host_late_empty_ns)} nothing was queued."
    )


def _evidence(figures: Figures, part: float) -> Iterator[Evidence]:
    gaps = figures.gaps
    values = (
        ("timeline_gaps_over_5us", float(gaps.gaps_over_5us)),
        ("timeline_gap_time", gaps.gap_empty_ns / 1e9),
        ("timeline_gap_pct", 100 * part),
        ("timeline_late_gap_time", gaps.host_late_empty_ns / 1e9),
    )
    known = entries()
    for id, value in values:
        entry = known[id]
        yield Evidence(quantity=id, value=value, unit=entry.unit, basis=entry.basis)

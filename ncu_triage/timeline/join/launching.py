"""The finding about launch overhead, which a profile can only guess, beside the true gaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ncu_triage.model import CatalogueEntry, Evidence, Finding
from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.say.words import count, share, time

_RULE = "launch-overhead"
_MATTERS = 0.05  # of the time from first to last kernel: as much as the rule itself asks for
_WINDOW = "first to last kernel on the timeline"


def entries() -> Mapping[str, CatalogueEntry]:
    """Describe the numbers of the timeline that the finding carries as evidence."""
    return {
        "timeline_gaps_over_5us": CatalogueEntry(
            unit="", label="Gaps above 5 µs between kernels", formula="count, on the timeline"
        ),
        "timeline_gap_time": CatalogueEntry(
            unit="s", label="Time in gaps between kernels", formula="sum, on the timeline"
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
            formula="sum of the gaps closed by a kernel that was launched after they began",
        ),
    }


def with_true_gaps(found: Finding, figures: Figures) -> Finding:
    """Add what the gaps really take; a guess that they do not bear out is no advice."""
    window = figures.kernels.window_ns
    if found.rule != _RULE or not window:
        return found
    part = figures.gaps.gap_total_ns / window
    return replace(
        found,
        severity=found.severity if part >= _MATTERS else "info",
        cause=f"{found.cause} {_true_cost(figures, part)}",
        evidence=[*found.evidence, *_evidence(figures, part)],
    )


def _true_cost(figures: Figures, part: float) -> str:
    gaps = figures.gaps
    took = f"{time(gaps.gap_total_ns)}, {share(part)} of the time from the first kernel to the last"
    if part < _MATTERS:
        return f"The timeline does not bear that out: all gaps between kernels take {took}."
    return (
        f"The timeline shows the gaps: they take {took}, {count(gaps.gaps_over_5us, 'gap')} are"
        f" above 5 µs, and for {time(gaps.host_late_ns)} nothing was queued."
    )


def _evidence(figures: Figures, part: float) -> Iterator[Evidence]:
    gaps = figures.gaps
    values = (
        ("timeline_gaps_over_5us", float(gaps.gaps_over_5us)),
        ("timeline_gap_time", gaps.gap_total_ns / 1e9),
        ("timeline_gap_pct", 100 * part),
        ("timeline_late_gap_time", gaps.host_late_ns / 1e9),
    )
    known = entries()
    for id, value in values:
        entry = known[id]
        yield Evidence(quantity=id, value=value, unit=entry.unit, basis=entry.basis)

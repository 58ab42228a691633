"""The launches that a finding about the whole report speaks of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ncu_triage.model import Diagnosis, Finding, Part
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.book import Book
from ncu_triage.view.clusters import Cluster, shape
from ncu_triage.view.findings import finding_views, undecided_rules, undecided_view
from ncu_triage.view.shown import FindingView, GainView, Name, PartsView, PartView, UndecidedView

_MOST = 6
_NAMED = 4


def whole_findings(diagnosis: Diagnosis, found: Sequence[Cluster], book: Book) -> list[FindingView]:
    """Return the findings about the whole report, each with the launches behind it."""
    by_launch = {launch.id: cluster for cluster in found for launch in cluster.launches}
    by_rule = {finding.rule: finding for finding in diagnosis.findings}
    total = diagnosis.totals.duration

    def told(view: FindingView) -> FindingView:
        finding = by_rule[view.rule]
        return replace(
            view,
            gain=_gain(view.gain, finding, total),
            parts=_parts(finding.parts, by_launch, book),
            consequences=[told(one) for one in view.consequences],
        )

    return [told(view) for view in finding_views(diagnosis.findings, book)]


def undecided_views(
    diagnosis: Diagnosis, found: Sequence[Cluster], book: Book
) -> list[UndecidedView]:
    """Return what is open on kernels, then what is open on the report as a whole."""
    whole = [undecided_view(rule, book, len(found)) for rule in diagnosis.undecided]
    all_time = percent(100.0) if diagnosis.totals.duration else None
    return [*undecided_rules(found, book), *(replace(one, share=all_time) for one in whole)]


def _gain(gain: GainView | None, finding: Finding, total: float | None) -> GainView | None:
    """Say what part of the whole time a fix could save; what saves nothing is not told."""
    if gain is None or finding.gain is None or not finding.gain.at_most_pct or not total:
        return None
    likely, most = (
        show(total * part / 100, "s")
        for part in (finding.gain.expected_pct, finding.gain.at_most_pct)
    )
    time = f"{likely}, at most {most} of {show(total, 's')}"
    return replace(gain, of="the time of the whole report", time=time)


def _parts(parts: Sequence[Part], found: Mapping[str, Cluster], book: Book) -> PartsView | None:
    if not parts:
        return None
    rest = parts[_MOST:]
    text = None
    if rest:
        seconds = sum(part.time or 0.0 for part in rest)
        launches = sum(len(part.kernels) for part in rest)
        text = f"And {len(rest):,} more: {words.count(launches, 'launch')}, {show(seconds, 's')}."
    return PartsView([_part(part, found, book) for part in parts[:_MOST]], text)


def _part(part: Part, found: Mapping[str, Cluster], book: Book) -> PartView:
    clusters = list({c.group.id: c for id in part.kernels if (c := found.get(id))}.values())
    names: dict[str, Name] = {c.name.short: c.name for c in reversed(clusters)}
    inside = list(reversed(names.values()))
    numbers = [f"{book.label(e.quantity)} {_value(e.value, e.unit)}" for e in part.evidence]
    return PartView(
        kernels=inside[:_NAMED],
        more=max(0, len(inside) - _NAMED),
        between=" → " if part.sequence else ", ",
        shape=shape(clusters[0].group) if len(clusters) == 1 else "",
        launches=words.count(len(part.kernels), "launch"),
        share=_share(part),
        numbers="; ".join([*numbers, *_against(part, found)]),
    )


def _value(value: float | str, unit: str) -> str:
    return value if isinstance(value, str) else show(value, unit)


def _share(part: Part) -> str:
    time = show(part.time, "s") if part.time is not None else "time unknown"
    return f"{time}, {percent(part.share_pct)}" if part.share_pct is not None else time


def _against(part: Part, found: Mapping[str, Cluster]) -> list[str]:
    """Name the launch that a part is held against, by its shape."""
    cluster = found.get(part.against or "")
    if cluster is None:
        return []
    median = cluster.group.duration.median
    time = f": {show(median, 's')} a launch" if median is not None else ""
    return [f"against {shape(cluster.group) or cluster.name.short}{time}"]

"""Findings as a reader sees them, each below the one that causes it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from ncu_triage.model import Evidence, Finding, Gain, KernelDiagnosis, NvidiaRule, Undecided, Where
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.book import Book, number, origin
from ncu_triage.view.clusters import Cluster, share
from ncu_triage.view.header import file_name
from ncu_triage.view.shown import (
    EvidenceRow,
    FindingView,
    GainView,
    NvidiaView,
    Place,
    UndecidedView,
)

# NVIDIA writes links into its texts: @section:ID:label@, @url:label:link@.
_LINK = re.compile(r"@(section|url|source|sass):([^:@]*):([^@]*)@")


def finding_views(
    findings: Sequence[Finding], book: Book, kernel: KernelDiagnosis | None = None
) -> list[FindingView]:
    """Return the findings in their order, consequences below their cause.

    A cause that did not fire, or a circle of causes, leaves a finding at the top: each
    one appears exactly once.
    """
    below: dict[int, list[int]] = defaultdict(list)
    roots: list[int] = []
    for i in range(len(findings)):
        cause = _cause(i, findings)
        (roots if cause is None else below[cause]).append(i)
    seconds = number(kernel, "duration") if kernel else None

    def view(i: int) -> FindingView:
        return _view(findings[i], book, kernel, seconds, [view(j) for j in below[i]])

    return [view(i) for i in roots]


def _cause(i: int, findings: Sequence[Finding]) -> int | None:
    """Return the finding that a finding follows from, unless that leads back to it."""
    by_rule = {f.rule: j for j, f in reversed(list(enumerate(findings)))}
    cause = by_rule.get(findings[i].because_of or "")
    step, seen = cause, {i}
    while step is not None and step not in seen:
        seen.add(step)
        step = by_rule.get(findings[step].because_of or "")
    return cause if step is None else None


def _view(
    finding: Finding,
    book: Book,
    kernel: KernelDiagnosis | None,
    seconds: float | None,
    consequences: list[FindingView],
) -> FindingView:
    return FindingView(
        rule=finding.rule,
        severity=finding.severity,
        confidence=finding.confidence,
        title=finding.title,
        cause=words.sentence(finding.cause),
        evidence=[_evidence(row, book, kernel) for row in finding.evidence],
        remedies=finding.remedies,
        gain=_gain(finding.gain, seconds, kernel.workload if kernel else "kernel"),
        places=[_place(where) for where in finding.where],
        nvidia=[nvidia_text(text) for text in finding.nvidia],
        consequences=consequences,
    )


def _evidence(row: Evidence, book: Book, kernel: KernelDiagnosis | None) -> EvidenceRow:
    source = book.origin(kernel, row.quantity) if kernel else origin(book.entry(row.quantity))
    told = words.of_what(row.basis)
    if kernel and book.rough(kernel, row.quantity):
        told = ", ".join(filter(None, (told, words.ESTIMATED)))
    return EvidenceRow(
        label=book.label(row.quantity),
        value=row.value if isinstance(row.value, str) else show(row.value, row.unit),
        limit=_limit(row),
        basis=told,
        origin=source,
    )


def _limit(row: Evidence) -> str | None:
    if row.operator is None or row.threshold is None:
        return None
    return f"{words.OPERATORS.get(row.operator, row.operator)} {show(row.threshold, row.unit)}"


def _gain(gain: Gain | None, seconds: float | None, workload: str) -> GainView | None:
    if gain is None:
        return None
    expected, at_most = gain.expected_pct, gain.at_most_pct
    time = None
    if seconds is not None:
        likely, most = (show(seconds * part / 100, "s") for part in (expected, at_most))
        time = f"{likely}, at most {most} of {show(seconds, 's')} a launch"
    of = f"the {words.workload(workload)}'s time"
    return GainView(percent(expected), percent(at_most), gain.limited_by, time, of)


def _place(where: Where) -> Place:
    line = f":{where.line}" if where.line is not None else ""
    file = f"{file_name(where.file)}{line}" if where.file else ""
    code = "  ".join(part for part in (file, where.sass) if part)
    return Place(code or "unknown place", percent(100 * where.share))


def nvidia_text(text: str) -> str:
    """Put the labels in place of the links that NVIDIA writes into its texts."""
    return _LINK.sub(lambda m: m[2] if m[1] == "url" else m[3].rpartition(":")[2], text)


def nvidia_view(rule: NvidiaRule) -> NvidiaView:
    """Show a message of NVIDIA's with its estimate, which is no promise of ours."""
    estimate = None
    if rule.speedup_pct is not None:
        scope = f", {rule.scope}" if rule.scope in ("local", "global") else ""
        estimate = f"{percent(rule.speedup_pct)}{scope}"
    return NvidiaView(rule.title or rule.rule, nvidia_text(rule.text), estimate)


def undecided_view(rule: Undecided, book: Book, kernels: int = 1) -> UndecidedView:
    """Name what a rule lacks, and how to collect it."""
    missing = ", ".join(book.label(id) for id in rule.missing)
    title = words.rule_name(rule.rule)
    return UndecidedView(rule.rule, title, missing, rule.collect, kernels, None)


def undecided_rules(found: Sequence[Cluster], book: Book) -> list[UndecidedView]:
    """Put the kernels' undecided rules together, those of the most time first."""
    total = sum(cluster.seconds or 0.0 for cluster in found)
    open_for: dict[tuple[str, str], list[tuple[Cluster, Undecided]]] = defaultdict(list)
    for cluster in found:
        for rule in cluster.speaker.undecided:
            open_for[rule.rule, rule.collect].append((cluster, rule))
    rows = []
    for hits in open_for.values():
        seconds = sum(cluster.seconds or 0.0 for cluster, _ in hits)
        missing = dict.fromkeys(id for _, rule in hits for id in rule.missing)
        first = hits[0][1]
        names = ", ".join(book.label(id) for id in missing)
        part = share(seconds, total)
        text = percent(part) if part is not None else None
        title = words.rule_name(first.rule)
        row = UndecidedView(first.rule, title, names, first.collect, len(hits), text)
        rows.append((seconds, row))
    return [row for _, row in sorted(rows, key=lambda row: (-row[0], row[1].rule))]

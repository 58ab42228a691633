"""SARIF 2.1.0: findings for code scanning, and what a gate says beside them.

A result is a rule that fired on a kernel; the launches of it are counted, not repeated.
Where no line of code is known, the report itself is the place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ncu_triage.compare.comparison import Comparison, FindingChange, Launches
from ncu_triage.gate.acknowledged import Acknowledged
from ncu_triage.gate.gated import Gated
from ncu_triage.gate.rows import WHOLE, About
from ncu_triage.model import Diagnosis, Finding, KernelDiagnosis
from ncu_triage.render.comparison_gate import about_text
from ncu_triage.render.sarif_log import (
    KIND_AND_LEVEL,
    Json,
    fingerprint,
    gate_results,
    log,
    place,
    text,
)
from ncu_triage.units import show
from ncu_triage.view.header import file_name

_FATES = {"new": "new", "gone": "absent", "kept": "unchanged"}


def render(diagnosis: Diagnosis, gated: Gated | None = None) -> bytes:
    """Write the findings of a report, the acknowledged ones as suppressed."""
    source = _source([source.name for source in diagnosis.sources])
    results = [*_of_kernels(diagnosis, source), *_of_the_whole(diagnosis, source)]
    results += gate_results(gated, source)
    return log(diagnosis.tool.version, _suppressed(results, gated), gated)


def render_comparison(comparison: Comparison, gated: Gated | None = None) -> bytes:
    """Write the findings of both reports, each with what became of it."""
    source = _source(comparison.after.sources)
    results = [
        _of_change(finding, _about(launches), source)
        for launches, findings in _changed(comparison)
        for finding in findings
        if finding.fate in _FATES
    ]
    results += [
        _of_change(finding, About(name=WHOLE), source)
        for finding in comparison.report.findings
        if finding.fate in _FATES
    ]
    results += gate_results(gated, source)
    return log(comparison.after.tool, _suppressed(results, gated), gated)


def _source(names: Sequence[str]) -> str:
    return file_name(names[0]) if names else "report"


def _of_kernels(diagnosis: Diagnosis, source: str) -> Iterator[Json]:
    """Return one result for each rule of each kernel."""
    sources = [file_name(one.name) for one in diagnosis.sources]
    seen: dict[tuple[int, str], list[tuple[KernelDiagnosis, Finding]]] = {}
    for kernel in diagnosis.kernels:
        for finding in kernel.findings:
            seen.setdefault((kernel.group, finding.rule), []).append((kernel, finding))
    for cases in seen.values():
        kernel, finding = cases[0]
        about = About(name=kernel.demangled or kernel.name, grid=kernel.grid, block=kernel.block)
        own = _of_report(kernel.id, sources) or source
        yield _of_finding(finding, about, own) | {"occurrenceCount": len(cases)}


def _of_report(id: str, sources: Sequence[str]) -> str | None:
    """Return the file that a launch is from: its id begins with the file's number."""
    first = id.partition("/")[0]
    return sources[int(first)] if first.isdecimal() and int(first) < len(sources) else None


def _of_the_whole(diagnosis: Diagnosis, source: str) -> Iterator[Json]:
    for finding in diagnosis.findings:
        yield _of_finding(finding, About(name=WHOLE), source)


def _of_finding(finding: Finding, about: About, source: str) -> Json:
    kind, level = KIND_AND_LEVEL[finding.severity]
    first = finding.where[0] if finding.where else None
    file = file_name(first.file) if first and first.file else None
    told = [finding.title, finding.cause, *finding.remedies[:1]]
    properties: Json = {
        "severity": finding.severity,
        "confidence": finding.confidence,
        "evidence": [_evidence(one.quantity, one.value, one.unit) for one in finding.evidence],
    }
    if finding.gain:
        properties["expectedSavingPct"] = round(finding.gain.expected_pct, 2)
        properties["atMostSavingPct"] = round(finding.gain.at_most_pct, 2)
    return {
        "ruleId": finding.rule,
        "kind": kind,
        "level": level,
        "message": text(f"{about_text(about)}: {' '.join(map(_sentence, told))}"),
        "locations": [place(about, file or source, first.line if file and first else None)],
        "partialFingerprints": fingerprint(finding.rule, about),
        "properties": properties,
    }


def _changed(comparison: Comparison) -> Iterator[tuple[Launches, list[FindingChange]]]:
    for kernel in comparison.kernels:
        yield kernel.after, [*kernel.findings, *kernel.occasional]
    for alone in (*comparison.only_before, *comparison.only_after):
        yield alone.launches, [*alone.findings, *alone.occasional]


def _about(launches: Launches) -> About:
    name = launches.demangled or launches.name
    return About(name=name, grid=launches.grid, block=launches.block)


def _of_change(finding: FindingChange, about: About, source: str) -> Json:
    kind, level = KIND_AND_LEVEL[finding.after or finding.before or "info"]
    moved = finding.fate == "kept" and finding.before != finding.after
    return {
        "ruleId": finding.rule,
        "kind": kind,
        "level": level,
        "message": text(f"{about_text(about)}: {_sentence(finding.title)}"),
        "locations": [place(about, source, None)],
        "partialFingerprints": fingerprint(finding.rule, about),
        "baselineState": "updated" if moved else _FATES[finding.fate],
        "properties": {
            "severity": finding.after or finding.before,
            "evidence": [_evidence(one.quantity, one.value, one.unit) for one in finding.evidence],
        },
    }


def _suppressed(results: Sequence[Json], gated: Gated | None) -> list[Json]:
    """Mark what is acknowledged; all others say that they are not, as SARIF wants it."""
    entries = gated.acknowledged if gated else []
    if not entries:
        return list(results)
    return [result | {"suppressions": _suppressions(result, entries)} for result in results]


def _suppressions(result: Json, entries: Sequence[Acknowledged]) -> list[Json]:
    rule: str = result["ruleId"]
    kernel: str = result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]
    condition = rule.removeprefix("gate/") if rule.startswith("gate/") else ""
    return [
        {
            "kind": "external",
            "status": "accepted",
            "justification": f"{entry.reason} (until {entry.expires})",
        }
        for entry in entries
        if entry.covers(condition=condition, rule=None if condition else rule, kernel=kernel)
    ]


def _evidence(quantity: str, value: Any, unit: str) -> str:
    return f"{quantity} {value if isinstance(value, str) else show(value, unit)}"


def _sentence(words: str) -> str:
    words = words.strip()
    return words if words.endswith((".", "!", "?", "…")) else f"{words}."

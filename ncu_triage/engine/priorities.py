"""Rank what to fix by the seconds it could save over the whole report.

Gains of one kernel are never added up: each priority stands for one cause, and fixing
one changes what the others are worth.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model import Finding, KernelDiagnosis, Priority, TimeSaved

# Less than this share of the whole is nothing to fix first, in percent.
_WORTHWHILE = 0.5


class _Part(NamedTuple):
    """What one rule could save on one kernel, in seconds."""

    kernel: KernelDiagnosis
    finding: Finding
    expected: float
    at_most: float


def priorities(
    kernels: Sequence[KernelDiagnosis], findings: Sequence[Finding] = ()
) -> list[Priority]:
    """Rank the causes by expected seconds; those with nothing to expect are left out.

    `findings` are those about the whole, whose gains are of the time in all launches. What
    two of them say of the same launches counts once, where more is to be expected.
    """
    parts: dict[str, list[_Part]] = defaultdict(list)
    for kernel in kernels:
        for part in _parts(kernel):
            parts[part.finding.rule].append(part)
    total = sum(_seconds(kernel) for kernel in kernels)
    ranked = [_priority(rule, found, total) for rule, found in parts.items()]
    ranked += _once([_of_whole(f, total) for f in findings if f.gain and f.severity != "info"])
    worthwhile = [p for p in ranked if p.share_pct >= _WORTHWHILE]
    return sorted(worthwhile, key=lambda p: (-p.time_saved.expected, p.rule))


def _parts(kernel: KernelDiagnosis) -> list[_Part]:
    seconds = _seconds(kernel)
    return [
        _Part(
            kernel,
            finding,
            seconds * finding.gain.expected_pct / 100,
            seconds * finding.gain.at_most_pct / 100,
        )
        for finding in kernel.findings
        if finding.gain and finding.because_of is None and finding.severity != "info"
    ]


def _priority(rule: str, parts: list[_Part], total: float) -> Priority:
    largest = max(parts, key=lambda part: part.expected)
    expected = sum(part.expected for part in parts)
    at_most = sum(part.at_most for part in parts)
    return Priority(
        rule=rule,
        title=largest.finding.title,
        kernels=[part.kernel.id for part in sorted(parts, key=lambda p: -p.expected)],
        confidence=largest.finding.confidence,
        time_saved=TimeSaved(expected=expected, at_most=at_most),
        share_pct=100 * expected / total if total else 0.0,
    )


def _once(priorities: list[Priority]) -> list[Priority]:
    """Leave out priorities most of whose launches one with more to expect speaks of."""
    kept: list[Priority] = []
    taken: set[str] = set()
    for one in sorted(priorities, key=lambda p: (-p.time_saved.expected, p.rule)):
        shared = sum(id in taken for id in one.kernels)
        if 2 * shared <= len(one.kernels):
            kept.append(one)
            taken |= set(one.kernels)
    return kept


def _of_whole(finding: Finding, total: float) -> Priority:
    """Make a priority of a finding about the whole: its launches, those of most time first."""
    parts = sorted(finding.parts, key=lambda part: -(part.time or 0.0))
    expected, at_most = (
        (finding.gain.expected_pct, finding.gain.at_most_pct) if finding.gain else (0.0, 0.0)
    )
    return Priority(
        rule=finding.rule,
        title=finding.title,
        kernels=[id for part in parts for id in part.kernels],
        confidence=finding.confidence,
        time_saved=TimeSaved(expected=total * expected / 100, at_most=total * at_most / 100),
        share_pct=expected,
    )


def _seconds(kernel: KernelDiagnosis) -> float:
    duration = kernel.quantities.get("duration")
    return duration if isinstance(duration, float) else 0.0

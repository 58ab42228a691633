"""What conditions are held against: kernels with what was measured and found of them.

A diagnosis, a comparison and the nights of a history all come down to these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from ncu_triage.compare.comparison import BottleneckChange, Change, Measure
from ncu_triage.compare.reports import lost_of
from ncu_triage.gate.rows import WHOLE, About
from ncu_triage.model import (
    SEVERITIES,
    Diagnosis,
    Evidence,
    Finding,
    KernelDiagnosis,
    RuleFailure,
    Severity,
    Undecided,
)

UNKNOWN = "insufficient-data"
NO_TIME = "it has no time"
NO_BOTTLENECK = "the report does not suffice to judge it"
NOT_COLLECTED = "undecided: its numbers were not collected"
NO_EARLIER = "there is no earlier run to compare with"


class Found(Struct, frozen=True, kw_only=True):
    """A finding of a kernel; `new` where the run before did not have it.

    `unsure` where that is not known, because the rule was undecided there.
    """

    rule: str
    severity: Severity
    title: str
    evidence: list[Evidence]
    new: bool = False
    unsure: bool = False


class Subject(Struct, frozen=True, kw_only=True):
    """A kernel, or a report as a whole, as the conditions see it.

    What nothing is known of stays empty. `no_time` and `no_bottleneck` say why there is
    none, where that is so; `alone` why there is nothing to compare it with; `guessed` how
    it was recognised, where it may be another kernel; `lost` what of the report could not
    be read. `rules` are those that judged it (None: nobody says), `undecided` those of them
    that came to no end, with the reason; `others` are rules that are not about such a thing.
    `settled` is a night of before: what needs two results was judged then.
    """

    about: About
    no_time: str | None = None
    no_bottleneck: str | None = None
    findings: list[Found] = field(default_factory=list)
    undecided: Mapping[str, str] = field(default_factory=dict)
    rules: list[str] | None = None
    others: list[str] | None = None
    alone: str | None = NO_EARLIER
    change: Change | None = None
    overall: Change | None = None
    measure: Measure | None = None
    bottleneck: BottleneckChange | None = None
    guessed: str | None = None
    lost: str | None = None
    why: list[str] = field(default_factory=list)
    settled: bool = False


class Subjects(Struct, frozen=True, kw_only=True):
    """The kernels, and each report as a whole.

    `barred` says why the two results must not be compared, where that is so. `totals` are the
    wholes of several results, for what is said of the whole.
    """

    kernels: list[Subject]
    reports: list[Subject] = field(default_factory=list)
    barred: str | None = None
    totals: list[Subject] = field(default_factory=list)


def of_diagnosis(diagnosis: Diagnosis, source: str | None = None) -> Subjects:
    """Return the kernels of a report, its launches put together, and the report itself.

    `source` names the file in the rows, where there are several.
    """
    members: dict[int, list[KernelDiagnosis]] = {}
    for kernel in diagnosis.kernels:
        members.setdefault(kernel.group, []).append(kernel)
    tool = diagnosis.tool
    whole = Subject(
        about=About(name=WHOLE, source=source),
        findings=[_of_finding(f) for f in diagnosis.findings],
        undecided=open_rules(diagnosis.undecided, diagnosis.rule_errors, diagnosis.findings),
        rules=tool.report_rules,
        others=tool.kernel_rules,
        lost=lost_of(diagnosis.sources),
    )
    kernels = [_of_launches(k, source, diagnosis) for k in members.values()]
    return Subjects(kernels=kernels, reports=[whole])


def together(parts: Sequence[Subjects]) -> Subjects:
    """Join the kernels of several results, and what was found of each as a whole."""
    return Subjects(
        kernels=[kernel for part in parts for kernel in part.kernels],
        reports=[report for part in parts for report in part.reports],
    )


def open_rules(
    undecided: Sequence[Undecided], failed: Sequence[RuleFailure], fired: Sequence[Finding]
) -> dict[str, str]:
    """Return why rules came to no end, by rule; one that fired somewhere did."""
    told = dict.fromkeys((item.rule for item in undecided), NOT_COLLECTED)
    told |= {error.rule: rule_failed(error.message) for error in failed}
    for finding in fired:
        told.pop(finding.rule, None)
    return dict(sorted(told.items()))


def rule_failed(message: str) -> str:
    """Say that a rule broke: no number is missing."""
    return f"undecided: the rule failed: {message}"


def gravest(launches: Sequence[KernelDiagnosis]) -> list[Finding]:
    """Return each rule's gravest finding of some launches; the first of equals."""
    found: dict[str, Finding] = {}
    for kernel in launches:
        for finding in kernel.findings:
            best = found.get(finding.rule)
            if best is None or rank(finding.severity) < rank(best.severity):
                found[finding.rule] = finding
    return list(found.values())


def rank(severity: Severity) -> int:
    """Return the place of a severity, the gravest first."""
    return SEVERITIES.index(severity)


def _of_launches(
    launches: Sequence[KernelDiagnosis], source: str | None, diagnosis: Diagnosis
) -> Subject:
    first, findings = launches[0], gravest(launches)
    undecided = [item for kernel in launches for item in kernel.undecided]
    failed = [error for kernel in launches for error in kernel.rule_errors]
    kinds = {kernel.bottleneck.kind for kernel in launches}
    timed = any("duration" in kernel.quantities for kernel in launches)
    name = first.demangled or first.name
    return Subject(
        about=About(name=name, source=source, grid=first.grid, block=first.block),
        no_time=None if timed else NO_TIME,
        no_bottleneck=NO_BOTTLENECK if kinds == {UNKNOWN} else None,
        findings=[_of_finding(f) for f in findings],
        undecided=open_rules(undecided, failed, findings),
        rules=diagnosis.tool.kernel_rules,
        others=diagnosis.tool.report_rules,
    )


def _of_finding(finding: Finding) -> Found:
    return Found(
        rule=finding.rule,
        severity=finding.severity,
        title=finding.title,
        evidence=finding.evidence,
    )

"""What conditions are held against: kernels with what was measured and found of them.

A diagnosis, a comparison and the nights of a history all come down to these.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from ncu_triage.compare.comparison import (
    Alone,
    BottleneckChange,
    Change,
    Comparison,
    FindingChange,
    KernelChange,
    Launches,
    Measure,
)
from ncu_triage.gate.rows import WHOLE, About
from ncu_triage.model import Diagnosis, Evidence, Finding, KernelDiagnosis, Severity

_UNKNOWN = "insufficient-data"
_NO_TIME = "it has no time"
_NO_BOTTLENECK = "the report does not suffice to judge it"
_VANISHED, ONLY_AFTER = "only BEFORE has it", "only AFTER has it"
NO_EARLIER = "there is no earlier run to compare with"


class Found(Struct, frozen=True, kw_only=True):
    """A finding of a kernel; `new` where the run before did not have it."""

    rule: str
    severity: Severity
    title: str
    evidence: list[Evidence]
    new: bool = False


class Subject(Struct, frozen=True, kw_only=True):
    """A kernel as the conditions see it; what nothing is known of stays empty.

    `no_time` and `no_bottleneck` say why there is none, where that is so; `alone` why
    there is nothing to compare it with.
    """

    about: About
    no_time: str | None = None
    no_bottleneck: str | None = None
    findings: list[Found] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    alone: str | None = NO_EARLIER
    change: Change | None = None
    measure: Measure | None = None
    bottleneck: BottleneckChange | None = None
    why: list[str] = field(default_factory=list)


class Subjects(Struct, frozen=True, kw_only=True):
    """The kernels, and the whole where there is a change of it.

    `barred` says why the two results must not be compared, where that is so.
    """

    kernels: list[Subject]
    whole: Subject | None = None
    barred: str | None = None


def of_diagnosis(diagnosis: Diagnosis, source: str | None = None) -> Subjects:
    """Return the kernels of a report, its launches put together, and the report itself.

    `source` names the file in the rows, where there are several.
    """
    members: dict[int, list[KernelDiagnosis]] = {}
    for kernel in diagnosis.kernels:
        members.setdefault(kernel.group, []).append(kernel)
    whole = Subject(about=About(name=WHOLE, source=source), findings=_found(diagnosis.findings))
    kernels = [_of_launches(launches, source) for launches in members.values()]
    return Subjects(kernels=kernels, whole=whole)


def together(parts: Sequence[Subjects]) -> Subjects:
    """Join the kernels of several results, and what was found of each as a whole."""
    kernels = [kernel for part in parts for kernel in part.kernels]
    return Subjects(kernels=kernels + [p.whole for p in parts if p.whole and p.whole.findings])


def of_comparison(comparison: Comparison) -> Subjects:
    """Return the kernels of both reports; one that has vanished has nothing to judge."""
    totals = comparison.totals
    whole = Subject(
        about=About(name=WHOLE),
        no_time=None if totals.change else "no kernel has a time on both sides",
        alone=None,
        change=totals.change,
        measure=totals.measure,
    )
    gone = [
        Subject(
            about=_about(one.launches),
            no_time=_VANISHED,
            no_bottleneck=_VANISHED,
            alone=_VANISHED,
        )
        for one in comparison.only_before
    ]
    new = [_unpaired(one) for one in comparison.only_after]
    kernels = [*map(_of_change, comparison.kernels), *new, *gone]
    return Subjects(kernels=kernels, whole=whole, barred=_barred(comparison))


def _barred(comparison: Comparison) -> str | None:
    """Say why the runs are not comparable; mere cautions bar nothing."""
    reasons = [caveat.text for caveat in comparison.caveats if caveat.refuses]
    if not reasons:
        return None
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"not comparable: {reasons[0].removesuffix('.')}{more}"


def _of_launches(launches: Sequence[KernelDiagnosis], source: str | None) -> Subject:
    first = launches[0]
    name = first.demangled or first.name
    findings = {f.rule: f for kernel in reversed(launches) for f in kernel.findings}
    undecided = {item.rule for kernel in launches for item in kernel.undecided}
    undecided |= {error.rule for kernel in launches for error in kernel.rule_errors}
    kinds = {kernel.bottleneck.kind for kernel in launches}
    timed = any("duration" in kernel.quantities for kernel in launches)
    return Subject(
        about=About(name=name, source=source, grid=first.grid, block=first.block),
        no_time=None if timed else _NO_TIME,
        no_bottleneck=_NO_BOTTLENECK if kinds == {_UNKNOWN} else None,
        findings=_found(list(findings.values())),
        undecided=sorted(undecided - findings.keys()),
    )


def _of_change(kernel: KernelChange) -> Subject:
    before, after, match = kernel.before, kernel.after, kernel.match
    unknown = _UNKNOWN in (before.bottleneck.kind, after.bottleneck.kind)
    guess = f"matched with {match.confidence} confidence ({match.how.replace('-', ' ')})"
    return Subject(
        about=_about(after),
        no_time=None if kernel.change else _NO_TIME,
        no_bottleneck=_NO_BOTTLENECK if unknown else None,
        findings=[_of_finding(f) for f in kernel.findings if f.after is not None],
        undecided=kernel.undecided,
        alone=None,
        change=kernel.change,
        measure=kernel.measure,
        bottleneck=kernel.bottleneck,
        why=[] if match.confidence == "high" else [guess],
    )


def _unpaired(one: Alone) -> Subject:
    """A kernel that only AFTER has: its findings are new, its time has no earlier one."""
    unknown = one.launches.bottleneck.kind == _UNKNOWN
    return Subject(
        about=_about(one.launches),
        no_time=_NO_TIME if one.launches.median is None else None,
        no_bottleneck=_NO_BOTTLENECK if unknown else None,
        findings=[_of_finding(f) for f in one.findings],
        undecided=one.undecided,
        alone=ONLY_AFTER,
    )


def _about(launches: Launches) -> About:
    name = launches.demangled or launches.name
    return About(name=name, grid=launches.grid, block=launches.block)


def _of_finding(change: FindingChange) -> Found:
    return Found(
        rule=change.rule,
        severity=change.after or "info",
        title=change.title,
        evidence=change.evidence,
        new=change.fate == "new",
    )


def _found(findings: Sequence[Finding]) -> list[Found]:
    return [
        Found(rule=f.rule, severity=f.severity, title=f.title, evidence=f.evidence)
        for f in findings
    ]

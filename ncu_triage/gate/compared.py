"""What conditions are held against of a comparison: the kernels of both sides, and AFTER."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ncu_triage.compare.comparison import (
    Alone,
    Comparison,
    FindingChange,
    KernelChange,
    Launches,
    Match,
    Side,
)
from ncu_triage.gate.rows import WHOLE, About
from ncu_triage.gate.subjects import (
    NO_BOTTLENECK,
    NO_TIME,
    NOT_COLLECTED,
    UNKNOWN,
    Found,
    Subject,
    Subjects,
    rule_failed,
)

_VANISHED, ONLY_AFTER = "only BEFORE has it", "only AFTER has it"
_GUESS = "low"


def of_comparison(comparison: Comparison) -> Subjects:
    """Return the kernels of both reports; one that has vanished has nothing to judge."""
    side = comparison.after
    gone = [
        Subject(
            about=_about(one.launches),
            no_time=_VANISHED,
            no_bottleneck=_VANISHED,
            undecided=dict.fromkeys(side.kernel_rules or [], _VANISHED),
            rules=side.kernel_rules,
            others=side.report_rules,
            alone=_VANISHED,
        )
        for one in comparison.only_before
    ]
    new = [_unpaired(one, side) for one in comparison.only_after]
    kernels = [*(_of_change(one, side) for one in comparison.kernels), *new, *gone]
    return Subjects(kernels=kernels, reports=[_whole(comparison)], barred=_barred(comparison))


def _whole(comparison: Comparison) -> Subject:
    """Return the whole: its time, what was found of all of AFTER, and what is lost."""
    totals, report, side = comparison.totals, comparison.report, comparison.after
    lost = [
        f"{name}: {one.lost}"
        for name, one in (("BEFORE", comparison.before), ("AFTER", side))
        if one.lost
    ]
    return Subject(
        about=About(name=WHOLE),
        no_time=None if totals.change else "no kernel has a time on both sides",
        findings=[_of_finding(f) for f in report.findings if f.after is not None],
        undecided=_undecided(report.undecided, report.failed),
        rules=side.report_rules,
        others=side.kernel_rules,
        alone=None,
        change=totals.change,
        overall=totals.overall,
        measure=totals.measure,
        lost="; ".join(lost) or None,
    )


def _barred(comparison: Comparison) -> str | None:
    """Say why the runs are not comparable; mere cautions bar nothing."""
    reasons = [caveat.text for caveat in comparison.caveats if caveat.refuses]
    if not reasons:
        return None
    more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
    return f"not comparable: {reasons[0].removesuffix('.')}{more}"


def _of_change(kernel: KernelChange, side: Side) -> Subject:
    before, after, match = kernel.before, kernel.after, kernel.match
    unknown = UNKNOWN in (before.bottleneck.kind, after.bottleneck.kind)
    how = _how(match)
    findings = [*kernel.findings, *kernel.occasional]
    return Subject(
        about=_about(after),
        no_time=None if kernel.change else NO_TIME,
        no_bottleneck=NO_BOTTLENECK if unknown else None,
        findings=[_of_finding(f) for f in findings if f.after is not None],
        undecided=_undecided(kernel.undecided, kernel.failed),
        rules=side.kernel_rules,
        others=side.report_rules,
        alone=None,
        change=kernel.change,
        measure=kernel.measure,
        bottleneck=kernel.bottleneck,
        guessed=how if match.confidence == _GUESS else None,
        why=[] if match.confidence == "high" else [how],
    )


def _how(match: Match) -> str:
    return f"matched with {match.confidence} confidence ({match.how.replace('-', ' ')})"


def _unpaired(one: Alone, side: Side) -> Subject:
    """A kernel that only AFTER has: its findings are new, its time has no earlier one."""
    unknown = one.launches.bottleneck.kind == UNKNOWN
    return Subject(
        about=_about(one.launches),
        no_time=NO_TIME if one.launches.median is None else None,
        no_bottleneck=NO_BOTTLENECK if unknown else None,
        findings=[_of_finding(f) for f in (*one.findings, *one.occasional)],
        undecided=_undecided(one.undecided, one.failed),
        rules=side.kernel_rules,
        others=side.report_rules,
        alone=ONLY_AFTER,
    )


def _undecided(rules: Sequence[str], failed: Mapping[str, str]) -> dict[str, str]:
    return dict.fromkeys(rules, NOT_COLLECTED) | {
        rule: rule_failed(why) for rule, why in failed.items()
    }


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
        unsure=change.fate == "undecided",
    )

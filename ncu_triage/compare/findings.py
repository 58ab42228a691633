"""Which findings went, which came, and which can no longer be decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from ncu_triage.compare.comparison import BottleneckChange, Fate, FindingChange
from ncu_triage.compare.match import Pair
from ncu_triage.compare.runs import Run
from ncu_triage.model import SEVERITIES, Diagnosis, Finding, KernelDiagnosis

Judged: TypeAlias = Sequence[KernelDiagnosis | Diagnosis]
_ORDER: Sequence[Fate] = ("new", "gone", "undecided", "kept")


def finding_changes(pair: Pair) -> list[FindingChange]:
    """Hold the findings that most launches have against each other, gravest first in a fate."""
    return _held(pair, _usual(pair.before) | _usual(pair.after))


def occasional_changes(pair: Pair) -> list[FindingChange]:
    """Return what only few launches after have: one in a hundred may be the one that matters."""
    usual = _usual(pair.before) | _usual(pair.after)
    return _held(pair, _any(pair.after).keys() - usual)


def _held(pair: Pair, rules: Collection[str]) -> list[FindingChange]:
    """Say what became of rules; what any launch of a side has, this side has."""
    before, after = pair.before.launches, pair.after.launches
    # One launch that was decided before is enough to say that a finding is new.
    sides = _never_decided(before), undecided(after)
    return _changes(rules, _any(pair.before), _any(pair.after), sides)


def report_changes(before: Diagnosis, after: Diagnosis) -> list[FindingChange]:
    """Hold the findings about the reports as a whole against each other."""
    mine, yours = ({f.rule: f for f in side.findings} for side in (before, after))
    return _changes(
        mine.keys() | yours.keys(), mine, yours, (undecided([before]), undecided([after]))
    )


def _changes(
    rules: Collection[str],
    before: Mapping[str, Finding],
    after: Mapping[str, Finding],
    undecided: Sequence[Collection[str]],
) -> list[FindingChange]:
    found = []
    for rule in rules:
        mine, yours = before.get(rule), after.get(rule)
        fate = _fate(mine, yours, rule in undecided[1 if mine else 0])
        found.append(_change(rule, fate, mine, yours))
    return sorted(found, key=_rank)


def findings_of(run: Run, fate: Fate) -> list[FindingChange]:
    """Return the findings of a kernel that the other side does not have."""
    usual = _usual(run)
    return _only({rule: found for rule, found in _any(run).items() if rule in usual}, fate)


def occasional_of(run: Run, fate: Fate) -> list[FindingChange]:
    """Return those of them that only few launches have."""
    usual = _usual(run)
    return _only({rule: found for rule, found in _any(run).items() if rule not in usual}, fate)


def _only(found: Mapping[str, Finding], fate: Fate) -> list[FindingChange]:
    new = fate == "new"
    changes = [
        _change(rule, fate, None if new else finding, finding if new else None)
        for rule, finding in found.items()
    ]
    return sorted(changes, key=_rank)


def undecided(judged: Judged) -> list[str]:
    """Name the rules that could not be decided, for want of numbers or by a failure.

    A rule that fired on any of the launches has been decided.
    """
    open_ = {item.rule for one in judged for item in one.undecided}
    return sorted((open_ | failed(judged).keys()) - _fired(judged))


def _never_decided(judged: Judged) -> set[str]:
    return set.intersection(*(set(undecided([one])) for one in judged)) - _fired(judged)


def failed(judged: Judged) -> dict[str, str]:
    """Return the messages of the rules whose evaluation failed."""
    told = {error.rule: error.message for one in judged for error in one.rule_errors}
    return {rule: told[rule] for rule in sorted(told.keys() - _fired(judged))}


def _fired(judged: Judged) -> set[str]:
    return {finding.rule for one in judged for finding in one.findings}


def bottleneck_change(pair: Pair) -> BottleneckChange | None:
    """Say what limits the kernel instead; too little data on a side is no change."""
    before, after = pair.before.speaker.bottleneck, pair.after.speaker.bottleneck
    kinds = {before.kind, after.kind}
    if len(kinds) == 1 or "insufficient-data" in kinds:
        return None
    sure = "low" not in (before.confidence, after.confidence)
    usual = _kind(pair.before) == before.kind and _kind(pair.after) == after.kind
    return BottleneckChange(before=before.kind, after=after.kind, sure=sure and usual)


def _usual(run: Run) -> set[str]:
    """Return the rules that fire on most launches: one in a hundred is noise."""
    counts = Counter(finding.rule for kernel in run.launches for finding in kernel.findings)
    own = {finding.rule for finding in run.speaker.findings}
    half = len(run.launches) / 2
    return {
        rule for rule, count in counts.items() if count > half or (count == half and rule in own)
    }


def _any(run: Run) -> dict[str, Finding]:
    """Return the gravest finding of each rule that any launch has."""
    found: dict[str, Finding] = {}
    for kernel in run.launches:
        for finding in kernel.findings:
            best = found.setdefault(finding.rule, finding)
            if SEVERITIES.index(finding.severity) < SEVERITIES.index(best.severity):
                found[finding.rule] = finding
    return found


def _kind(run: Run) -> str:
    """Return the bottleneck that most launches have."""
    return Counter(kernel.bottleneck.kind for kernel in run.launches).most_common(1)[0][0]


def _fate(before: Finding | None, after: Finding | None, undecided: bool) -> Fate:
    if before and after:
        return "kept"
    if undecided:
        return "undecided"
    return "gone" if before else "new"


def _change(rule: str, fate: Fate, before: Finding | None, after: Finding | None) -> FindingChange:
    finding = after or before
    assert finding is not None
    return FindingChange(
        rule=rule,
        fate=fate,
        title=finding.title,
        before=before.severity if before else None,
        after=after.severity if after else None,
        evidence=finding.evidence,
    )


def _rank(change: FindingChange) -> tuple[int, int, str]:
    severity = change.after or change.before or "info"
    return _ORDER.index(change.fate), SEVERITIES.index(severity), change.rule

"""Which findings went, which came, and which can no longer be decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ncu_triage.compare.comparison import BottleneckChange, Fate, FindingChange
from ncu_triage.compare.match import Pair
from ncu_triage.compare.runs import Run
from ncu_triage.model import SEVERITIES, Finding

_ORDER: Sequence[Fate] = ("new", "gone", "undecided", "kept")


def finding_changes(pair: Pair) -> list[FindingChange]:
    """Hold the findings of two kernels against each other, gravest first within a fate."""
    before, after = _usual(pair.before), _usual(pair.after)
    open_before, open_after = undecided(pair.before), undecided(pair.after)
    found = []
    for rule in before.keys() | after.keys():
        mine, yours = before.get(rule), after.get(rule)
        lost = open_after if mine else open_before
        fate = _fate(mine, yours, rule in lost)
        found.append(_change(rule, fate, mine, yours))
    return sorted(found, key=_rank)


def findings_of(run: Run, fate: Fate) -> list[FindingChange]:
    """Return the findings of a kernel that the other side does not have."""
    found = _usual(run)
    new = fate == "new"
    changes = [
        _change(rule, fate, None if new else finding, finding if new else None)
        for rule, finding in found.items()
    ]
    return sorted(changes, key=_rank)


def undecided(run: Run) -> list[str]:
    """Name the rules that could not be decided, for want of numbers or by a failure."""
    speaker = run.speaker
    fired = {finding.rule for finding in speaker.findings}
    failed = {error.rule for error in speaker.rule_errors}
    return sorted(({item.rule for item in speaker.undecided} | failed) - fired)


def bottleneck_change(pair: Pair) -> BottleneckChange | None:
    """Say what limits the kernel instead; too little data on a side is no change."""
    before, after = pair.before.speaker.bottleneck, pair.after.speaker.bottleneck
    kinds = {before.kind, after.kind}
    if len(kinds) == 1 or "insufficient-data" in kinds:
        return None
    sure = "low" not in (before.confidence, after.confidence)
    usual = _kind(pair.before) == before.kind and _kind(pair.after) == after.kind
    return BottleneckChange(before=before.kind, after=after.kind, sure=sure and usual)


def _usual(run: Run) -> Mapping[str, Finding]:
    """Return the findings that most launches have: one in a hundred is noise."""
    counts: Counter[str] = Counter()
    last: dict[str, Finding] = {}
    for kernel in run.launches:
        for finding in kernel.findings:
            counts[finding.rule] += 1
            last[finding.rule] = finding
    own = {finding.rule: finding for finding in run.speaker.findings}
    half = len(run.launches) / 2
    return {
        rule: own.get(rule, last[rule])
        for rule, count in counts.items()
        if count > half or (count == half and rule in own)
    }


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

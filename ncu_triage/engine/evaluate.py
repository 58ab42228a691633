"""Hold every rule against a kernel's numbers: finding, silent, undecided, or failed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import eq, ge, gt, le, lt
from types import MappingProxyType
from typing import NamedTuple, cast

from cel_expr_python import cel
from msgspec.structs import replace

from ncu_triage.engine.compile import CompiledRule
from ncu_triage.engine.conditions import decide, measure
from ncu_triage.engine.gain import ASSUMED, ESTIMATED, Achievable, by_lost_time, by_waste
from ncu_triage.engine.kept import Shown
from ncu_triage.engine.owner import owner, remedies_for
from ncu_triage.engine.rule import Rule
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.engine.text import fill
from ncu_triage.engine.whole.theme import Case
from ncu_triage.engine.workload import about, about_this, look_inside
from ncu_triage.errors import RuleError
from ncu_triage.model import (
    Confidence,
    Evidence,
    Finding,
    Gain,
    Part,
    RuleFailure,
    Severity,
    Undecided,
)

# A finding is not graver than what fixing it is expected to save, in percent of the
# kernel's time; without an estimate the rule's own severity stands.
_WORTH: tuple[tuple[float, Severity], ...] = ((20.0, "high"), (8.0, "medium"), (3.0, "low"))
# Nobody acts on more than three things at once; the rest is there to be unfolded.
MOST_ASSERTED = 3
_ORDER: tuple[Severity, ...] = ("high", "medium", "low", "info")
_LOWER: dict[Confidence, Confidence] = {"high": "medium", "medium": "low", "low": "low"}

_COMPARE = {">=": ge, "<=": le, ">": gt, "<": lt, "==": eq}

Values = Mapping[str, float | str]


class Facts(NamedTuple):
    """What is known of a kernel or a report, and what is beside the point for it.

    `inapplicable` names quantities that cannot exist here, such as bank conflicts
    without shared memory: a rule that needs one of them does not apply. `achievable` is
    what the units can reach, where that was measured. `cases` are the launches behind a
    report's numbers, by theme. `rough` are the numbers that are only estimates.
    """

    values: Values
    inapplicable: frozenset[str] = frozenset()
    nvidia: Mapping[str, list[str]] = MappingProxyType({})
    achievable: Achievable = ASSUMED
    cases: Mapping[str, Sequence[Case]] = MappingProxyType({})
    rough: frozenset[str] = frozenset()


class Outcome(NamedTuple):
    """What the rules say of one kernel, most worthwhile finding first."""

    findings: list[Finding]
    undecided: list[Undecided]
    failures: list[RuleFailure]


def evaluate(rules: RuleSet, scope: str, facts: Facts) -> Outcome:
    """Evaluate all rules of a scope; `facts.nvidia` has NVIDIA's messages by rule id."""
    outcome = Outcome([], [], [])
    activation = rules.language.values(facts.values)
    for item in rules.rules:
        if not item.judges(scope):
            continue
        try:
            result = _judge(rules, item, facts, activation)
        except RuleError as error:
            outcome.failures.append(RuleFailure(rule=item.rule.id, message=str(error)))
            continue
        if isinstance(result, Undecided):
            outcome.undecided.append(result)
        elif result is not None:
            outcome.findings.append(_with_nvidia(result, item, facts.nvidia))
    restating = frozenset(item.rule.id for item in rules.rules if item.rule.alone)
    ordered = _ordered(_linked(rules, outcome.findings), restating)
    findings = _folded(rules, ordered, restating)
    return Outcome(findings, outcome.undecided, outcome.failures)


def _judge(
    rules: RuleSet, item: CompiledRule, facts: Facts, activation: cel.Activation
) -> Finding | Undecided | None:
    values = facts.values
    fires = decide(item.when, activation)
    if fires is None:
        if not facts.inapplicable.isdisjoint(item.rule.needs):
            return None
        missing = [name for name in item.rule.needs if name not in values]
        return Undecided(rule=item.rule.id, missing=missing, collect=item.rule.collect)
    if not fires:
        return None
    exceptions = [decide(condition, activation) for condition in item.unless]
    if True in exceptions:
        return None
    doubt = None in exceptions or bool(item.doubtful and decide(item.doubtful, activation))
    finding = _finding(rules, item, facts, activation, doubt)
    cases = facts.cases.get(item.rule.parts or "", ())
    parts = [_part(rules, one, values.get("total_duration")) for one in cases]
    return replace(finding, parts=parts) if parts else finding


def _finding(
    rules: RuleSet, item: CompiledRule, facts: Facts, activation: cel.Activation, doubt: bool
) -> Finding:
    rule, values = item.rule, facts.values
    gain = _gain(item, facts, activation)
    doubt = doubt or not facts.rough.isdisjoint(rule.needs) or _is_rough(gain)
    workload = str(values.get("workload", "kernel"))
    return Finding(
        rule=rule.id,
        severity=_severity(rule, gain),
        confidence=_LOWER[rule.confidence] if doubt else rule.confidence,
        title=about(fill(rule.title, values, rules.unit), workload),
        cause=about(fill(rule.cause, values, rules.unit), workload),
        because_of=None,
        evidence=[e for shown in item.evidence if (e := _evidence(rules, shown, values))],
        remedies=[
            *look_inside(workload),
            *(
                about_this(fill(text, values, rules.unit), workload)
                for text in _remedies(rule, values)
            ),
        ],
        gain=gain,
    )


def _is_rough(gain: Gain | None) -> bool:
    return gain is not None and gain.limited_by.endswith(ESTIMATED)


def _part(rules: RuleSet, case: Case, total: float | str | None) -> Part:
    """Make a finding's part of a case: its share of the time, and its own numbers."""
    shown = (Shown(name, None, None) for name in case.numbers)
    return Part(
        kernels=case.kernels,
        time=case.seconds,
        share_pct=100 * case.seconds / total if total and isinstance(total, float) else None,
        evidence=[e for one in shown if (e := _evidence(rules, one, case.numbers))],
        sequence=case.sequence,
        against=case.against,
    )


def _remedies(rule: Rule, values: Values) -> list[str]:
    """Choose the remedies by who owns the kernel.

    A report as a whole has no owner, and how it was measured is in the user's own hand.
    """
    name = values.get("demangled")
    if not isinstance(name, str) or rule.concerns == "measurement":
        return rule.remedies
    return remedies_for(owner(name), rule.remedies, rule.remedies_library)


def _gain(item: CompiledRule, facts: Facts, activation: cel.Activation) -> Gain | None:
    """Estimate by wasted work and by lost time, and take what promises more."""
    model = item.rule.gain
    if model is None:
        return None
    # Only units are looked up in it, and those are numbers.
    numbers = cast(Mapping[str, float], facts.values)
    reach, estimates = facts.achievable, []
    remaining = {
        unit: min(1.0, max(0.0, share))
        for unit, expression in item.remaining.items()
        if (share := measure(expression, activation)) is not None
    }
    if model.waste_in:
        estimates.append(by_waste(numbers, model.waste_in, remaining, reach, facts.rough))
    if item.lost is not None and (lost := measure(item.lost, activation)) is not None:
        estimates.append(
            by_lost_time(
                numbers,
                lost,
                likely=model.likely,
                idle_sms=model.idle_sms,
                remaining=remaining,
                achievable=reach,
                rough=facts.rough,
            )
        )
    found = [gain for gain in estimates if gain]
    return max(found, key=lambda gain: gain.expected_pct, default=None)


def _severity(rule: Rule, gain: Gain | None) -> Severity:
    if gain is None:
        return rule.severity
    worth: Severity = next((s for least, s in _WORTH if gain.expected_pct >= least), "info")
    return _ORDER[min(_ORDER.index(rule.least), _ORDER.index(_milder(rule.severity, worth)))]


def _milder(one: Severity, other: Severity) -> Severity:
    return _ORDER[max(_ORDER.index(one), _ORDER.index(other))]


def _evidence(rules: RuleSet, shown: Shown, values: Values) -> Evidence | None:
    value = values.get(shown.quantity)
    if value is None:
        return None
    entry = rules.entries.get(shown.quantity)
    # A limit that this value does not meet is no evidence: the value stands alone then.
    held = shown.operator is not None and _meets(value, shown.operator, shown.threshold)
    return Evidence(
        quantity=shown.quantity,
        value=value,
        unit=entry.unit if entry else "",
        basis=entry.basis if entry else None,
        operator=shown.operator if held else None,
        threshold=shown.threshold if held else None,
    )


def _meets(value: float | str, operator: str, threshold: float | None) -> bool:
    if isinstance(value, str) or threshold is None:
        return False
    return bool(_COMPARE[operator](value, threshold))


def _with_nvidia(finding: Finding, item: CompiledRule, nvidia: Mapping[str, list[str]]) -> Finding:
    """Put the titles of NVIDIA's messages on the same matter beside a finding."""
    titles = [title for rule in item.rule.nvidia for title in nvidia.get(rule, [])]
    return replace(finding, nvidia=titles) if titles else finding


def _linked(rules: RuleSet, findings: list[Finding]) -> list[Finding]:
    """Stand consequences under their causes, milder than alone and without a gain.

    What a consequence costs goes with its cause; a gain of its own would count it twice.
    """
    fired = {finding.rule for finding in findings}
    by_id = {item.rule.id: item.rule for item in rules.rules}
    linked = []
    for finding in findings:
        rule = by_id[finding.rule]
        cause = next((c for c in rule.because_of if c in fired), None)
        lowered = _milder(rule.severity, rule.as_consequence)
        linked.append(
            replace(finding, because_of=cause, severity=lowered, gain=None) if cause else finding
        )
    return linked


def _ordered(findings: list[Finding], restating: frozenset[str]) -> list[Finding]:
    """Sort by worth; a consequence follows its cause."""
    ranked = sorted(findings, key=lambda f: _worth(f, restating))
    below = [f for f in ranked if f.because_of is not None]
    ordered: list[Finding] = []
    for root in (f for f in ranked if f.because_of is None):
        ordered += [root, *_consequences(root.rule, below)]
    return ordered


def _worth(finding: Finding, restating: frozenset[str]) -> tuple[int, float, bool, int, str]:
    """Order findings: by severity, then by what can be expected, then by confidence."""
    expected = finding.gain.expected_pct if finding.gain else 0.0
    confidence = ("high", "medium", "low").index(finding.confidence)
    again = finding.rule in restating
    return _ORDER.index(finding.severity), -expected, again, confidence, finding.rule


def _folded(rules: RuleSet, findings: list[Finding], restating: frozenset[str]) -> list[Finding]:
    """Leave at most three findings above "info": causes first, then consequences.

    A rule that only restates the bottleneck speaks up where nothing else does.
    """
    asserted = [f for f in findings if f.severity != "info"]
    if not asserted:
        alone = {item.rule.id: item.rule.alone for item in rules.rules}
        return [replace(f, severity=alone[f.rule] or f.severity) for f in findings]
    ranked = sorted(asserted, key=lambda f: (f.because_of is not None, _worth(f, restating)))
    kept = {finding.rule for finding in ranked[:MOST_ASSERTED]}
    return [f if f.rule in kept else replace(f, severity="info") for f in findings]


def _consequences(cause: str, findings: list[Finding]) -> list[Finding]:
    """Return what follows from a cause, each before what follows from it in turn."""
    found: list[Finding] = []
    for finding in findings:
        if finding.because_of == cause:
            found += [finding, *_consequences(finding.rule, findings)]
    return found

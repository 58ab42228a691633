"""One check a condition: what it expects of a kernel, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ncu_triage.compare.comparison import Change, Measure
from ncu_triage.gate.compared import ONLY_AFTER
from ncu_triage.gate.conditions import Condition
from ncu_triage.gate.rows import Outcome
from ncu_triage.gate.subjects import Found, Subject, rank
from ncu_triage.model import SEVERITIES, Evidence, Severity
from ncu_triage.units import percent, show

_UNITS = {"time": "s", "cycles": "cycle"}
_OPERATORS = {">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}


class Result(NamedTuple):
    """What a check found of one kernel."""

    outcome: Outcome
    expected: str
    found: str
    evidence: list[str]
    rule: str | None = None


def _slowdown(condition: Condition, subject: Subject) -> Iterator[Result]:
    """A time (or cycles) that grew by more than the percentage and the sigmas allow."""
    limit = f"{condition.percent:g} %"
    expected = f"at most {limit} slower, or less than {condition.sigmas:g} sigmas"
    change = subject.change
    if change is None:
        why = subject.alone or subject.no_time or "there is no time"
        yield Result("nothing", expected, why, [])
        return
    evidence = [*_measured(change, subject.measure), *subject.why]
    if subject.guessed:
        # Another kernel's time says nothing, neither good nor bad.
        yield Result("nothing", expected, f"{_found(change)}, {subject.guessed}", evidence)
        return
    outcome: Outcome = "failed" if _grown(condition, change) else "passed"
    yield Result(outcome, expected, _found(change), evidence)


def _whole_slowdown(condition: Condition, subject: Subject) -> Iterator[Result]:
    """The whole, launch for launch; and with the launches that only one side has."""
    all_, paired = subject.overall, subject.change
    if all_ is None or (paired and _grown(condition, paired)):
        yield from _slowdown(condition, subject)
        return
    (own,) = _slowdown(condition, replace(subject, change=all_))
    evidence = [*own.evidence, "of all launches, also those that only one side has"]
    if paired:
        evidence.append(f"{_found(paired)} over as many launches as both sides have")
    yield own._replace(evidence=evidence)


def _grown(condition: Condition, change: Change) -> bool:
    return change.change_pct > condition.percent and change.sigmas >= condition.sigmas


def _found(change: Change) -> str:
    return f"{_moved(change)}, {change.sigmas:.1f} sigmas"


def _moved(change: Change) -> str:
    word = "slower" if change.change_pct > 0 else "faster"
    return f"{percent(abs(change.change_pct))} {word}" if change.change_pct else "no change"


def _measured(change: Change, measure: Measure | None) -> list[str]:
    unit = _UNITS[measure or "time"]
    how = "of repeated launches" if change.spread == "measured" else "assumed: too few launches"
    return [
        f"{show(change.before, unit)} before, {show(change.after, unit)} after",
        f"one sigma is {percent(change.noise_pct)} ({how})",
    ]


def _severity(condition: Condition, subject: Subject) -> Iterator[Result]:
    """A finding at this severity or above."""
    expected = f"no finding of severity {_or_above(condition.severity)}"
    grave = [f for f in subject.findings if _reaches(f.severity, condition.severity)]
    yield from _each(grave, expected)
    if not grave:
        yield _none_found(subject, expected)


def _new_finding(condition: Condition, subject: Subject) -> Iterator[Result]:
    """A finding at this severity or above that the run before did not have."""
    expected = f"no new finding of severity {_or_above(condition.severity)}"
    reached = [f for f in subject.findings if _reaches(f.severity, condition.severity)]
    grave = [f for f in reached if f.new]
    unsure = [f for f in reached if f.unsure]
    yield from _each(grave, expected)
    for one in unsure:
        why = f"{one.rule} ({one.severity}): before, the rule was undecided"
        yield Result("nothing", expected, why, [_line(e) for e in one.evidence], one.rule)
    if unsure:
        return
    if not grave and subject.alone and subject.alone != ONLY_AFTER:
        # Nothing is new where there is nothing before; that is no good sign, either.
        yield Result("nothing", expected, subject.alone, [])
    elif not grave:
        yield _none_found(subject, expected)


def _rule(condition: Condition, subject: Subject) -> Iterator[Result]:
    """A rule that fired, at least at the given severity."""
    expected = f"no {condition.rule}"
    own = [f for f in subject.findings if f.rule == condition.rule]
    grave = [f for f in own if _reaches(f.severity, condition.severity)]
    yield from _each(grave, expected)
    if not grave and (why := _unanswered(condition.rule or "", subject)):
        yield Result("nothing", expected, why, [])
    elif not grave:
        found = f"of severity {own[0].severity} only" if own else "none"
        yield Result("passed", expected, found, [])


def _unanswered(rule: str, subject: Subject) -> str | None:
    """Say why there is no answer of a rule that did not fire."""
    if why := subject.undecided.get(rule):
        return why
    if any(found.rule == rule for found in subject.findings):
        return None
    if subject.rules is None:
        return "its diagnosis does not say which rules judged it: write it anew"
    return None if rule in subject.rules else "the rule was not among those that judged it"


def _bottleneck(condition: Condition, subject: Subject) -> Iterator[Result]:
    """Another bottleneck than before, where neither judgement is a weak one."""
    expected, change = "the same bottleneck as before", subject.bottleneck
    if why := subject.alone or subject.no_bottleneck or subject.guessed:
        yield Result("nothing", expected, why, [])
    elif change is None:
        yield Result("passed", expected, "the same", [])
    else:
        sure = "" if change.sure else ", with low confidence or not in all launches"
        found = f"{change.after} after {change.before}{sure}"
        yield Result("failed" if change.sure else "passed", expected, found, subject.why)


def _nothing_measured(condition: Condition, subject: Subject) -> Iterator[Result]:
    """A kernel without a time or without a bottleneck, or a report that lost a part."""
    if subject.lost:
        yield Result("failed", "every launch of the report", subject.lost, [])
        return
    expected = "a time and a bottleneck"
    why = list(dict.fromkeys(filter(None, (subject.no_time, subject.no_bottleneck))))
    yield Result("failed" if why else "passed", expected, "; ".join(why) or "both", [])


CHECKS: dict[str, Callable[[Condition, Subject], Iterator[Result]]] = {
    "regression": _slowdown,
    "total-regression": _whole_slowdown,
    "severity": _severity,
    "new-finding": _new_finding,
    "rule": _rule,
    "bottleneck-change": _bottleneck,
    "nothing-measured": _nothing_measured,
}


def _each(found: list[Found], expected: str) -> Iterator[Result]:
    for one in found:
        told = f"{one.rule} ({one.severity}): {one.title}"
        yield Result("failed", expected, told, [_line(e) for e in one.evidence], one.rule)


def _none_found(subject: Subject, expected: str) -> Result:
    """No finding on a kernel that could not be judged is no good sign."""
    if subject.no_bottleneck:
        return Result("nothing", expected, subject.no_bottleneck, [])
    left = len(subject.undecided)
    return Result("passed", expected, f"none; {left} rules undecided" if left else "none", [])


def _line(evidence: Evidence) -> str:
    """Print a number of a finding beside the limit that it was held against."""
    value = _value(evidence.value, evidence.unit)
    basis = f" of {evidence.basis}" if evidence.basis else ""
    if evidence.operator is None or evidence.threshold is None:
        return f"{evidence.quantity} {value}{basis}"
    operator = _OPERATORS.get(evidence.operator, evidence.operator)
    return (
        f"{evidence.quantity} {value}{basis} {operator} {_value(evidence.threshold, evidence.unit)}"
    )


def _value(value: float | str, unit: str) -> str:
    return value if isinstance(value, str) else show(value, unit)


def _reaches(severity: Severity, least: Severity) -> bool:
    return rank(severity) <= rank(least)


def _or_above(severity: Severity) -> str:
    return severity if severity == SEVERITIES[0] else f"{severity} or above"

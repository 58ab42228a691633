"""Hold conditions against kernels: from a result to rows, and nothing is printed."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.acknowledged import Acknowledged, in_force
from ncu_triage.gate.checks import CHECKS
from ncu_triage.gate.conditions import NEED_TWO, Condition
from ncu_triage.gate.rows import WHOLE, About, Row
from ncu_triage.gate.subjects import Subject, Subjects, of_comparison, of_diagnosis
from ncu_triage.model import Diagnosis

_OF_THE_WHOLE = ("total-regression",)
_OF_BOTH = ("severity", "rule")


def gate(
    result: Diagnosis | Comparison | Subjects,
    conditions: Sequence[Condition],
    acknowledged: Sequence[Acknowledged],
    today: datetime.date,
) -> list[Row]:
    """Return a row for each condition and each kernel, or failing finding of it.

    A condition without anything to be held against gets a row that says so, and so does one
    that needs two results where these must not be compared.
    """
    subjects = _subjects(result)
    excuse = _excuser(acknowledged, today)
    rows: list[Row] = []
    for condition in conditions:
        if subjects.barred and condition.name in NEED_TWO:
            rows.append(_nothing(condition, "two runs that can be compared", subjects.barred))
            continue
        found = [row for one in _concerned(condition, subjects) for row in _rows(condition, one)]
        none = _nothing(condition, "something to judge", "there is no kernel")
        rows += [excuse(condition, row) for row in found] or [none]
    return rows


def _subjects(result: Diagnosis | Comparison | Subjects) -> Subjects:
    if isinstance(result, Diagnosis):
        return of_diagnosis(result)
    return of_comparison(result) if isinstance(result, Comparison) else result


def _concerned(condition: Condition, subjects: Subjects) -> list[Subject]:
    """Return what a condition speaks of: the whole, the kernels, or both."""
    whole = [subjects.whole] if subjects.whole else []
    if condition.name in _OF_THE_WHOLE:
        return whole
    # Of the whole report only findings are judged, and having none there measures nothing.
    told = [one for one in whole if one.findings] if condition.name in _OF_BOTH else []
    return [*subjects.kernels, *told]


def _rows(condition: Condition, subject: Subject) -> Iterator[Row]:
    for result in CHECKS[condition.name](condition, subject):
        yield Row(
            condition=condition.text,
            level=condition.level,
            about=subject.about,
            outcome=result.outcome,
            expected=result.expected,
            found=result.found,
            evidence=result.evidence,
            rule=result.rule,
        )


def _nothing(condition: Condition, expected: str, found: str) -> Row:
    return Row(
        condition=condition.text,
        level=condition.level,
        about=About(name=WHOLE),
        outcome="nothing",
        expected=expected,
        found=found,
    )


def _excuser(
    acknowledged: Sequence[Acknowledged], today: datetime.date
) -> Callable[[Condition, Row], Row]:
    """Return what marks a failing row as acknowledged, or says that this has expired."""
    holding, expired = in_force(acknowledged, today)

    def excuse(condition: Condition, row: Row) -> Row:
        if row.outcome != "failed":
            return row
        if entry := _covering(holding, condition, row):
            reason = f"{entry.reason} (until {entry.expires})"
            return replace(row, outcome="acknowledged", reason=reason)
        if entry := _covering(expired, condition, row):
            note = f"acknowledged until {entry.expires}, which has passed: {entry.reason}"
            return replace(row, evidence=[*row.evidence, note])
        return row

    return excuse


def _covering(
    entries: Sequence[Acknowledged], condition: Condition, row: Row
) -> Acknowledged | None:
    return next(
        (
            entry
            for entry in entries
            if entry.covers(condition=condition.name, rule=row.rule, kernel=row.about.name)
        ),
        None,
    )

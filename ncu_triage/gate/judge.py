"""Hold conditions against kernels: from a result to rows, and nothing is printed."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.acknowledged import Acknowledged, in_force
from ncu_triage.gate.checks import CHECKS
from ncu_triage.gate.compared import of_comparison
from ncu_triage.gate.conditions import NEED_TWO, Condition, Name
from ncu_triage.gate.conditions import condition as read_condition
from ncu_triage.gate.rows import WHOLE, About, Row
from ncu_triage.gate.subjects import Found, Subject, Subjects, of_diagnosis, rank
from ncu_triage.model import Diagnosis

_OF_THE_WHOLE = ("total-regression",)
# What of a report as a whole is worth a row: that nothing was found there measures nothing.
_TELLING: dict[Name, Callable[[Condition, Subject], bool]] = {
    "severity": lambda c, report: any(_grave(c, one) for one in report.findings),
    "new-finding": lambda c, report: any(
        _grave(c, one) and (one.new or one.unsure) for one in report.findings
    ),
    "nothing-measured": lambda c, report: report.lost is not None,
}


def gate(
    result: Diagnosis | Comparison | Subjects,
    conditions: str | Sequence[str | Condition],
    acknowledged: Sequence[Acknowledged] = (),
    today: datetime.date | None = None,
) -> list[Row]:
    """Return a row for each condition and each kernel, or failing finding of it.

    A condition without anything to be held against gets a row that says so, and so does one
    that needs two results where these must not be compared. `today` (UTC, where it is left
    out) is the day by which an acknowledgement expires. Raises UsageError for a text that is
    no condition.
    """
    subjects = _subjects(result)
    excuse = _excuser(acknowledged, today or datetime.datetime.now(datetime.UTC).date())
    rows: list[Row] = []
    for condition in _read(conditions):
        if subjects.barred and condition.name in NEED_TWO:
            rows.append(_nothing(condition, "two runs that can be compared", subjects.barred))
            continue
        found = [row for one in _concerned(condition, subjects) for row in _rows(condition, one)]
        none = _nothing(condition, "something to judge", "there is no kernel")
        rows += [excuse(condition, row) for row in found] or [none]
    return rows


def _read(conditions: str | Sequence[str | Condition]) -> list[Condition]:
    given = [conditions] if isinstance(conditions, str) else conditions
    read = [read_condition(one) if isinstance(one, str) else one for one in given]
    return [one for one in read if one.level != "off"]


def _subjects(result: Diagnosis | Comparison | Subjects) -> Subjects:
    if isinstance(result, Diagnosis):
        return of_diagnosis(result)
    return of_comparison(result) if isinstance(result, Comparison) else result


def _concerned(condition: Condition, subjects: Subjects) -> list[Subject]:
    """Return what a condition speaks of: the reports, the kernels, or both.

    A rule is about kernels or about reports, and says nothing of the other ones.
    """
    if condition.name in _OF_THE_WHOLE:
        return subjects.totals or subjects.reports
    if condition.name == "rule":
        rule = condition.rule or ""
        kernels = [one for one in subjects.kernels if rule not in (one.others or ())]
        return [*kernels, *(one for one in subjects.reports if _asked(one, rule))]
    tells = _TELLING.get(condition.name)
    told = [one for one in subjects.reports if tells and tells(condition, one)]
    two = condition.name in NEED_TWO
    return [*(one for one in subjects.kernels if not (two and one.settled)), *told]


def _grave(condition: Condition, found: Found) -> bool:
    return rank(found.severity) <= rank(condition.severity)


def _asked(report: Subject, rule: str) -> bool:
    """Say whether a rule is one about reports, as far as that is known."""
    known = rule in (report.rules or ()) or rule in report.undecided
    return known or any(found.rule == rule for found in report.findings)


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

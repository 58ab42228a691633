"""A gate that measured nothing never passes: rules, whole reports, launches and losses."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from fixtures.diagnosis_builder import bottleneck, diagnosis, finding, kernel, quantities
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.compare.comparison import Comparison
from ncu_triage.errors import UsageError
from ncu_triage.gate.judge import gate
from ncu_triage.gate.rows import Row, failures, verdict
from ncu_triage.gate.subjects import of_diagnosis, together
from ncu_triage.model import Diagnosis, KernelDiagnosis, RuleFailure, Undecided

OPEN = Undecided(rule="bank-conflicts", missing=["x"], collect="y")
OVERHEAD = finding("launch-overhead", severity="high")


def _k(seconds: float = 1e-3, **more: Any) -> KernelDiagnosis:
    return kernel(quantities=quantities(seconds), **more)


def _rows(result: Diagnosis | Comparison, *texts: str) -> list[Row]:
    return gate(result, texts)


def _about(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.about.name.partition("(")[0], row.outcome) for row in rows]


def test_a_finding_about_the_report_answers_no_question_about_kernels() -> None:
    told = finding("launch-overhead", severity="low")
    blind = _k(undecided=[OPEN], bottleneck=bottleneck("insufficient-data", "low"))
    given = diagnosis([blind], findings=[told])
    for text in ("rule=bank-conflicts", "severity=high"):
        assert _about(_rows(given, text)) == [("saxpy", "nothing")]
    parts = together([of_diagnosis(given, "a"), of_diagnosis(given, "b")])
    assert verdict(gate(parts, ["rule=bank-conflicts"])) == "nothing"


def test_a_rule_about_the_report_is_decided_on_the_report_only() -> None:
    open_ = Undecided(rule="launch-overhead", missing=["x"], collect="y")
    text = "rule=launch-overhead"
    assert _about(_rows(diagnosis([_k()], undecided=[open_]), text)) == [
        ("whole report", "nothing")
    ]
    assert _about(_rows(diagnosis([_k()]), text)) == [("whole report", "passed")]
    assert _about(_rows(diagnosis([_k()], findings=[OVERHEAD]), text)) == [
        ("whole report", "failed")
    ]


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (["tail-effect"], "the rule was not among those that judged it"),
        (None, "its diagnosis does not say which rules judged it: write it anew"),
    ],
)
def test_a_rule_that_was_not_asked_is_not_answered(rules: list[str] | None, says: str) -> None:
    given = diagnosis([_k()])
    given = replace(given, tool=replace(given.tool, kernel_rules=rules, report_rules=rules and []))
    for result in (given, compare(diagnosis([_k()]), given)):
        (row,) = _rows(result, "rule=bank-conflicts")
        assert (row.outcome, row.found) == ("nothing", says)


def test_a_rule_that_broke_is_not_called_short_of_numbers() -> None:
    broken = _k(rule_errors=[RuleFailure(rule="bank-conflicts", message="division by zero")])
    for result in (diagnosis([broken]), compare(diagnosis([_k()]), diagnosis([broken]))):
        (row,) = _rows(result, "rule=bank-conflicts")
        assert row.found == "undecided: the rule failed: division by zero"


@pytest.mark.parametrize("text", ["rule=launch-overhead", "severity=high", "new-finding=high"])
def test_a_comparison_sees_the_findings_about_the_whole_report(text: str) -> None:
    rows = _rows(compare(diagnosis([_k()]), diagnosis([_k()], findings=[OVERHEAD])), text)
    assert [(row.about.name, row.rule) for row in failures(rows)] == [
        ("whole report", "launch-overhead")
    ]


def test_what_the_report_before_had_is_not_new() -> None:
    both = diagnosis([_k()], findings=[OVERHEAD])
    assert verdict(_rows(compare(both, both), "new-finding=high")) == "passed"


def test_one_launch_in_four_with_a_grave_finding_fails_a_comparison_as_it_does_alone() -> None:
    odd = _k(findings=[finding("bank-conflicts", severity="high")])
    given = diagnosis([_k(), _k(), _k(), odd])
    for text in ("severity=high", "rule=bank-conflicts", "new-finding=high"):
        found = failures(_rows(compare(diagnosis([_k()] * 4), given), text))
        assert [row.rule for row in found] == ["bank-conflicts"]
    assert len(failures(_rows(given, "severity=high"))) == 1
    assert verdict(_rows(compare(given, given), "new-finding=high")) == "passed"


def test_the_gravest_launch_speaks_for_a_rule() -> None:
    launches = [_k(findings=[finding(severity=s)]) for s in ("low", "high", "medium")]
    for result in (diagnosis(launches), compare(diagnosis([_k()] * 3), diagnosis(launches))):
        assert len(failures(_rows(result, "severity=high"))) == 1


def test_whether_a_finding_is_new_is_not_known_where_it_was_undecided_before() -> None:
    after = _k(findings=[finding("bank-conflicts", severity="high")])
    found = compare(diagnosis([_k(undecided=[OPEN])]), diagnosis([after]))
    (row,) = _rows(found, "new-finding=high")
    assert (row.outcome, row.rule) == ("nothing", "bank-conflicts")


def _cut(given: Diagnosis, lost: int = 1) -> Diagnosis:
    source = replace(given.sources[0], complete=False, lost_launches=lost, sha256="1" * 64)
    return replace(given, sources=[source])


def test_launches_that_are_lost_were_not_measured() -> None:
    (row,) = failures(_rows(_cut(diagnosis([_k()])), "nothing-measured"))
    assert (row.about.name, row.found) == ("whole report", "at least 1 launch is lost")
    found = compare(diagnosis([_k()]), _cut(diagnosis([_k()]), 12))
    (row,) = failures(_rows(found, "nothing-measured"))
    assert row.found == "AFTER: at least 12 launches are lost"
    assert verdict(_rows(found, "regression")) == "nothing"


def test_the_whole_fails_where_new_launches_make_it_slower() -> None:
    fresh = _k(2e-3, name="fresh", grid=(3, 3, 3))
    (row,) = _rows(compare(diagnosis([_k()]), diagnosis([_k(), fresh])), "total-regression=2%")
    # 1 ms before, 1 + 2 ms after.
    assert (row.outcome, row.found.split(",")[0]) == ("failed", "200.0 % slower")
    assert row.evidence[-1] == "no change, 0.0 sigmas over as many launches as both sides have"


def test_fewer_launches_hide_no_slowdown_of_the_whole() -> None:
    found = compare(diagnosis([_k()] * 4), diagnosis([_k(1.5e-3)]))
    # All launches took 4 ms and take 1.5 ms, but launch for launch it is 1 ms and 1.5 ms.
    (row,) = _rows(found, "total-regression=2%")
    assert (row.outcome, row.found.split(",")[0]) == ("failed", "50.0 % slower")


@pytest.mark.parametrize("seconds", [1e-3, 2e-3])
def test_another_kernel_says_nothing_of_a_guessed_pair(seconds: float) -> None:
    found = compare(diagnosis([_k(name="a")]), diagnosis([_k(seconds, name="b")]))
    (row,) = _rows(found, "regression")
    assert row.outcome == "nothing"
    assert "matched with low confidence (renamed)" in row.found
    chosen = compare(diagnosis([_k(name="a")]), diagnosis([_k(2e-3, name="b")]), chosen=True)
    assert verdict(_rows(chosen, "regression")) == "failed"


def test_conditions_are_given_as_texts_or_as_one() -> None:
    given = diagnosis([_k(findings=[finding(severity="high")])])
    for conditions in ("severity=high", ["off:rule=x", "severity=high"]):
        (row,) = gate(given, conditions, (), datetime.date(2026, 11, 30))
        assert row.outcome == "failed"
    with pytest.raises(UsageError, match="there is no condition"):
        gate(given, ["grave"])

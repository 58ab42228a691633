"""Whether conditions hold, and that nothing which was not measured passes."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from fixtures.diagnosis_builder import (
    bottleneck,
    diagnosis,
    empty,
    evidence,
    finding,
    kernel,
    quantities,
)
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.acknowledged import read_acknowledged, unmatched
from ncu_triage.gate.conditions import condition
from ncu_triage.gate.judge import gate
from ncu_triage.gate.rows import Row, failures, unjudged, verdict
from ncu_triage.gate.subjects import of_diagnosis, together
from ncu_triage.model import Diagnosis, KernelDiagnosis, RuleFailure, Undecided
from ncu_triage.units import show

TODAY = datetime.date(2026, 11, 29)


def _k(seconds: float = 1e-3, **more: Any) -> KernelDiagnosis:
    return kernel(quantities=quantities(seconds), **more)


def _rows(result: Diagnosis | Comparison, *texts: str, acknowledged: str = "") -> list[Row]:
    entries = read_acknowledged(acknowledged) if acknowledged else []
    return gate(result, [condition(text) for text in texts], entries, TODAY)


def _pair(before: KernelDiagnosis, after: KernelDiagnosis) -> Comparison:
    return compare(diagnosis([before]), diagnosis([after]))


@pytest.mark.parametrize(
    ("seconds", "text", "outcome"),
    [
        (1.3e-3, "regression=5%", "failed"),
        (1.3e-3, "regression=50%", "passed"),
        (1.06e-3, "regression=5%", "passed"),
        (1.06e-3, "regression=5%,2sigma", "failed"),
        (0.5e-3, "regression=0%", "passed"),
        (1.3e-3, "total-regression=5%", "failed"),
    ],
)
def test_a_slowdown_must_exceed_percentage_and_sigmas(
    seconds: float, text: str, outcome: str
) -> None:
    (row,) = _rows(_pair(_k(), _k(seconds)), text)
    assert row.outcome == outcome
    assert "sigmas" in row.expected and "sigmas" in row.found


def test_a_failure_says_expected_found_and_evidence() -> None:
    (row,) = _rows(_pair(_k(), _k(1.3e-3)), "regression=5%")
    assert row.expected == "at most 5 % slower, or less than 3 sigmas"
    assert row.found == "30.0 % slower, 9.1 sigmas"
    assert row.evidence == [
        f"{show(1e-3, 's')} before, {show(1.3e-3, 's')} after",
        "one sigma is 2.9 % (assumed: too few launches)",
    ]


def test_a_guessed_partner_is_said() -> None:
    (row,) = _rows(_pair(_k(name="a"), _k(2e-3, name="b")), "regression")
    assert "matched with low confidence (renamed)" in row.evidence


@pytest.mark.parametrize(
    ("severity", "text", "outcome"),
    [
        ("high", "severity=high", "failed"),
        ("medium", "severity=high", "passed"),
        ("medium", "severity=medium", "failed"),
        ("info", "severity=low", "passed"),
        ("low", "rule=low-occupancy", "failed"),
        ("info", "rule=low-occupancy", "passed"),
        ("info", "rule=low-occupancy,info", "failed"),
        ("high", "rule=bank-conflicts", "passed"),
    ],
)
def test_findings_by_severity_and_by_rule(severity: str, text: str, outcome: str) -> None:
    (row,) = _rows(diagnosis([_k(findings=[finding(severity=severity)])]), text)
    assert row.outcome == outcome


def test_a_finding_carries_its_numbers_with_limit_and_denominator() -> None:
    fired = finding(evidence=[evidence("l1_throughput_active_pct", 91.3, ">=", 60.0)])
    (row,) = _rows(diagnosis([_k(findings=[fired])]), "severity=medium")
    assert row.rule == "low-occupancy"
    assert row.evidence == ["l1_throughput_active_pct 91.3 % of active ≥ 60.0 %"]


def test_findings_about_the_whole_report_count() -> None:
    whole = finding("launch-overhead", severity="high")
    rows = _rows(diagnosis([_k()], findings=[whole]), "severity=high")
    assert [(row.about.name, row.outcome) for row in rows if row.outcome == "failed"] == [
        ("whole report", "failed")
    ]


def test_only_findings_that_are_new_fail_a_comparison() -> None:
    old, new = finding("bank-conflicts"), finding("tail-effect")
    rows = _rows(_pair(_k(findings=[old]), _k(findings=[old, new])), "new-finding=medium")
    assert [row.rule for row in failures(rows)] == ["tail-effect"]


def test_the_findings_of_a_new_kernel_are_new() -> None:
    fresh = _k(name="fresh", grid=(3, 3, 3), findings=[finding("tail-effect")])
    found = compare(diagnosis([_k()]), diagnosis([_k(), fresh]))
    assert [row.rule for row in failures(_rows(found, "new-finding=medium"))] == ["tail-effect"]
    assert verdict(_rows(found, "regression", "nothing-measured")) == "passed"


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (bottleneck("dram-bandwidth"), "failed"),
        (bottleneck("latency"), "passed"),
        (bottleneck("dram-bandwidth", "low"), "passed"),
        (bottleneck("insufficient-data", "low"), "nothing"),
    ],
)
def test_a_change_of_bottleneck_counts_where_both_are_sure(after: Any, outcome: str) -> None:
    (row,) = _rows(_pair(_k(), _k(bottleneck=after)), "bottleneck-change")
    assert row.outcome == outcome


def test_a_rule_without_its_numbers_does_not_pass() -> None:
    open_ = Undecided(rule="bank-conflicts", missing=["x"], collect="y")
    failed = RuleFailure(rule="bank-conflicts", message="oops")
    for k in (_k(undecided=[open_]), _k(rule_errors=[failed])):
        rows = _rows(diagnosis([k]), "rule=bank-conflicts")
        assert [row.outcome for row in rows] == ["nothing"]
        assert verdict(rows) == "nothing"
        assert verdict(_rows(_pair(_k(), k), "rule=bank-conflicts")) == "nothing"


def test_a_kernel_that_could_not_be_judged_has_no_clean_bill() -> None:
    blind = _k(bottleneck=bottleneck("insufficient-data", "low"))
    assert verdict(_rows(diagnosis([blind]), "severity=high")) == "nothing"
    assert verdict(_rows(diagnosis([blind, _k(grid=(1, 1, 1))]), "severity=high")) == "passed"


@pytest.mark.parametrize("text", ["severity=high", "rule=x", "regression", "nothing-measured"])
def test_a_gate_over_nothing_never_passes(text: str) -> None:
    assert verdict(_rows(empty(), text)) == "nothing"
    assert verdict(_rows(compare(empty(), empty()), text)) == "nothing"


def test_one_condition_that_judged_nothing_spoils_the_others() -> None:
    bare = kernel(quantities={})
    rows = _rows(_pair(bare, bare), "regression", "severity=high")
    assert unjudged(rows) == ["regression"]
    assert verdict(rows) == "nothing"


def test_a_failure_outweighs_what_was_not_judged() -> None:
    bare = kernel(quantities={}, findings=[finding(severity="high")])
    assert verdict(_rows(_pair(bare, bare), "regression", "severity=high")) == "failed"


def test_nothing_measured_fails_for_a_single_kernel() -> None:
    gone = _k(name="gone", grid=(9, 9, 9))
    found = compare(diagnosis([_k(), gone]), diagnosis([_k()]))
    rows = _rows(found, "nothing-measured")
    assert [(row.about.name, row.found) for row in failures(rows)] == [
        ("gone(float *, float const *, int)", "only BEFORE has it")
    ]
    assert verdict(_rows(found, "regression")) == "passed"


def test_a_warning_is_said_and_does_not_fail() -> None:
    rows = _rows(_pair(_k(), _k(2e-3)), "warn:regression=5%")
    assert [row.outcome for row in rows] == ["failed"]
    assert verdict(rows) == "passed"


def test_what_is_acknowledged_passes_with_its_reason_until_it_expires() -> None:
    told = '[[acknowledged]]\nrule = "tail-effect"\nreason = "small by design"\nexpires = '
    result = diagnosis([_k(findings=[finding("tail-effect", severity="high")])])
    (row,) = _rows(result, "severity=high", acknowledged=told + "2027-01-01")
    assert (row.outcome, row.reason) == ("acknowledged", "small by design (until 2027-01-01)")
    assert row.passed
    (row,) = _rows(result, "severity=high", acknowledged=told + "2026-01-01")
    assert row.outcome == "failed"
    assert row.evidence[-1] == ("acknowledged until 2026-01-01, which has passed: small by design")


def test_a_slowdown_is_acknowledged_by_its_condition() -> None:
    told = (
        '[[acknowledged]]\ncondition = "regression"\nkernel = "saxpy*"\n'
        'reason = "now in double"\nexpires = 2027-01-01'
    )
    (row,) = _rows(_pair(_k(), _k(2e-3)), "regression=5%", acknowledged=told)
    assert row.outcome == "acknowledged"


def test_launches_of_one_kernel_are_one_row() -> None:
    fired = [finding(severity="high")]
    rows = _rows(diagnosis([_k(findings=fired)] * 50), "severity=high")
    assert len(rows) == 1


def test_several_reports_are_held_together_and_each_row_names_its_file() -> None:
    bad = diagnosis([_k(findings=[finding(severity="high")])])
    parts = [of_diagnosis(bad, "a.ncu-rep"), of_diagnosis(diagnosis([_k()]), "b.ncu-rep")]
    rows = gate(together(parts), [condition("severity=high")], [], TODAY)
    assert [(row.about.source, row.outcome) for row in rows] == [
        ("a.ncu-rep", "failed"),
        ("b.ncu-rep", "passed"),
    ]


def _two_gpus(**more: Any) -> Comparison:
    """Compare a kernel with itself, twice as slow on another GPU."""
    before, after = diagnosis([_k()]), diagnosis([_k(2e-3, **more)])
    other = [replace(device, name="Another") for device in after.devices]
    return compare(before, replace(after, devices=other))


@pytest.mark.parametrize(
    "text", ["regression", "total-regression", "new-finding=low", "bottleneck-change"]
)
def test_runs_that_are_not_comparable_are_not_judged(text: str) -> None:
    (row,) = _rows(_two_gpus(), text)
    assert row.outcome == "nothing"
    assert row.found.startswith("not comparable: Another GPU")
    assert verdict([row]) == "nothing"
    assert verdict(_rows(_two_gpus(), f"warn:{text}", "severity=high")) == "passed"


def test_what_one_run_answers_is_judged_on_any_gpu() -> None:
    grave = _two_gpus(findings=[finding(severity="high")])
    assert verdict(_rows(grave, "severity=high")) == "failed"
    assert verdict(_rows(grave, "severity=high", "regression")) == "failed"
    assert verdict(_rows(_two_gpus(), "severity=high")) == "passed"


def test_an_entry_that_speaks_of_nothing_is_found() -> None:
    entry = '[[acknowledged]]\nrule = "{}"\nreason = "small"\nexpires = 2027-01-01\n'
    known = "".join(entry.format(rule) for rule in ("tail-effect", "bank-conflicts"))
    result = diagnosis([_k(findings=[finding("tail-effect", severity="high")])])
    rows = _rows(result, "severity=high", acknowledged=known)
    assert list(map(str, unmatched(read_acknowledged(known), rows))) == ["bank-conflicts on *"]

"""Findings: their order, causes before consequences, doubt, and failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.engine.evaluate import Facts, Outcome, evaluate
from ncu_triage.engine.ruleset import load_rules
from ncu_triage.model import CatalogueEntry

NAMES = (
    "dram_throughput_pct",
    "l1_throughput_active_pct",
    "waste",
    "stall",
    "beside_the_point",
)
ENTRIES = {name: CatalogueEntry(unit="%", label=name, basis="elapsed") for name in NAMES}
BASE = """\
id: {id}
title: "{id}"
status: stable
severity: high
needs: [{needs}]
thresholds: {{limit: 10.0}}
when: {needs} >= limit
evidence: [{needs} >= limit]
cause: It is so.
remedies: [Do less.]
false_alarms: None known.
collect: --section SpeedOfLight
references: []
cases: []
{more}
"""


@pytest.fixture
def judge(tmp_path: Path):  # type: ignore[no-untyped-def]
    def run(values: dict[str, float | str], **rules: tuple[str, str]) -> Outcome:
        for name, (needs, more) in rules.items():
            id = name.replace("_", "-")
            (tmp_path / f"{id}.yaml").write_text(BASE.format(id=id, needs=needs, more=more))
        facts = Facts(values, frozenset({"beside_the_point"}), {"NvRule": ["It says"]})
        return evaluate(load_rules([tmp_path], ENTRIES), "kernel", facts)

    return run


def test_evidence_carries_value_limit_unit_and_denominator(judge) -> None:  # type: ignore[no-untyped-def]
    (finding,) = judge({"waste": 42.0}, wasteful=("waste", "")).findings
    (line,) = finding.evidence
    assert (line.quantity, line.value, line.operator, line.threshold) == ("waste", 42.0, ">=", 10.0)
    assert (line.unit, line.basis) == ("%", "elapsed")


def test_how_it_was_measured_is_in_the_users_hand_whoever_owns_the_kernel(judge) -> None:  # type: ignore[no-untyped-def]
    names: dict[str, float | str] = {"waste": 42.0, "demangled": "ampere_sgemm_128x64_nn"}
    of_the_kernel, of_the_run = judge(
        names, a=("waste", ""), b=("waste", "concerns: measurement")
    ).findings
    assert of_the_kernel.remedies[0].startswith("The kernel is cuBLAS's")
    assert of_the_run.remedies == ["Do less."]


def test_a_consequence_stands_under_its_cause_and_is_mild(judge) -> None:  # type: ignore[no-untyped-def]
    outcome = judge(
        {"waste": 42.0, "stall": 50.0},
        wasteful=("waste", ""),
        a_stall=("stall", "because_of: [wasteful]"),
    )
    assert [(f.rule, f.because_of, f.severity) for f in outcome.findings] == [
        ("wasteful", None, "high"),
        ("a-stall", "wasteful", "low"),
    ]


def test_a_consequence_without_its_cause_stands_alone(judge) -> None:  # type: ignore[no-untyped-def]
    outcome = judge(
        {"waste": 1.0, "stall": 50.0},
        wasteful=("waste", ""),
        a_stall=("stall", "because_of: [wasteful]"),
    )
    assert [(f.rule, f.because_of, f.severity) for f in outcome.findings] == [
        ("a-stall", None, "high")
    ]


@pytest.mark.parametrize(
    ("l1", "severity"), [(95.0, "high"), (66.0, "high"), (62.5, "medium"), (50.0, "info")]
)
def test_a_finding_is_no_graver_than_what_it_can_save(judge, l1: float, severity: str) -> None:  # type: ignore[no-untyped-def]
    more = 'gain: {waste_in: [l1], remaining: {l1: "0.0"}}'
    values = {"waste": 42.0, "l1_throughput_active_pct": l1}
    (finding,) = judge(values, wasteful=("waste", more)).findings
    assert finding.severity == severity


def test_the_most_worthwhile_finding_comes_first(judge) -> None:  # type: ignore[no-untyped-def]
    lost = "gain: {lost: '%s'}"
    outcome = judge(
        {"waste": 42.0, "stall": 42.0},
        aa=("waste", lost % "0.25"),
        bb=("stall", lost % "0.5"),
    )
    assert [f.rule for f in outcome.findings] == ["bb", "aa"]


@pytest.mark.parametrize(
    ("stall", "fires", "confidence"),
    [(60.0, False, ""), (10.0, True, "high"), (None, True, "medium")],
)
def test_an_exception_silences_and_an_open_one_casts_doubt(  # type: ignore[no-untyped-def]
    judge, stall: float | None, fires: bool, confidence: str
) -> None:
    values = {"waste": 42.0} | ({} if stall is None else {"stall": stall})
    outcome = judge(values, wasteful=("waste", "unless: [stall > 50.0]"))
    assert bool(outcome.findings) is fires
    if fires:
        assert outcome.findings[0].confidence == confidence


def test_an_undecided_rule_says_what_is_missing_and_how_to_collect_it(judge) -> None:  # type: ignore[no-untyped-def]
    (open_rule,) = judge({}, wasteful=("waste", "")).undecided
    assert open_rule.missing == ["waste"]
    assert open_rule.collect == "--section SpeedOfLight"


def test_a_rule_that_fails_is_a_row_and_the_others_speak(judge) -> None:  # type: ignore[no-untyped-def]
    outcome = judge(
        {"waste": 42.0, "dram_throughput_pct": 50.0},
        wasteful=("waste", ""),
        broken=("dram_throughput_pct", "doubtful: int(dram_throughput_pct / 0.0) > 1"),
    )
    assert [f.rule for f in outcome.findings] == ["wasteful"]
    assert [failure.rule for failure in outcome.failures] == ["broken"]
    assert "range" in outcome.failures[0].message


def test_a_restating_rule_speaks_up_only_where_nothing_else_does(judge) -> None:  # type: ignore[no-untyped-def]
    restating = {"restating": ("stall", "severity: info\nalone: low")}
    values: dict[str, float | str] = {"stall": 50.0}
    (only,) = judge(values, **restating).findings
    assert only.severity == "low"
    found = judge(values | {"waste": 42.0}, wasteful=("waste", ""), **restating).findings
    assert [f.severity for f in found] == ["high", "info"]


def test_at_most_three_are_asserted_and_causes_come_before_consequences(judge) -> None:  # type: ignore[no-untyped-def]
    outcome = judge(
        {name: 42.0 for name in NAMES},
        aa=("waste", ""),
        bb=("dram_throughput_pct", ""),
        cc=("l1_throughput_active_pct", ""),
        dd=("stall", "because_of: [aa]"),
    )
    assert [(f.rule, f.severity) for f in outcome.findings] == [
        ("aa", "high"),
        ("dd", "info"),
        ("bb", "high"),
        ("cc", "high"),
    ]


def test_nvidias_messages_stand_beside(judge) -> None:  # type: ignore[no-untyped-def]
    (finding,) = judge({"waste": 42.0}, wasteful=("waste", "nvidia: [NvRule]")).findings
    assert finding.nvidia == ["It says"]


def test_a_rule_about_what_cannot_exist_here_does_not_apply(judge) -> None:  # type: ignore[no-untyped-def]
    outcome = judge({}, pointless=("beside_the_point", ""))
    assert outcome == Outcome([], [], [])

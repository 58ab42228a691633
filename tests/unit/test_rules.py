"""Every rule: its file is right, and its own cases come out as they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.engine.compile import CompiledRule
from ncu_triage.engine.evaluate import Facts, evaluate
from ncu_triage.engine.rule import Case
from ncu_triage.pipeline import rules

RULES = {item.rule.id: item for item in rules().rules}
CASES = [(id, case) for id, item in RULES.items() for case in item.rule.cases]


def _outcome(id: str, values: dict[str, float | str]) -> str:
    result = evaluate(rules(), RULES[id].rule.scope, Facts(values))
    assert not [failure for failure in result.failures if failure.rule == id]
    if any(finding.rule == id for finding in result.findings):
        return "fires"
    return "undecided" if any(u.rule == id for u in result.undecided) else "silent"


@pytest.mark.parametrize(("id", "case"), CASES, ids=[f"{id}: {c.name}" for id, c in CASES])
def test_a_case_comes_out_as_it_says(id: str, case: Case) -> None:
    assert _outcome(id, dict(case.given)) == case.expect


@pytest.mark.parametrize("item", RULES.values(), ids=RULES)
def test_a_rule_has_a_case_that_fires_and_a_near_miss(item: CompiledRule) -> None:
    expected = {case.expect for case in item.rule.cases}
    assert {"fires", "silent"} <= expected


@pytest.mark.parametrize("id", RULES)
def test_a_rule_without_any_number_is_undecided(id: str) -> None:
    assert _outcome(id, {}) == "undecided"


@pytest.mark.parametrize("item", RULES.values(), ids=RULES)
def test_a_rule_is_written_out(item: CompiledRule) -> None:
    rule = item.rule
    assert rule.remedies and rule.references and rule.false_alarms.strip()
    assert rule.collect.startswith("--section ")
    assert all(reference.startswith("https://") for reference in rule.references)
    assert not rule.id.startswith(("use-", "avoid-", "no-op"))
    assert set(rule.thresholds) <= {
        word
        for text in (rule.when, *rule.unless, *rule.evidence, rule.doubtful or "", str(rule.gain))
        for word in _words(text)
    }, "a threshold that nothing uses"


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in text).split()


def test_a_folder_of_rules_replaces_by_id_and_adds(tmp_path: Path) -> None:
    from ncu_triage.engine.ruleset import load_rules
    from ncu_triage.pipeline import names
    from ncu_triage.resources import data_dir

    text = (data_dir("rules") / "short-kernel.yaml").read_text()
    (tmp_path / "short-kernel.yaml").write_text(text.replace("1.0e-5", "1.0e-3"))
    (tmp_path / "own.yaml").write_text(text.replace("id: short-kernel", "id: own"))
    loaded = load_rules([data_dir("rules"), tmp_path], names())
    found = {item.rule.id: item.rule for item in loaded.rules}
    assert found["short-kernel"].thresholds == {"short": 1e-3}
    assert len(found) == len(RULES) + 1

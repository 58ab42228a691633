"""Compiled rules are kept, judge as before, and are made anew when anything changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.engine.adjust import Adjustments, Configuration
from ncu_triage.engine.evaluate import Facts, evaluate
from ncu_triage.engine.ruleset import RuleSet, load_rules
from ncu_triage.model import CatalogueEntry

ENTRIES = {name: CatalogueEntry(unit="%", label=name) for name in ("load", "other")}
ENTRIES["l1_throughput_active_pct"] = CatalogueEntry(unit="%", label="L1")
RULE = """\
id: high-load
title: "Load {load}"
status: stable
severity: high
needs: [load]
metrics: {own_metric: {metric: a__b.sum, unit: byte, label: Own}}
thresholds: {limit: 10.0}
when: load >= limit
unless: [other > 50.0]
doubtful: own_metric > 1.0
evidence: [load >= limit, own_metric]
cause: It is busy.
remedies: [Do less.]
gain:
  waste_in: [l1]
  remaining: {l1: 1.0 - load / 100.0}
  lost: load / 200.0
false_alarms: None known.
collect: --section SpeedOfLight
references: []
cases: []
"""
VALUES: dict[str, float | str] = {
    "load": 40.0,
    "other": 3.0,
    "own_metric": 2.0,
    "l1_throughput_active_pct": 90.0,
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ncu-triage"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my rules"
    made.mkdir()
    (made / "high-load.yaml").write_text(RULE)
    return made


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """List the rule files that are read as YAML."""
    import ncu_triage.engine.ruleset as module

    seen: list[Path] = []
    real = module.read_rule
    monkeypatch.setattr(module, "read_rule", lambda path: (seen.append(path), real(path))[1])
    return seen


def _judged(rules: RuleSet, values: dict[str, float | str] = VALUES) -> object:
    return evaluate(rules, "kernel", Facts(values))


@pytest.mark.parametrize("missing", [None, *VALUES])
def test_kept_rules_judge_as_when_they_were_compiled(
    place: Path, folder: Path, reads: list[Path], missing: str | None
) -> None:
    values = {name: value for name, value in VALUES.items() if name != missing}
    first = load_rules([folder], ENTRIES)
    again = load_rules([folder], ENTRIES)
    assert len(reads) == 1
    assert _judged(again, values) == _judged(first, values)
    assert (again.version, again.metrics) == (first.version, {"own_metric": "a__b.sum"})
    assert again.entries == first.entries


def test_a_changed_rule_is_read_again(place: Path, folder: Path, reads: list[Path]) -> None:
    load_rules([folder], ENTRIES)
    (folder / "high-load.yaml").write_text(RULE.replace("limit: 10.0", "limit: 50.0"))
    assert _judged(load_rules([folder], ENTRIES)) == ([], [], [])
    assert len(reads) == 2


def test_a_new_threshold_is_not_forgotten(place: Path, folder: Path) -> None:
    high = Adjustments(thresholds={"high-load": {"limit": 50.0}})
    load_rules([folder], ENTRIES)
    adjusted = load_rules([folder], ENTRIES, Configuration(Path("ncu-triage.toml"), high))
    assert _judged(adjusted) == ([], [], [])
    assert _judged(load_rules([folder], ENTRIES)) != ([], [], [])


def test_another_name_of_the_language_is_noticed(place: Path, folder: Path) -> None:
    load_rules([folder], ENTRIES)
    more = ENTRIES | {"third": CatalogueEntry(unit="", label="third")}
    assert "third" in load_rules([folder], more).language.names


@pytest.mark.parametrize("content", [b"", b"not a digest\n", b"\n\xff\xff"])
def test_what_is_damaged_is_made_anew(place: Path, folder: Path, content: bytes) -> None:
    first = load_rules([folder], ENTRIES)
    (kept,) = place.glob("rules-*")
    kept.write_bytes(content)
    assert _judged(load_rules([folder], ENTRIES)) == _judged(first)


def test_what_the_compiler_refuses_is_made_anew(
    place: Path, folder: Path, reads: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncu_triage.engine.conditions import Conditions

    def refuse(self: Conditions, data: bytes) -> object:
        raise RuntimeError("of another version")

    first = load_rules([folder], ENTRIES)
    monkeypatch.setattr(Conditions, "compiled", refuse)
    assert _judged(load_rules([folder], ENTRIES)) == _judged(first)
    assert len(reads) == 2


def test_no_folder_to_keep_in_costs_time_only(place: Path, folder: Path) -> None:
    place.parent.write_text("in the way")
    assert _judged(load_rules([folder], ENTRIES)) == _judged(load_rules([folder], ENTRIES))


def test_a_project_with_adjustments_leaves_those_without_in_place(
    place: Path, folder: Path, reads: list[Path]
) -> None:
    high = Adjustments(thresholds={"high-load": {"limit": 50.0}})
    for _ in range(2):
        load_rules([folder], ENTRIES)
        load_rules([folder], ENTRIES, Configuration(Path("pyproject.toml"), Adjustments()))
        load_rules([folder], ENTRIES, Configuration(Path("ncu-triage.toml"), high))
    assert len(reads) == 2

"""A user's own thresholds, severities and omissions."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.engine.adjust import Adjustments, Configuration, configuration
from ncu_triage.engine.rule import Rule
from ncu_triage.errors import RuleError
from ncu_triage.pipeline import rules


def _rules(folder: Path, text: str, name: str = "ncu-triage.toml") -> dict[str, Rule]:
    path = folder / name
    path.write_text(text)
    return {item.rule.id: item.rule for item in rules((), path).rules}


def test_a_threshold_a_severity_and_an_omission(tmp_path: Path) -> None:
    found = _rules(
        tmp_path,
        'disable = ["short-kernel"]\n[severity]\nsmall-grid = "info"\n'
        "[thresholds.bandwidth-wall]\nwall = 85\n",
    )
    assert "short-kernel" not in found
    assert found["small-grid"].severity == "info"
    assert found["bandwidth-wall"].thresholds == {"wall": 85.0, "leaning": 70.0}


def test_a_projects_own_file_may_hold_it(tmp_path: Path) -> None:
    found = _rules(tmp_path, '[tool.ncu-triage]\ndisable = ["gemv-like"]\n', "pyproject.toml")
    assert "gemv-like" not in found


def test_the_current_folders_file_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ncu-triage.toml").write_text('disable = ["tail-effect"]')
    monkeypatch.chdir(tmp_path)
    rules.cache_clear()
    assert "tail-effect" not in {item.rule.id for item in rules().rules}
    rules.cache_clear()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('disable = ["short-kernal"]', "line 1: there is no rule 'short-kernal'; did you mean"),
        ("\n[thresholds.bandwidth-wall]\nwal = 85.0", "line 3: there is no threshold of"),
        ('[severity]\nsmall-grid = "grave"', "a severity is high, medium, low or info"),
        ("[thresholds.bandwidth-wall]\nwall = nan", "wall of bandwidth-wall is nan; a threshold"),
        ("[thresholds.bandwidth-wall]\nwall = inf", "line 2: wall of bandwidth-wall is inf"),
        ("[thresholds.bandwidth-wall]\nwall = -5", "is -5; a threshold is a finite number, 0 or"),
        ("[thresholds.bandwidth-wall]\nwall = 'high'", "line 2: wall of bandwidth-wall is 'high'"),
        ("[thresholds.bandwidth-wall]\n\nwall = true", "line 3: wall of bandwidth-wall is no"),
        ("colour = 1", "colour"),
        ("disable = [", "ncu-triage.toml"),
    ],
)
def test_a_fault_is_named_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        _rules(tmp_path, text)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(RuleError, match=r"none\.toml"):
        rules((), tmp_path / "none.toml")


def test_another_projects_file_is_none_of_our_business(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other\nbroken")
    assert configuration(None, tmp_path) == Configuration(None, Adjustments())

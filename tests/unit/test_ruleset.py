"""Faulty rule files are refused by name and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncu_triage.engine.ruleset import load_rules
from ncu_triage.errors import RuleError
from ncu_triage.model import CatalogueEntry

ENTRIES = {name: CatalogueEntry(unit="%", label=name) for name in ("load", "other")}
ENTRIES["l1_throughput_active_pct"] = CatalogueEntry(unit="%", label="L1")
GOOD = """\
id: high-load
title: "Load {load}"
status: stable
severity: high
needs: [load]
thresholds: {limit: 10.0}
when: load >= limit
evidence: [load >= limit]
cause: It is busy.
remedies: [Do less.]
false_alarms: None known.
collect: --section SpeedOfLight
references: []
cases: []
"""


def _load(folder: Path, text: str, name: str = "high-load.yaml") -> None:
    (folder / name).write_text(text)
    load_rules([folder], ENTRIES)


def test_a_good_rule_loads(tmp_path: Path) -> None:
    _load(tmp_path, GOOD)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("severity: high", "severity: grave", "severity"),
        ("severity: high", "colour: red", "colour"),
        ("cause: It is busy.", "", "cause"),
        ("when: load >= limit", "when: load >= 80", "write 80.0 for 80"),
        ("when: load >= limit", "when: other >= limit", "when: other is not among needs"),
        (
            "needs: [load]",
            "needs: [lode, load]",
            "line 5: needs: no quantity 'lode'; did you mean 'load'?",
        ),
        ("evidence: [load >= limit]", "evidence: [load >= nothing]", "no threshold 'nothing'"),
        ("evidence: [load >= limit]", "evidence: [lode]", "line 8: evidence: no quantity 'lode'"),
        ("evidence: [load >= limit]", "evidence: ['load !! 3']", "neither a quantity"),
        ("Load {load}", "Load {lode}", "line 2: text: no quantity 'lode'"),
        ("Load {load}", "Load {load:.zz}", "is no place for a number"),
        ("Load {load}", "Load {}", "is no place for a number"),
        ("Load {load}", "Load { open", "is no place for a number"),
        ("remedies:", "gain: {waste_in: [l9]}\nremedies:", "no unit l9"),
        ("remedies:", "gain: {idle_sms: true}\nremedies:", "give waste_in"),
        ("remedies:", "because_of: [ghost]\nremedies:", "no rule 'ghost'"),
        ("id: high-load", "id: other", "id and file name must agree"),
        ("title:", "title: [", "high-load.yaml"),
    ],
)
def test_a_fault_is_named_with_its_file(tmp_path: Path, old: str, new: str, words: str) -> None:
    with pytest.raises(RuleError) as caught:
        _load(tmp_path, GOOD.replace(old, new, 1))
    message = str(caught.value)
    assert "high-load.yaml" in message
    assert words in message
    assert "\n" not in message


OWN = """\
metrics:
  my_rate: {metric: lts__my_hit_rate.pct, unit: "%", label: My hit rate, basis: lookups}
"""


def test_a_rule_may_read_a_metric_under_a_name_of_its_own(tmp_path: Path) -> None:
    text = GOOD.replace("needs: [load]", OWN + "needs: [my_rate]").replace("load >=", "my_rate >=")
    (tmp_path / "high-load.yaml").write_text(text)
    loaded = load_rules([tmp_path], ENTRIES)
    assert loaded.metrics == {"my_rate": "lts__my_hit_rate.pct"}
    assert loaded.unit("my_rate") == "%"


@pytest.mark.parametrize("name", ["load", "bottleneck", "My-Rate"])
def test_a_name_that_is_taken_or_no_name_is_refused(tmp_path: Path, name: str) -> None:
    text = GOOD.replace("needs:", OWN.replace("my_rate", name) + "needs:", 1)
    with pytest.raises(RuleError, match="metrics: the name"):
        _load(tmp_path, text)

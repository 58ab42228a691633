"""Which launch speaks for a group of unlike launches, and how sure that is."""

from __future__ import annotations

from typing import Any

import pytest
from fixtures.diagnosis_builder import bottleneck, diagnosis, finding, quantities
from fixtures.diagnosis_builder import kernel as built
from msgspec.structs import replace

from ncu_triage.model import Confidence, KernelDiagnosis
from ncu_triage.model.representative import by_kind, confidence, representative
from ncu_triage.summary import groups
from ncu_triage.view.build import view


def one(id: str, seconds: float | None, kind: Any, sure: Confidence = "high") -> KernelDiagnosis:
    numbers = {} if seconds is None else quantities(seconds)
    limit = replace(bottleneck(kind), confidence=sure)
    return built(id=id, quantities=numbers, bottleneck=limit, findings=[finding(f"r-{kind}")])


SHORT = [one(f"0/0/{i}", 3e-6, "launch-dominated") for i in range(5)]
LONG = [one("0/0/5", 4e-3, "dram-bandwidth"), one("0/0/6", 5e-3, "dram-bandwidth")]


def test_the_time_decides_not_the_number() -> None:
    kinds = by_kind([*SHORT, *LONG])
    assert [(k.kind, len(k.launches)) for k in kinds] == [
        ("dram-bandwidth", 2),
        ("launch-dominated", 5),
    ]
    # 9 ms of 9.015 ms.
    assert kinds[0].share == pytest.approx(9 / 9.015)
    # Of two the one of lower median duration.
    assert representative([*SHORT, *LONG]).id == "0/0/5"


def test_without_times_the_number_decides() -> None:
    untimed = [one(str(i), None, kind) for i, kind in enumerate(("latency", "issue-bound") * 2)]
    assert representative([*untimed, one("x", None, "latency")]).id == "0"


@pytest.mark.parametrize(
    ("seconds", "sure", "expected"),
    [
        ((9.0, 1.0), "high", "high"),
        ((7.0, 3.0), "high", "medium"),
        ((4.0, 3.0, 3.0), "high", "low"),
        ((9.0, 1.0), "medium", "medium"),
        ((7.0, 3.0), "low", "low"),
    ],
)
def test_only_most_of_the_time_makes_sure(
    seconds: tuple[float, ...], sure: Confidence, expected: Confidence
) -> None:
    kinds = ("latency", "issue-bound", "underfilled")
    launches = [
        one(str(i), s, k, sure) for i, (s, k) in enumerate(zip(seconds, kinds, strict=False))
    ]
    assert confidence(launches) == expected


def test_every_output_tells_of_that_launch() -> None:
    found = diagnosis([*SHORT, *LONG])
    (group,) = groups(found.kernels)
    assert (group.representative, group.confidence) == ("0/0/5", "high")
    # An older file does not say; the same launch speaks.
    for made in (found, replace(found, groups=[replace(found.groups[0], representative="0/0/5")])):
        shown = view(made)
        assert shown.cards[0].mark.kind == shown.table.rows[0].mark.kind == "dram-bandwidth"
        assert shown.verdict.headline.endswith("is limited by DRAM bandwidth.")
        assert shown.verdict.sentences[1:] == [
            "Its launches differ. DRAM bandwidth: 2 launches, 99.8 % of the time."
            " Launch overhead: 5 launches, 0.2 % of the time.",
            "Confidence: high.",
        ]
        assert shown.cards[0].mixed[2:] == ["Found in other launches only: R launch dominated (5)"]


def test_findings_of_other_launches_are_told_by_rule_and_not_all_of_them() -> None:
    many = [finding(f"rule-{i}", title=f"Rule {i}: 7.1 %") for i in range(6)]
    again = [finding("rule-0", title="Rule 0: 7.2 %")]
    made = [replace(LONG[i], findings=found) for i, found in enumerate(([], many))]
    # Of 3, 4 and 5 ms the one of 4 ms speaks.
    made.append(replace(made[0], quantities=quantities(3e-3), findings=again))
    assert view(diagnosis(made)).cards[0].mixed == [
        "Found in other launches only: Rule 0 (2), Rule 1 (1), Rule 2 (1), Rule 3 (1)"
        " and 2 more findings"
    ]

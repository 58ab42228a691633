"""The whole way: what is found of a report as a whole, and which launches it names."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.diagnosis_builder import finding
from fixtures.reports_whole import chain, moving, transposes, written
from fixtures.whole import MB, one

from ncu_triage.engine.priorities import priorities
from ncu_triage.engine.whole.layout import FUNCTORS, NAMES, WORK
from ncu_triage.errors import RuleError
from ncu_triage.model import Diagnosis, Finding, Gain, Part
from ncu_triage.pipeline import diagnose, names, rules
from ncu_triage.resources import data_dir


def _judged(tmp_path: Path, launches: object) -> Diagnosis:
    judged, failures = diagnose([written(tmp_path, launches)], rules())
    assert not failures
    return judged


def _found(judged: Diagnosis, rule: str) -> Finding:
    (found,) = [f for f in judged.findings if f.rule == rule]
    return found


def _shown(of: Finding | Part) -> dict[str, object]:
    return {one.quantity: one.value for one in of.evidence}


def test_a_chain_is_named_with_the_bytes_and_the_time_that_fusing_saves(tmp_path: Path) -> None:
    judged = _judged(tmp_path, chain())
    found = _found(judged, "fusion-candidate")
    numbers = _shown(found)
    assert numbers["fusion_launches"] == 3.0
    assert numbers["fusion_bytes"] == pytest.approx(200 * MB)
    assert numbers["fusion_bytes_saved"] == pytest.approx(400 * MB)
    # 400 of the 600 MB that the steps move in 1,203 µs; all launches take 3,000 µs.
    assert numbers["fusion_time"] == pytest.approx(802e-6)
    assert numbers["fusion_time_pct"] == pytest.approx(100 * 802 / 3000)
    (part,) = found.parts
    assert part.kernels == ["0/0/0", "0/0/1", "0/0/2"]
    assert part.sequence
    assert part.share_pct == pytest.approx(100 * 1203 / 3000)
    assert judged.catalogue["fusion_bytes"].unit == "byte"


def test_a_chain_joins_what_to_fix_first(tmp_path: Path) -> None:
    judged = _judged(tmp_path, chain())
    (first,) = [one for one in judged.priorities if one.rule == "fusion-candidate"]
    assert first.kernels == ["0/0/0", "0/0/1", "0/0/2"]
    assert first.time_saved.at_most == pytest.approx(802e-6)
    assert first.time_saved.expected == pytest.approx(0.7 * 802e-6)


def test_transposes_are_named_and_their_bytes_add_up(tmp_path: Path) -> None:
    found = _found(_judged(tmp_path, transposes()), "layout-copies")
    assert found.confidence == "medium"  # the traffic bears the names out
    assert _shown(found)["layout_bytes"] == pytest.approx(240 * MB)
    assert [part.kernels for part in found.parts] == [["0/0/1"], ["0/0/3"]]
    assert [_shown(part)["layout_bytes"] for part in found.parts] == pytest.approx([160e6, 80e6])
    assert found.gain is not None
    assert found.gain.at_most_pct == pytest.approx(100 * 500 / 4501)
    assert found.gain.expected_pct == pytest.approx(0.3 * found.gain.at_most_pct)


def test_a_study_of_copies_expects_nothing_of_leaving_them_out(tmp_path: Path) -> None:
    copies = [moving(f"transpose{name}", 300, 80, 80) for name in ("One", "Two")]
    judged = _judged(tmp_path, copies)
    found = _found(judged, "layout-copies")
    assert (found.severity, found.gain and found.gain.at_most_pct) == ("info", 0.0)
    assert not any(one.rule == "layout-copies" for one in judged.priorities)


def test_a_rule_about_the_whole_that_lacks_numbers_says_what_to_collect(tmp_path: Path) -> None:
    bare = [moving(name, 400, 100, 100) for name in ("scale", "bias")]
    for step in bare:
        for metric in ("dram__bytes_read.sum", "dram__bytes_write.sum"):
            del step.metrics[metric]  # type: ignore[attr-defined]
    (undecided,) = [u for u in _judged(tmp_path, bare).undecided if u.rule == "fusion-candidate"]
    assert undecided.missing == ["fusion_launches", "fusion_time_pct"]
    assert "MemoryWorkloadAnalysis" in undecided.collect


def test_a_single_launch_has_nothing_between_it_and_others(tmp_path: Path) -> None:
    judged = _judged(tmp_path, [moving("transpose", 400, 100, 100)])
    assert (judged.findings, judged.undecided) == ([], [])


def _of_whole(rule: str, expected: float, *kernels: str) -> Finding:
    gain = Gain(expected_pct=expected, at_most_pct=2 * expected, limited_by="the work itself")
    return finding(rule, gain=gain, parts=[Part(kernels=list(kernels), time=1.0)])


def test_what_two_rules_say_of_the_same_launches_counts_once() -> None:
    launches = [one("a", 1.0), one("b", 1.0)]
    larger, smaller = _of_whole("fusion", 20.0, "x", "y"), _of_whole("layout", 10.0, "x", "y")
    apart = _of_whole("shape", 5.0, "y", "z")
    ranked = priorities(launches, [smaller, larger, apart])
    assert [p.rule for p in ranked] == ["fusion", "shape"]
    assert ranked[0].time_saved.expected == pytest.approx(0.2 * 2.0)
    assert ranked[0].share_pct == 20.0


def test_both_layout_rules_go_by_the_same_words() -> None:
    text = (data_dir("rules") / "layout-copy.yaml").read_text(encoding="utf-8")
    assert all(f'matches("{pattern}")' in text for pattern in (NAMES, FUNCTORS, WORK))


@pytest.mark.parametrize(
    ("scope", "theme", "said"),
    [("report", "fusio", "did you mean 'fusion'"), ("kernel", "fusion", "scope: report")],
)
def test_a_theme_must_be_there_and_about_the_report(
    tmp_path: Path, scope: str, theme: str, said: str
) -> None:
    from ncu_triage.engine.ruleset import load_rules

    text = (data_dir("rules") / "fusion-candidate.yaml").read_text(encoding="utf-8")
    text = text.replace("scope: report", f"scope: {scope}")
    text = text.replace("parts: fusion", f"parts: {theme}")
    (tmp_path / "fusion-candidate.yaml").write_text(text)
    with pytest.raises(RuleError, match=said):
        load_rules([tmp_path], names())

"""Findings about the whole report in every output: their launches, bytes and time."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.diagnosis_builder import diagnosis, finding, kernel
from fixtures.reports_whole import chain, transposes, written

from ncu_triage.model import Diagnosis, Part, RuleFailure, Undecided
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.render import console, renderer
from ncu_triage.render.json_ import read, render
from ncu_triage.view.build import view


@pytest.fixture
def fused(tmp_path: Path) -> Diagnosis:
    return diagnose([written(tmp_path, chain())], rules())[0]


def test_a_chain_is_shown_in_its_order_with_its_numbers(fused: Diagnosis) -> None:
    (shown,) = (f for f in view(fused).findings if f.rule == "fusion-candidate")
    assert shown.parts is not None
    (row,) = shown.parts.rows
    assert row.between.join(name.short for name in row.kernels) == "scale → bias → relu"
    assert (row.launches, row.share) == ("3 launches", "1.20 ms, 40.1 %")
    assert row.numbers.startswith("Bytes handed on 200 MB; Time of this traffic 802 µs; ")
    assert shown.gain is not None
    assert shown.gain.of == "the time of the whole report"
    assert shown.gain.time == "561 µs, at most 802 µs of 3.00 ms"


@pytest.mark.parametrize("kind", ["html", "md"])
def test_page_and_ticket_name_the_launches(fused: Diagnosis, kind: str) -> None:
    text = renderer(kind)(fused).decode().replace("\N{NO-BREAK SPACE}", " ")
    assert text.index("About the whole report") < text.index("Kernel by kernel")
    told = text[text.index("About the whole report") :]
    assert told.index("Bytes handed on 200 MB") < told.index("Kernel by kernel")
    assert "of the time of the whole report" in told
    assert "3 launches" in told


def test_the_terminal_says_it_once(fused: Diagnosis) -> None:
    text = console.render(fused, width=160)
    assert text.count("Fusion: 3 launches") == 1
    assert "relu, bias, scale" in text  # what takes longest first


def test_the_json_reads_back(fused: Diagnosis) -> None:
    assert read(render(fused)) == fused
    assert fused.findings[0].parts


def test_an_older_json_has_no_parts(fused: Diagnosis) -> None:
    text = render(fused).replace(b'"parts"', b'"of_old"').replace(b'"workload"', b'"of_old2"', 0)
    older = read(text)
    assert [f.parts for f in older.findings] == [[] for _ in fused.findings]


def test_what_a_part_is_held_against_is_told_by_its_shape() -> None:
    shapes = [
        kernel(quantities={"duration": t}, grid=(n, 1, 1), block=(256, 1, 1))
        for t, n in ((1e-3, 64), (3e-3, 128))
    ]
    part = Part(kernels=["0/0/1"], time=3e-3, share_pct=75.0, against="0/0/0")
    made = diagnosis(shapes, findings=[finding("slow-shape", parts=[part])])
    (shown,) = view(made).findings
    assert shown.parts is not None
    (row,) = shown.parts.rows
    assert row.shape == "grid 128, block 256"
    assert row.numbers == "against grid 64, block 256: 1.00 ms a launch"


def test_of_many_parts_the_first_are_listed_and_the_others_counted() -> None:
    kernels = [kernel(name=f"step{i}", quantities={"duration": 1e-3}) for i in range(9)]
    parts = [Part(kernels=[f"0/0/{i}"], time=1e-3, share_pct=11.1) for i in range(9)]
    made = diagnosis(kernels, findings=[finding("layout-copies", parts=parts)])
    (shown,) = view(made).findings
    assert shown.parts is not None
    assert len(shown.parts.rows) == 6
    assert shown.parts.rest == "And 3 more: 3 launches, 3.00 ms."
    assert "And 3 more" in renderer("md")(made).decode()


def test_what_is_open_about_the_whole_is_told_with_what_to_collect() -> None:
    open_ = Undecided(rule="fusion-candidate", missing=["fusion_launches"], collect="--section A")
    made = diagnosis([kernel()] * 2, undecided=[open_])
    (shown,) = view(made).undecided
    assert (shown.rule, shown.collect, shown.share) == (
        "fusion-candidate",
        "--section A",
        "100.0 %",
    )


def test_a_rule_about_the_whole_that_failed_is_told() -> None:
    failed = RuleFailure(rule="own", message="no overload")
    (notice,) = view(diagnosis([kernel()], rule_errors=[failed])).notices
    assert notice.text == "The rule own failed: no overload."


def test_a_gain_of_nothing_is_not_told(tmp_path: Path) -> None:
    copies = [one for one in transposes() if "matmul" not in one.name]
    made, _ = diagnose([written(tmp_path, copies)], rules())
    (shown,) = (f for f in view(made).findings if f.rule == "layout-copies")
    assert shown.gain is None

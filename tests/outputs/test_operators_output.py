"""Operators in every output: the same numbers, nothing hostile, nothing where there are none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import HOSTILE, copy, realistic
from fixtures.operators_case import write_case
from msgspec.structs import replace

from ncu_triage import api
from ncu_triage.model import Diagnosis, Operator
from ncu_triage.operators.judge import in_theory
from ncu_triage.operators.registry import kind
from ncu_triage.operators.theory import Given, theory
from ncu_triage.privacy.aliases import anonymous
from ncu_triage.render import console, json_, markdown, renderer
from ncu_triage.view.build import view
from ncu_triage.view.operators import MEANING
from ncu_triage.view.shown_operators import OperatorView


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    report, operators = write_case(tmp_path_factory.mktemp("operators"))
    return api.diagnose(report, operators=operators)


def operator(name: str = "Copy", **overrides: Any) -> Operator:
    """Build an operator that has its theory alone."""
    what, given = kind("copy"), Given({"elements": 50_000_000}, "fp32")
    return replace(in_theory(name, what, given, theory(what, given)), **overrides)


def _views(given: Diagnosis) -> dict[str, OperatorView]:
    return {one.name: one for one in view(given).operators}


def test_the_most_time_above_the_best_comes_first(found: Diagnosis) -> None:
    # twice 16 - 4.79, once 4.79 - 2.40, twice 0.9 - 0.6 ms
    assert [(one.name, one.above) for one in view(found).operators] == [
        ("Attention", "22.4 ms"),
        ("QKV projection", "2.40 ms"),
        ("Residual add", "600 µs"),
    ]


def test_a_card_has_theory_and_measurement_side_by_side(found: Diagnosis) -> None:
    one = _views(found)["QKV projection"]
    assert (
        one.sentence == "It takes 2.00 × the roofline's best time and moves 10.0 × the least bytes."
    )
    assert one.shape == "m 4,096, n 4,096, k 4,096; fp16"
    rows = {row.label: (row.theory, row.measured, row.ratio) for row in one.rows}
    assert rows == {
        "Time": ("2.40 ms", "4.79 ms", "2.00 ×"),
        "DRAM bytes": ("101 MB", "1.01 GB", "10.0 ×"),
        "FLOPs": ("137 GFLOP", "137 GFLOP", "1.00 ×"),
        "Intensity": ("1,365 FLOP/byte", "137 FLOP/byte", None),
        "Useful work": ("100.0 %", None, None),
    }
    assert one.rows[0].note == "best by Tensor FP16 compute, 57.3 TFLOP/s"
    assert one.formulas[0].text == "2 * batch * m * n * k = 137,438,953,472"


def test_a_doubtful_operator_is_said_to_be_so(found: Diagnosis) -> None:
    product = replace(found.operators[1], doubtful=True)
    (one,) = _views(replace(found, operators=[product])).values()
    assert one.sentence == (
        "As it is given, it takes 2.00 × the roofline's best time and moves 10.0 × the least "
        "bytes: the shape or the calls look wrong."
    )
    assert (one.over_best, one.traffic) == ("2.00 × ?", "10.0 × ?")
    note = view(replace(found, operators=[product])).operators_note
    assert note == f"{MEANING} A ? stands where the shape or the calls look wrong."


def test_a_bandwidth_bound_card_says_both_bandwidths(found: Diagnosis) -> None:
    one = _views(found)["Residual add"]
    assert one.rows[0].note == "best by DRAM bandwidth, 538 GB/s; 504 µs at nominal bandwidth"
    assert one.launches == "2 launches"
    assert _views(found)["Attention"].launches == "6 launches in 2 calls"
    assert (one.traffic, one.over_best) == ("2.00 ×", "1.50 ×")


@pytest.mark.parametrize("output", ["html", "static", "md", "terminal"])
def test_every_output_for_readers_has_them(found: Diagnosis, output: str) -> None:
    if output == "terminal":
        text = console.render(found, width=100)
    else:
        text = renderer(output)(found).decode()
    flat = " ".join(re.sub(r"<[^>]+>|\|", " ", text.replace("\N{NO-BREAK SPACE}", " ")).split())
    assert "QKV projection" in flat
    for number in ("4.79 ms", "2.40 ms", "2.00 ×", "10.0 ×"):
        assert number in flat, (output, number)


def test_the_terminal_tells_the_operators_of_a_kernel_in_full(found: Diagnosis) -> None:
    choice = console.Choice(kernel=re.compile("gemm"))
    text = console.render(found, width=100, choice=choice)
    assert "QKV projection: GEMM, m 4,096, n 4,096, k 4,096; fp16" in text
    assert re.search(r"Intensity +1,365 FLOP/byte +137 FLOP/byte", text)
    assert "Residual add" not in text
    assert "operator QKV projection" in text  # on the kernel's card, too
    assert max(map(len, text.splitlines())) <= 100


def test_the_json_reads_back_with_them(found: Diagnosis) -> None:
    assert json_.read(json_.render(found)).operators == found.operators


def test_a_json_from_before_has_none() -> None:
    data = json_.render(diagnosis([copy()])).replace(b',"operators":[]', b"")
    assert b"operators" not in data
    assert json_.read(data).operators == []


def test_where_there_are_none_no_output_speaks_of_them() -> None:
    given = realistic()
    assert view(given).operators_note is None
    for text in (
        renderer("html")(given).decode(),
        markdown.render(given).decode(),
        console.render(given),
    ):
        assert "perators" not in text


def test_hostile_names_stay_text() -> None:
    evil = operator(HOSTILE, title=HOSTILE, notes=[HOSTILE], flops_formula=HOSTILE, flops=1.0)
    given = diagnosis([copy()], operators=[evil])
    for output in ("html", "static", "md"):
        text = re.sub(r"`[^`\n]*`", "", renderer(output)(given).decode())
        assert "<img src=x" not in text, output
    assert "\x1b" not in console.render(replace(given, operators=[operator("a\x1b[2Jb")]))


def test_aliases_replace_the_names_of_operators(found: Diagnosis) -> None:
    hidden = anonymous(found)
    assert all(re.fullmatch(r"operator_[0-9a-f]{8}", one.name) for one in hidden.operators)
    assert [t.name for t in hidden.operators[1].tensors] == ["A", "B", "C"]
    for output in ("html", "md", "json"):
        assert "QKV" not in renderer(output)(hidden).decode()


def test_an_operator_without_a_launch_shows_its_theory() -> None:
    given = diagnosis([copy()], operators=[operator(absent={"kernels": "no launch matches"})])
    (one,) = view(given).operators
    assert one.sentence == "No launch of this report matches it."
    assert [row.label for row in one.rows] == ["Least bytes", "FLOPs"]
    assert "No launch of this report matches it." in console.render(given)
    assert "No launch of this report matches it." in renderer("static")(given).decode()


def test_many_operators_fit_a_comment(found: Diagnosis) -> None:
    many = [replace(found.operators[1], name=f"Copy {i}") for i in range(500)]
    text = markdown.render(replace(found, operators=many)).decode()
    assert len(text.encode()) <= markdown.LIMIT
    assert "460 more operators are not listed" in text
    assert MEANING[:20] in text


def test_the_page_of_a_thousand_operators_is_written(tmp_path: Path) -> None:
    many = [operator(f"Copy {i}") for i in range(1000)]
    page = renderer("static")(diagnosis([copy()], operators=many))
    assert page.count(b'class="operator"') == 1000


def test_integers_are_counted_in_operations() -> None:
    what, given = kind("gemm"), Given({"m": 4096, "n": 4096, "k": 4096}, "int8")
    worked = in_theory("Product", what, given, theory(what, given))
    one = view(diagnosis([copy()], operators=[worked])).operators[0]
    assert [(row.label, row.theory) for row in one.rows] == [
        ("Least bytes", "50.3 MB"),
        ("OPs", "137 GOP"),
        ("Intensity", "2,731 OP/byte"),
    ]


@pytest.mark.parametrize("width", [20, 40, 60, 200])
@pytest.mark.parametrize("pattern", [None, "gemm"])
def test_the_terminal_is_never_wider_than_it_is(
    found: Diagnosis, width: int, pattern: str | None
) -> None:
    long = replace(found.operators[1], name="the projection of queries, keys and values " * 3)
    choice = console.Choice(kernel=re.compile(pattern) if pattern else None)
    text = console.render(replace(found, operators=[long]), width=width, choice=choice)
    told = text[text.index("Operators" if pattern is None else "the projection") :]
    assert max(map(len, told.split("Note:")[0].splitlines())) <= max(width, 40)

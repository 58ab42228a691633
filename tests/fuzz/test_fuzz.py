"""A short run of the fuzzer, and the inputs that once broke something."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.diagnosis_builder import diagnosis, kernel, quantities
from fixtures.diagnosis_cases import transpose
from fixtures.example import PATH as EXAMPLE
from fuzz import report, wire
from fuzz.checks import problems
from fuzz.pool import outcomes
from fuzz.seeds import own
from fuzz.target import called

from ncu_triage.compare.build import compare
from ncu_triage.render import comparison_json
from ncu_triage.render.json_ import render
from ncu_triage.view.axes import axis, value_at

INPUTS = 240
DEEP = 100_000


def test_a_few_hundred_broken_inputs_break_nothing() -> None:
    found = list(outcomes(own(), 1, range(INPUTS), jobs=2))
    assert [(one.number, one.problems) for one in found if one.problems] == []
    assert sorted(one.number for one in found) == list(range(INPUTS))
    assert {0, 2, 3} <= {one.code for one in found}
    assert {one.kind for one in found} == {one.kind for one in own()}


def test_what_is_taken_apart_goes_together_again() -> None:
    data = EXAMPLE.read_bytes()
    head, blocks = report.taken_apart(data)
    assert report.taken_apart(report.put_together(head, blocks)) == (head, blocks)
    for message in (one for block in blocks for one in block.messages):
        assert wire.encoded(wire.decoded(message) or []) == message


def _refused(tmp_path: Path, name: str, content: str | bytes, *words: str) -> str:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    ran = called([one.replace("FILE", str(path)) for one in words], [])
    assert ran.code in (2, 3) and ran.said.count("\n") == 1 and "bug" not in ran.said, ran
    assert len(ran.said) < 6100
    return ran.said


def test_a_row_that_lost_its_quotes_and_its_end_is_left_out(tmp_path: Path) -> None:
    """Put together again, it was shorter than the header."""
    table = (
        b"ID,Process ID,Process Name,Host Name,Kernel Name,Context,Block Size,Grid Size,"
        b"Section Name,Metric Name,Metric Unit,Metric Value,CC,\n"
        b"0,,,,,,(8,1,1,(6,1,1),,S,,"
    )
    _refused(tmp_path, "cut.csv", table, "FILE")


@pytest.mark.parametrize("time", ["-0", "0", "5e-324", "1e308"])
def test_launches_that_take_no_time_or_all_of_it_are_judged(tmp_path: Path, time: str) -> None:
    path = tmp_path / "gui.csv"
    path.write_text(f"ID,0,1\nFunction Name,a,b\ngpu__time_duration.sum [us],{time},{time}\n")
    outputs = [tmp_path / "out.json", tmp_path / "out.html"]
    ran = called([str(path), "-o", str(outputs[0]), "-o", str(outputs[1])], outputs)
    assert list(problems(ran, (0, 3), partly=False)) == []


@pytest.mark.parametrize(
    "text",
    [
        f"a = '{'x' * (1 << 20)}'",
        f"a = {'[' * 5000}",
        f"a = {'9' * 5000}",
        "tool = 1",
        f'disable = ["{"x" * 9000}"]',
    ],
)
def test_a_setting_that_python_cannot_hold_is_refused(tmp_path: Path, text: str) -> None:
    """Deep brackets, long numbers and scalars in place of tables were bugs, not errors."""
    for name in ("own.toml", "pyproject.toml"):
        if name == "own.toml" or "disable" not in text:
            _refused(tmp_path, name, text, str(EXAMPLE), "--config", "FILE")
    _refused(
        tmp_path, "a.toml", text, str(EXAMPLE), "--fail-on", "severity=high", "--acknowledged",
        "FILE",
    )  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "title: 2020-99-99",
        f"title: {'9' * 5000}",
        "title: !!bool x",
        "title: !!timestamp x",
        "title: !!float x",
        "- " * 5000,
        "a: &a [*a]",
        f"title: {'x' * (1 << 20)}",
        "\n".join(["a0: &a0 [x]", *(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]" for i in range(1, 60))]),
    ],
)
def test_a_rule_with_a_value_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "rules").mkdir()
    said = _refused(
        tmp_path, "rules/x.yaml", text, str(EXAMPLE), "--rules", str(tmp_path / "rules")
    )
    assert "x.yaml" in said


def test_a_diagnosis_that_is_nested_too_deeply_is_refused(tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    base.write_bytes(render(diagnosis([transpose()])))
    for text in ('{"x":' + "[" * DEEP, '{"x":' + "[" * DEEP + "]" * DEEP + "}"):
        assert "is no diagnosis" in _refused(
            tmp_path, "deep.json", text, "compare", str(base), "FILE"
        )


def test_an_axis_of_absurd_numbers_has_ends() -> None:
    shown = axis("Intensity", "FLOP/B", [5e-324, 1e-3, 1.7e308])
    assert -301 < shown.low < shown.high < 301
    assert value_at(5000.0, shown, 1000.0) == 1e300


@pytest.mark.parametrize("seconds", [5e-324, 1e-300, -1.0, 1e300])
def test_a_time_that_no_launch_can_take_is_no_time(seconds: float) -> None:
    sides = (
        diagnosis([kernel(quantities=quantities(1e-3))]),
        diagnosis([kernel(quantities=quantities(seconds))]),
    )
    for pair in (sides, sides[::-1]):
        found = compare(*pair)
        assert b"null" in comparison_json.render(found)
        assert found.kernels[0].time is None

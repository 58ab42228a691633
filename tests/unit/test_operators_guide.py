"""The guide: its formulas are those that are computed, and so are its numbers."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from ncu_triage.operators.calculate import calculate
from ncu_triage.operators.plan import read_plan
from ncu_triage.operators.registry import kind, kind_ids
from ncu_triage.operators.show import formulas, page
from ncu_triage.units import digits
from ncu_triage.view.operators import operator

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "operators.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### ([\w-]+)\n(.*?)(?=^### |\Z)", GUIDE, re.MULTILINE | re.DOTALL))


def _worked(call: str) -> tuple[str, str, str, str]:
    """Work a call of the guide out, and print it as the guide does."""
    program, command, id, *words = shlex.split(call)
    assert (program, command) == ("ncu-triage", "operators")
    found = calculate(kind(id), words, ())
    numbers = (f"{n:,.0f}" for n in (found.flops, found.bytes_read, found.bytes_written))
    return (*numbers, digits(found.intensity, 4))  # type: ignore[return-value]


def test_every_operator_has_its_section() -> None:
    assert set(SECTIONS) == set(kind_ids())


@pytest.mark.parametrize("id", kind_ids())
def test_the_formulas_are_those_that_are_computed(id: str) -> None:
    (block,) = re.findall(r"```text\n(.*?)\n```", SECTIONS[id], re.DOTALL)
    assert block.splitlines() == formulas(kind(id))
    assert kind(id).source in SECTIONS[id]
    assert kind(id).counting in SECTIONS[id]


@pytest.mark.parametrize("id", kind_ids())
def test_the_numbers_are_those_that_are_computed(id: str) -> None:
    (call,) = re.findall(r"^`(ncu-triage .*)`$", SECTIONS[id], re.MULTILINE)
    row = SECTIONS[id].strip().splitlines()[-1]
    assert tuple(cell.strip() for cell in row.strip("| ").split("|")) == _worked(call)


def test_the_well_known_intensities_are_those_that_are_computed() -> None:
    rows = re.findall(r"^\| `(ncu-triage operators .*)` \| (.*) \|$", GUIDE, re.MULTILINE)
    assert len(rows) == 4
    for call, intensity in rows:
        assert _worked(call)[3] == intensity


def test_the_times_are_those_that_are_computed() -> None:
    assert "400 MB, 1.25 ms at the T4's nominal bandwidth and 1.45 ms at what kernels" in GUIDE
    copied = operator(calculate(kind("copy"), ["elements=50000000", "type=fp32"], ["T4"]))
    assert (copied.roofs[0].nominal, copied.roofs[0].achievable) == ("1.25 ms", "1.45 ms")
    assert "needs 137 GFLOP and 101 MB, and takes\n2.11 ms of a T4 at best" in GUIDE
    words = ["m=4096", "n=4096", "k=4096", "type=fp16"]
    product = operator(calculate(kind("gemm"), words, ["T4"]))
    assert [row.theory for row in product.rows[:2]] == ["101 MB", "137 GFLOP"]
    assert product.best == "2.11 ms"


def test_the_types_that_the_calculator_takes_are_those_of_the_guide() -> None:
    (told,) = re.findall(r"takes fp32 for (.*?) and formulas of your own, fp16", GUIDE)
    assert re.findall(r"`([\w-]+)`", told) == [id for id in kind_ids() if kind(id).type != "fp16"]
    assert f"type         type of the elements ({kind('copy').type})" in page(kind("copy"))


@pytest.mark.parametrize("block", re.findall(r"```yaml\n(.*?)```", GUIDE, re.DOTALL))
def test_the_files_in_the_guide_are_read(tmp_path: Path, block: str) -> None:
    path = tmp_path / "ops.yaml"
    path.write_text(block, encoding="utf-8")
    assert all(entry.theory.bytes > 0 for entry in read_plan(path).entries)

"""What holds for every output, whatever it shows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from fixtures.diagnosis_builder import diagnosis, empty, kernel
from fixtures.diagnosis_cases import basic, hostile_report, realistic, tiny, transpose
from fixtures.timeline_pair import beside_another_gpu, beside_example
from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.render import OUTPUTS, console, kind_of, notebook, renderer

CASES: dict[str, Callable[[], Diagnosis]] = {
    "empty": empty,
    "one": lambda: diagnosis([transpose()]),
    "many": realistic,
    "undecided": lambda: diagnosis([basic()]),
    "hostile": hostile_report,
    "no times": lambda: diagnosis([kernel(quantities={}), basic(quantities={})]),
    "timeline": beside_example,
    "refused timeline": beside_another_gpu,
    "hundreds": lambda: diagnosis([tiny(grid=(n, 1, 1)) for n in range(2, 122)]),
}
RENDERERS = {
    **{kind: renderer(kind) for kind in OUTPUTS},
    "terminal": partial(console.render, width=80),
    "colour": partial(console.render, colour=True, width=120),
    "notebook": notebook.render,
}


@pytest.mark.parametrize("name", RENDERERS)
@pytest.mark.parametrize("case", CASES)
def test_every_output_shows_every_case_the_same_each_time(name: str, case: str) -> None:
    render = RENDERERS[name]
    once = render(CASES[case]())
    assert once
    assert render(CASES[case]()) == once


@pytest.mark.parametrize("name", sorted(RENDERERS.keys() - {"json"}))
@pytest.mark.parametrize("folder", ["/home/adalovelace/", "C:\\Users\\adalovelace\\"])
def test_no_folder_of_a_report_is_shown(name: str, folder: str) -> None:
    given = realistic()
    source = replace(given.sources[0], name=f"{folder}nightly.ncu-rep")
    shown = RENDERERS[name](replace(given, sources=[source]))
    text = shown if isinstance(shown, str) else shown.decode(errors="replace")
    assert "adalovelace" not in text
    assert "nightly.ncu-rep" in text or name in ("csv", "png")


@pytest.mark.parametrize("name", sorted(RENDERERS.keys() - {"json", "png", "colour", "sarif"}))
def test_marks_that_turn_the_direction_reach_no_reader(name: str) -> None:
    shown = RENDERERS[name](hostile_report("evil\u202egnp.exe\u2066\x07\x1b[2J\x00"))
    text = shown if isinstance(shown, str) else shown.decode(errors="replace")
    assert not set("\u202e\u2066\x07\x1b\x00") & set(text)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("diag.html", "html"),
        ("DIAG.JSON", "json"),
        ("diag.md", "md"),
        ("roof.svg", "svg"),
        ("diag", None),
        ("diag.pdf", None),
        ("diag.static", None),
    ],
)
def test_the_ending_decides_the_kind(name: str, kind: str | None) -> None:
    assert kind_of(name) == kind

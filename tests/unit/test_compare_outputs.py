"""The outputs of a comparison: the same each time, whole, and nothing but text."""

from __future__ import annotations

import datetime
import json
import re
from collections.abc import Callable, Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis, empty, finding, kernel, quantities
from fixtures.diagnosis_cases import copy, hostile, realistic, tiny, transpose
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.conditions import condition
from ncu_triage.gate.gated import Gated
from ncu_triage.gate.judge import gate
from ncu_triage.model import Settings
from ncu_triage.render import comparison_console, comparison_json
from ncu_triage.render.comparison_outputs import COMPARISON_OUTPUTS, comparison_renderer

TODAY = datetime.date(2026, 11, 29)
TEXTS = ("regression=5%", "severity=low", "warn:bottleneck-change", "nothing-measured")


@pytest.fixture(scope="module", autouse=True)
def cache_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep compiled templates out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def _healed() -> Comparison:
    healed = transpose(
        name="transposePadded",
        demangled="transposePadded(float *, const float *, int, int)",
        quantities=transpose().quantities | {"duration": 0.9e-3, "bank_conflict_load_pct": 0.0},
        findings=[],
    )
    return compare(diagnosis([transpose(), copy()]), diagnosis([healed, copy()]))


def _hundreds() -> Comparison:
    many = [tiny(grid=(n, 1, 1)) for n in range(2, 302)]
    slow = [replace(k, quantities=quantities(9e-6), findings=[finding()]) for k in many]
    return compare(diagnosis(many), diagnosis(slow))


def _grown() -> Comparison:
    """One launch of 1 ms before, two of them after, and a finding about the whole."""
    one = kernel(quantities=quantities(1e-3))
    whole = [finding("launch-overhead", title="Launches cost more than they do")]
    return compare(diagnosis([one]), diagnosis([one, one], findings=whole))


CASES: dict[str, Callable[[], Comparison]] = {
    "healed": _healed,
    "grown": _grown,
    "itself": lambda: compare(realistic(), realistic()),
    "empty": lambda: compare(empty(), empty()),
    "nothing in common": lambda: compare(realistic(), diagnosis([copy(), tiny()])),
    "hostile": lambda: compare(diagnosis([hostile()]), diagnosis([hostile(), hostile()])),
    "no times": lambda: compare(
        diagnosis([kernel(quantities={})]), diagnosis([kernel(quantities={})])
    ),
    "not comparable": lambda: compare(
        diagnosis([copy()], collection=Settings(set="full", clock_control="base")),
        diagnosis([copy()], collection=Settings(set="basic", clock_control="none")),
    ),
    "hundreds": _hundreds,
}


def _gated(found: Comparison) -> Gated:
    return Gated(gate(found, [condition(text) for text in TEXTS], [], TODAY))


def _render(kind: str, found: Comparison, gated: Gated | None = None) -> str:
    if kind in ("terminal", "colour"):
        return comparison_console.render(found, colour=kind == "colour", width=80)
    return comparison_renderer(kind)(found, gated).decode()


ALL = [*COMPARISON_OUTPUTS, "terminal", "colour"]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("kind", ALL)
def test_every_output_shows_every_case_the_same_each_time(kind: str, case: str) -> None:
    found = CASES[case]()
    for gated in (None, _gated(found)):
        once = _render(kind, found, gated)
        assert once
        assert _render(kind, CASES[case](), gated) == once


@pytest.mark.parametrize("kind", [kind for kind in ALL if kind != "json"])
def test_no_folder_of_a_report_is_shown(kind: str) -> None:
    given = realistic()
    source = replace(given.sources[0], name="/home/adalovelace/nightly.ncu-rep")
    shown = _render(kind, compare(given, replace(given, sources=[source])))
    assert "nightly.ncu-rep" in shown
    assert "adalovelace" not in shown


@pytest.mark.parametrize("kind", ["html", "md", "terminal"])
def test_what_must_not_be_compared_stands_before_any_number(kind: str) -> None:
    text = re.sub(r"\s+", " ", _render(kind, CASES["not comparable"]()))
    body = text[text.find("<h1") :] if kind == "html" else text
    first = re.search(r"\d.(%|[µmn]?s\b)", body)
    assert first
    for said in ("Clock control: base before, none after", "Other numbers were collected"):
        assert said in body[: first.start()]


@pytest.mark.parametrize("kind", ["html", "md", "terminal"])
def test_the_whole_the_kernels_and_the_reason_are_told(kind: str) -> None:
    text = re.sub(r"\s+", " ", _render(kind, _healed()))
    assert "transposePadded" in text and "transposeCoalesced" in text
    assert re.search(r"gone(</strong>|</span>)?: ", text)
    assert "Bank conflicts, loads" in text
    assert "96.9" in text


def test_the_page_is_whole_and_loads_nothing() -> None:
    for case in CASES.values():
        page = _render("html", case(), _gated(case()))
        assert "script-src &#39;none&#39;" in page and "<script" not in page
        assert not re.findall(r"(?:src|href)=\"(?!#|data:)", page)
        _Balanced().check(page)


class _Balanced(HTMLParser):
    """Complain about elements that are not closed in order."""

    VOID = ("meta", "link", "br", "wbr")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def check(self, page: str) -> None:
        self.feed(page)
        assert not self.open


@pytest.mark.parametrize("kind", ["html", "md", "xml"])
def test_a_hostile_name_stays_text(kind: str) -> None:
    found = CASES["hostile"]()
    shown = _render(kind, found, _gated(found))
    if kind == "md":  # set as code, nothing in it is markup; elsewhere it is escaped
        shown = re.sub(r"(`+).*?\1", "", shown)
    assert "<img" not in shown


@pytest.mark.parametrize(
    "name", ["a`b``c(int)", "a|b(int)", "k\n\n# title(int)", "@team(int)", "```x(int)"]
)
def test_a_name_cannot_leave_its_cell(name: str) -> None:
    one = kernel(name=name, demangled=name, quantities=quantities(1e-3))
    comment = _render("md", compare(diagnosis([one]), diagnosis([one])))
    (row,) = [line for line in comment.splitlines() if line.startswith("| `")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 8
    assert not re.search(r"^# title", comment, re.MULTILINE)


def test_a_comment_fits_however_many_kernels_there_are() -> None:
    found = _hundreds()
    comment = _render("md", found, _gated(found))
    assert len(comment) < 60_000
    assert "more kernel" in comment and "more" in comment
    assert comment.startswith("<!-- ncu-triage compare -->\n")


def test_control_characters_do_not_reach_the_terminal() -> None:
    name = "k\x1b[2J\u202e(int)"
    one = kernel(name=name, demangled=name, quantities=quantities(1e-3))
    text = _render("terminal", compare(diagnosis([one]), diagnosis([one])))
    assert "\x1b" not in text and "\u202e" not in text


@pytest.mark.parametrize("width", [40, 80, 160])
@pytest.mark.parametrize("case", CASES)
def test_the_terminal_is_wide_enough(case: str, width: int) -> None:
    text = comparison_console.render(CASES[case](), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_the_json_has_a_schema_that_it_meets() -> None:
    check = partial(Draft202012Validator(comparison_json.schema()).validate)
    for case in CASES.values():
        check(json.loads(_render("json", case())))


def test_the_page_of_hundreds_stays_small(tmp_path: Path) -> None:
    assert len(_render("html", _hundreds())) < 2_000_000


@pytest.mark.parametrize("kind", ["html", "md"])
def test_launches_that_were_added_are_told_first(kind: str) -> None:
    text = comparison_renderer(kind)(_grown(), None).decode().replace("\xa0", " ")
    first = text.index(
        "All launches together take 100.0 % more GPU time: 1.00 ms before, 2.00 ms after."
    )
    assert first < text.index("Over as many launches as both sides have, it has not changed")
    assert "About the whole report, new: Launches cost more than they do." in text

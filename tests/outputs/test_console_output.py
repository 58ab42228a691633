"""The terminal: one screen, no colour unless asked for, no control characters."""

from __future__ import annotations

import re

import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import basic, hostile, realistic, transpose

from ncu_triage.render.console import render
from ncu_triage.render.letters import columns_of

ESCAPE = re.compile(r"\x1b\[\d+m")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_lines_fit_the_terminal(width: int) -> None:
    shown = render(realistic(), width=width)
    commands = [line for line in shown.splitlines() if line.startswith("  ncu ")]
    assert all(columns_of(x) <= width for x in shown.splitlines() if x not in commands)


def test_a_few_kernels_fit_one_screen() -> None:
    assert len(render(diagnosis([transpose(), basic()])).splitlines()) < 24


def test_it_says_the_verdict_then_what_to_fix_then_the_kernels() -> None:
    shown = render(realistic())
    order = ["51.2 % of the GPU time", "Fix first", "transposeCoalesced  ", "Collect next"]
    places = [shown.index(text) for text in order]
    assert places == sorted(places)


def test_colour_only_where_asked() -> None:
    plain, coloured = render(realistic()), render(realistic(), colour=True)
    assert "\x1b" not in plain
    assert ESCAPE.sub("", coloured) == plain


def test_names_cannot_steer_the_terminal() -> None:
    name = "evil\x1b]0;title\x07\x9b31m\u202ekernel\r\n"
    shown = render(diagnosis([transpose(name=name, demangled=name), hostile()]))
    assert not set("\x1b\x07\x9b\u202e\r") & set(shown)


def test_a_missing_number_is_a_dash_with_its_meaning() -> None:
    shown = render(diagnosis([basic(), transpose(), transpose(grid=(1, 1, 1))]))
    shown = " ".join(shown.split())
    assert "- not collected" in shown
    assert "* of elapsed cycles" in shown


def test_wide_letters_count_twice() -> None:
    name = "カーネル" * 20
    shown = render(diagnosis([transpose(name=name, demangled=name)]), width=80)
    assert all(columns_of(line) <= 80 for line in shown.splitlines())

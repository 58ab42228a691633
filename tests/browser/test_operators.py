"""Operators in a real browser: they fit a phone, and their links lead somewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from fixtures.operators_case import write_case

from ncu_triage import api
from ncu_triage.model import Diagnosis

Opened = Callable[..., Any]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Diagnosis:
    report, operators = write_case(tmp_path_factory.mktemp("operators"))
    return api.diagnose(Path(report), operators=operators)


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("size", [(1280, 900), (400, 800)])
def test_they_fit_the_window(
    opened: Opened, found: Diagnosis, static: bool, size: tuple[int, int]
) -> None:
    tab = opened(found, static=static, size=size)
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    cut = "(cell) => cell.filter((c) => c.scrollWidth > c.clientWidth + 1).length"
    assert tab.page.locator(".operator td, .operator th").evaluate_all(cut) == 0
    assert tab.complaints == []


def test_a_row_leads_to_the_card_and_the_card_to_the_kernel(
    opened: Opened, found: Diagnosis
) -> None:
    tab = opened(found, static=True)
    tab.page.locator("#operators table.all a", has_text="QKV projection").click()
    assert tab.page.locator(".operator:target h3").inner_text() == "QKV projection"
    tab.page.locator(".operator:target a.name").first.click()
    assert "ampere_fp16_gemm" in tab.page.locator(".card:target h3").inner_text()
    assert "QKV projection" in tab.page.locator(".card:target dl.facts").first.inner_text()


@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing(opened: Opened, found: Diagnosis, dark: bool) -> None:
    page = opened(found, static=True, dark=dark).page
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    wrong = Axe().run(page, "#operators").response["violations"]
    assert [node["html"] for one in wrong for node in one["nodes"]] == []

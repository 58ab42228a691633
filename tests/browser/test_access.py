"""The page for everybody: with a keyboard, a screen reader, in light and in dark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from fixtures.diagnosis_builder import diagnosis, empty
from fixtures.diagnosis_cases import basic, hostile_report, realistic
from fixtures.diagnosis_large import different
from fixtures.timeline_pair import beside_another_gpu, beside_example
from msgspec.structs import replace
from playwright.sync_api import Page

from ncu_triage.model import Diagnosis

Opened = Callable[..., Any]


def private() -> Diagnosis:
    given = realistic()
    source = replace(given.sources[0], private={"Host": "node7", "Program": "/home/ada/app"})
    return replace(given, sources=[source])


CASES: dict[str, Callable[[], Diagnosis]] = {
    "many": realistic,
    "empty": empty,
    "undecided": lambda: diagnosis([basic()]),
    "hostile": hostile_report,
    "brief": lambda: different(60),
    "private": private,
    "timeline": beside_example,
}


def violations(page: Page) -> list[str]:
    """Return what axe finds wrong, with everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    # A card far below has no colours to check until it is drawn.
    page.add_style_tag(content=".card { content-visibility: visible !important; }")
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {node['html'][:200]}" for one in found for node in one["nodes"]]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_axe_finds_nothing(opened: Opened, case: str, dark: bool) -> None:
    tab = opened(CASES[case](), dark=dark)
    if case not in ("empty", "undecided"):
        tab.drawn()
    assert violations(tab.page) == []


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("static", [False, True])
def test_axe_finds_nothing_on_a_narrow_screen(opened: Opened, static: bool, dark: bool) -> None:
    tab = opened(realistic(), static=static, dark=dark, size=(400, 800))
    assert violations(tab.page) == []


# What reaches beyond the screen and cannot be scrolled by itself.
_BEYOND = """[...document.querySelectorAll('#verdict *, #timeline *')].filter((one) =>
    !one.closest('.scroll, svg') && one.getBoundingClientRect().right > innerWidth).length"""


@pytest.mark.parametrize("case", [beside_example, beside_another_gpu])
def test_a_timeline_fits_a_narrow_screen(opened: Opened, case: Callable[[], Diagnosis]) -> None:
    tab = opened(case(), static=True, size=(400, 800))
    assert violations(tab.page) == []
    assert tab.page.evaluate(_BEYOND) == 0


def focused(page: Page) -> str:
    """Return what has the keyboard: its text, else its label or name."""
    return str(
        page.evaluate(
            "(() => { const it = document.activeElement; return it.getAttribute('aria-label')"
            " || it.name || it.innerText || it.id || it.tagName; })()"
        )
    )


def tab_to(page: Page, text: str, most: int = 200) -> list[str]:
    """Press Tab until something with such a text has the keyboard; return what came before."""
    passed: list[str] = []
    while len(passed) < most:
        page.keyboard.press("Tab")
        found = focused(page)
        if text in found:
            return passed
        passed.append(found)
    raise AssertionError(f"no {text!r} on the way: {passed}")


def test_a_keyboard_leads_through_the_table_to_a_card_and_into_it(opened: Opened) -> None:
    page = opened(realistic()).drawn().page
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the verdict"
    passed = tab_to(page, "Table of kernels")
    assert {"Verdict", "Roofline", "name", "kind", "rule"} <= set(passed)
    tab_to(page, "Launches")
    page.keyboard.press("Enter")
    assert focused(page).startswith("Launches"), "sorting keeps the keyboard where it was"
    assert page.locator("th[aria-sort=descending]").inner_text().startswith("Launches")
    tab_to(page, "vectorized_elementwise_kernel")
    page.keyboard.press("Enter")
    card = page.evaluate("location.hash")
    assert abs(page.locator(card).bounding_box()["y"]) < 900
    # From the card's heading on, Tab goes into the card: to what is folded there.
    tab_to(page, "4 launches", most=12)
    page.keyboard.press("Enter")
    assert page.locator(f"{card} details[open]", has_text="4 launches").count() == 1


def test_focus_can_be_seen(opened: Opened) -> None:
    page = opened(realistic()).page
    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate(
            "(() => { const it = document.activeElement;"
            " const own = getComputedStyle(it).outlineStyle;"
            " const label = it.nextElementSibling && getComputedStyle(it.nextElementSibling);"
            " return it.type === 'radio' ? label.outlineStyle : own; })()"
        )
        assert outline != "none"


def test_the_filter_says_how_many_are_left(opened: Opened) -> None:
    page = opened(realistic()).page
    output = page.locator("#filter output")
    assert output.get_attribute("aria-live") == "polite"
    page.get_by_label("Name").fill("Sobel")
    assert output.text_content() == "1 of 6 kernels"

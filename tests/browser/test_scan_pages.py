"""A scan's pages in a real browser, opened from a disk: sorted, filtered, with one Plotly."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.diagnosis_cases import realistic

from ncu_triage.model import Tool
from ncu_triage.render.plotly_js import script
from ncu_triage.render.scan_index import render
from ncu_triage.render.shared import render as report_page
from ncu_triage.scan.row import Index, Row, Worst
from ncu_triage.scan.shown import shown


def _row(name: str, kind: str, gpu: str, launches: int, seconds: float) -> Row:
    return Row(
        names=[name],
        page=f"reports/{name}.html",
        devices=[gpu],
        launches=launches,
        duration=seconds * 10,
        bottleneck=kind,
        worst=Worst(rule=f"rule-{name}", title="T", severity="low", seconds=seconds, share_pct=1.0),
    )


class Shown:
    """The index in a tab."""

    def __init__(self, tab: object) -> None:
        self.tab = tab
        self.page = tab.page  # type: ignore[attr-defined]

    def names(self) -> list[str]:
        """Return the reports as they are shown."""
        found: list[str] = self.page.locator(
            "#reports tbody tr:not([hidden]) a.name"
        ).all_inner_texts()
        return found

    def sorted_by(self, column: str) -> list[str]:
        """Click on a column's head."""
        self.page.locator("#reports thead button", has_text=column).click()
        return self.names()

    def picked(self, label: str, value: str) -> list[str]:
        """Choose from a list above the table."""
        self.page.get_by_label(label).select_option(value)
        return self.names()


@pytest.fixture
def index(opened) -> Shown:  # type: ignore[no-untyped-def]
    rows = [
        _row("b", "latency", "A100", 20, 3.0),
        _row("c", "dram-bandwidth", "H100", 100, 2.0),
        _row("a", "latency", "H100", 3, 1.0),
        Row(names=["bad"], loss="crashed", reason="why"),
    ]
    tool = Tool(name="ncu-triage", version="1", rules="2")
    return Shown(opened(render(shown(Index(tool=tool, reports=rows)))))


def test_the_index_sorts_by_any_column(index: Shown) -> None:
    assert index.names() == ["b", "c", "a"]
    assert index.sorted_by("Report") == ["a", "b", "c"]
    assert index.sorted_by("Report") == ["c", "b", "a"]
    assert index.sorted_by("Launches") == ["c", "b", "a"]
    assert index.sorted_by("Launches") == ["a", "b", "c"]
    assert index.page.locator("[aria-sort]").count() == 1
    assert index.tab.complaints == []  # type: ignore[attr-defined]


def test_the_index_filters_by_name_gpu_bottleneck_and_rule(index: Shown) -> None:
    assert index.picked("GPU", "H100") == ["c", "a"]
    assert index.picked("Limited by", "latency") == ["a"]
    assert index.page.locator("#filter output").inner_text() == "1 of 3 reports"
    assert index.picked("GPU", "") == ["b", "a"]
    index.page.get_by_label("Name").fill("B")
    assert index.names() == ["b"]
    index.page.get_by_label("Name").fill("")
    index.picked("Limited by", "")
    assert index.picked("Fix first", "rule-c") == ["c"]
    assert index.tab.complaints == []  # type: ignore[attr-defined]


def test_a_report_draws_with_the_plotly_beside_it(opened, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    plotly = script()
    assert plotly is not None
    (tmp_path / "plotly.js").write_bytes(plotly.read_bytes())
    tab = opened(report_page(realistic(), "plotly.js")).drawn()
    assert tab.complaints == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in tab.requests)


def test_a_report_without_its_plotly_keeps_its_pictures(opened) -> None:  # type: ignore[no-untyped-def]
    tab = opened(report_page(realistic(), None))
    assert tab.page.locator(".plot > svg").count() > 0
    assert tab.complaints == []

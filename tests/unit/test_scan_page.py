"""The index of a scan: what it says, in which order, and that names stay text."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from ncu_triage.model import Tool
from ncu_triage.render.scan_index import render
from ncu_triage.scan.row import Index, KernelEvent, Row, Worst
from ncu_triage.scan.shown import headline, shown
from ncu_triage.scan.summary import by_worst

HOSTILE = "</script><img src=x onerror=alert(1)>\"'"
TOOL = Tool(name="ncu-triage", version="1", rules="2")


def _row(name: str, seconds: float = 0.0, **fields: object) -> Row:
    worst = Worst(rule="tail", title="Tail", severity="high", seconds=seconds, share_pct=10.0)
    known: dict[str, object] = {
        "names": [name],
        "page": f"reports/{name}.html",
        "devices": ["NVIDIA A100"],
        "launches": 3,
        "duration": 1.0,
        "bottleneck": "latency",
        "bottleneck_pct": 60.0,
        "worst": worst if seconds else None,
    }
    return Row(**{**known, **fields})  # type: ignore[arg-type]


def _lost(name: str) -> Row:
    return Row(names=[name], loss="crashed", reason=f"judging {name} crashed (SIGSEGV)")


def _event(**fields: object) -> KernelEvent:
    known: dict[str, object] = {
        "event": "step",
        "kernel": "gemm",
        "shape": "grid 1",
        "device": "A100",
        "benchmark": "model",
        "since": "2026-01-05, a",
        "found": "2026-01-06, b",
    }
    return KernelEvent(**{**known, **fields})  # type: ignore[arg-type]


SLOWER = _event(direction="slower", before=1e-3, after=1.2e-3, change_pct=20.0, sigmas=8.0)
LIMITED = _event(event="bottleneck", kind_before="latency", kind_after="dram-bandwidth")


def _index(*rows: Row, events: tuple[KernelEvent, ...] = ()) -> Index:
    return Index(tool=TOOL, reports=sorted(rows, key=by_worst), events=list(events))


def _page(index: Index) -> str:
    return render(shown(index)).decode()


def test_every_name_of_a_content_is_a_file_and_is_shown() -> None:
    page = _page(_index(_row("a", names=["a", "copy", "latest"]), _lost("b")))
    assert "<title>Scan of 4 files</title>" in page
    assert "also copy" in page and "also latest" in page


def test_the_worst_report_comes_first_and_the_unjudged_last() -> None:
    index = _index(_lost("bad"), _row("fine"), _row("small", 0.1), _row("large", 2.0))
    assert [row.names[0] for row in index.reports] == ["large", "small", "fine", "bad"]
    page = _page(index)
    places = [page.index(f">{name}<") for name in ("large", "small", "fine", "bad")]
    assert places == sorted(places)
    assert "judging bad crashed (SIGSEGV)" in page


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ((), "1 report judged; 1 could not be"),
        ((SLOWER,), "1 report judged; 1 could not be; 1 kernel slower (gemm by 20.0 %)"),
        ((LIMITED,), "1 report judged; 1 could not be; 1 kernel with another bottleneck"),
        (
            (SLOWER,) * 6,
            "1 report judged; 1 could not be; 6 kernels slower, all since 2026-01-05: the machine"
            " or the build, rather than a kernel (gemm by 20.0 %)",
        ),
        ((_event(event="vanished"),), "1 report judged; 1 could not be; 1 kernel gone"),
    ],
)
def test_one_line_says_what_matters(events: tuple[KernelEvent, ...], line: str) -> None:
    index = _index(_row("a"), _lost("b"), events=events)
    assert headline(index) == line


@pytest.mark.parametrize(
    ("severities", "words"), [({"medium": 1}, "no saving estimated"), ({}, "nothing found")]
)
def test_findings_without_a_saving_are_not_nothing(severities: dict[str, int], words: str) -> None:
    page = _page(_index(_row("a", severities=severities)))
    said = {one for one in ("no saving estimated", "nothing found") if one in page}
    assert said == {words}


def test_what_changed_stands_above_the_reports() -> None:
    page = _page(_index(_row("a"), events=(SLOWER, LIMITED)))
    assert page.index("What changed") < page.index('id="reports"')
    assert re.search(r"gemm</b> is 20\.0.% slower, 1\.00.ms to 1\.20.ms", page)
    assert "is now limited by dram-bandwidth, before by latency" in page


def test_a_thousand_events_do_not_bury_the_reports() -> None:
    page = _page(_index(_row("a"), events=(SLOWER,) * 1000))
    assert "988 more</summary>" in page


@pytest.mark.parametrize("rows", [(), (_lost("b"),), (_row("a"),)])
def test_it_is_whole_whatever_there_is(rows: tuple[Row, ...]) -> None:
    page = _page(_index(*rows))
    parser = _Balance()
    parser.feed(page)
    assert parser.open == []
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", page)


def test_hostile_texts_stay_text() -> None:
    row = _row(HOSTILE, 1.0, page="reports/x.html", devices=[HOSTILE], notes=[HOSTILE])
    lost = Row(names=[HOSTILE, HOSTILE], loss="unreadable", reason=HOSTILE)
    texts = ("kernel", "shape", "device", "benchmark", "since", "found")
    event = _event(**dict.fromkeys(texts, HOSTILE))
    page = _page(_index(row, lost, events=(event,)))
    assert "<img" not in page and page.count("<script") == 1


class _Balance(HTMLParser):
    """Checks that elements close in the order in which they opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Open an element."""
        if tag not in ("meta", "link", "input", "path", "use", "wbr", "option"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the last one."""
        if tag not in ("path", "use", "option"):
            assert self.open.pop() == tag

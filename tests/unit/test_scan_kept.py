"""What a scan keeps of an earlier one in its folder, where files fail this time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

from ncu_triage.pipeline import rules
from ncu_triage.render.scan_index import render
from ncu_triage.scan.limits import Limits
from ncu_triage.scan.places import find
from ncu_triage.scan.row import Index, Loss, Row
from ncu_triage.scan.run import scan
from ncu_triage.scan.shown import shown
from ncu_triage.scan.store import Store
from ncu_triage.scan.work import Judge, Setup
from ncu_triage.scan.worker import Answer, Lost, Request, attempt


class Here:
    """Does the work in this process; what is called like `loses` comes to nothing."""

    def __init__(self, setup: Setup, loses: str | None, loss: Loss = "out-of-time") -> None:
        self._setup = setup
        self._loses = loses
        self._loss = loss

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Answer one after the other."""
        for number, request in enumerate(requests):
            if isinstance(request, Judge) and request.place.name == self._loses:
                yield number, Lost(self._loss, "judging it took more than 5 s")
            else:
                yield number, attempt(self._setup, request, Limits())


class Silent:
    """A progress that nobody hears of."""

    def total(self, contents: int) -> None:
        """Hear how many rows there will be."""

    def done(self, row: Row, where: str, known: bool) -> None:
        """Hear of a row."""


class Folder:
    """A folder of two reports, and what scans of it come to."""

    def __init__(self, folder: Path) -> None:
        self.reports = folder / "reports"
        self.out = folder / "out"
        self.config = folder / "own.toml"
        self.reports.mkdir()
        self.config.write_text('disable = ["short-kernel"]\n')
        for name in ("a", "b"):
            write_report(self.reports / f"{name}.ncu-rep", [launch(name=name)])

    def scan(
        self, loses: str | None = None, loss: Loss = "out-of-time", *, other_rules: bool = False
    ) -> dict[str, Row]:
        """Scan, by the same rules as before or by others; return the rows by name."""
        config = self.config if other_rules else None
        version = rules((), config).version
        setup = Setup((), str(config) if config else None, version, None)
        store, found = Store(self.out), find([str(self.reports)], self.out)
        with store.held():
            self.index = scan(found, store, setup, Here(setup, loses, loss), Silent()).overview
        return {row.names[0]: row for row in self.index.reports}

    def pages(self) -> set[str]:
        """Return the names of the pages that lie there, without their hashes."""
        return {path.name.partition("-")[0] for path in (self.out / "reports").glob("*.html")}


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def _page(index: Index) -> str:
    return render(shown(index)).decode()


@pytest.mark.parametrize("loss", ["out-of-time", "unreadable"])
def test_the_same_content_keeps_its_earlier_page_and_says_so(folder: Folder, loss: Loss) -> None:
    before = folder.scan()["b.ncu-rep"]
    assert before.page is not None
    text = (folder.out / before.page).read_bytes()
    # Twice: what is known to be unreadable is not judged again, and keeps its page, too.
    for _ in range(2):
        rows = folder.scan("b.ncu-rep", loss, other_rules=True)
        lost = rows["b.ncu-rep"]
        assert (lost.loss, lost.reason) == (loss, "judging it took more than 5 s")
        assert (lost.page, lost.data) == (before.page, before.data)
        assert (folder.out / before.page).read_bytes() == text
        assert rows["a.ncu-rep"].loss is None and folder.index.judged == [rows["a.ncu-rep"]]
        assert f'<a href="{before.page}">its page from then</a>' in _page(folder.index)


def test_the_earlier_page_is_replaced_once_the_content_is_judged(folder: Folder) -> None:
    folder.scan()
    folder.scan("b.ncu-rep", other_rules=True)
    again = folder.scan(other_rules=True)["b.ncu-rep"]
    assert again.loss is None and folder.pages() == {"a", "b"}
    # The page is that of today's rules: the first ones judge anew.
    assert folder.scan("b.ncu-rep")["b.ncu-rep"].loss == "out-of-time"


def test_another_content_is_a_row_with_its_reason_and_the_earlier_page_goes(
    folder: Folder,
) -> None:
    folder.scan()
    write_report(folder.reports / "b.ncu-rep", [launch(name="other")])
    lost = folder.scan("b.ncu-rep")["b.ncu-rep"]
    assert (lost.loss, lost.page, lost.data) == ("out-of-time", None, None)
    assert folder.pages() == {"a"}
    assert "its page from then" not in _page(folder.index)


def test_a_file_that_is_gone_leaves_no_page(folder: Folder) -> None:
    folder.scan()
    (folder.reports / "b.ncu-rep").unlink()
    assert folder.scan().keys() == {"a.ncu-rep"} and folder.pages() == {"a"}

"""Go through a file once: find its tables, read their rows, count all other lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ncu_triage.readers.csv.details import DetailsTable
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.evidence import Evidence
from ncu_triage.readers.csv.gui import GuiTable
from ncu_triage.readers.csv.header import Header, find_header
from ncu_triage.readers.csv.numbers import Convention
from ncu_triage.readers.csv.raw import RawTable
from ncu_triage.readers.csv.summary import SummaryTable
from ncu_triage.readers.csv.table import Context, Table
from ncu_triage.readers.csv.tally import Tally
from ncu_triage.readers.csv.text import Records, TextFile

_Row: TypeAlias = tuple[Table, Sequence[str]]

# A new kind of table is one more entry here and a case in `header.py`.
TABLES: Mapping[str, Callable[[Header, Context], Table]] = {
    "details": DetailsTable,
    "raw": RawTable,
    "wide": RawTable,
    "pivot": RawTable,
    "gui": GuiTable,
    "summary": SummaryTable,
}
_SHOWN_LINES = 200
_SHOWN_WIDTH = 1000


class Sniffed(NamedTuple):
    """What a first look found: the convention of the numbers, the kinds of tables.

    `nothing` says why there is no row under the last header; `lines` are the first ones
    outside of any table, for saying what the file is instead.
    """

    convention: Convention
    formats: list[str]
    rows: int
    nothing: str | None
    lines: list[str]
    tally: Tally


class Scan:
    """One pass over a file; `tally` and `formats` are complete after the last row."""

    def __init__(self, text: TextFile, convention: Convention) -> None:
        self._text = text
        self._records = Records(text.lines())
        self.tally = Tally(convention=convention)
        self.formats: list[str] = []
        self.outside: list[str] = []
        self.table: Table | None = None
        self._context = Context(convention.parser(), self.tally)

    def drafts(self) -> Iterator[Draft]:
        """Yield the launches in the order in which they are complete."""
        last: Table | None = None
        for table, cells in self.rows():
            if last is not None and table is not last:
                yield from last.end()
            last = table
            yield from table.take(cells)
        if last is not None:
            yield from last.end()
        self.count_unreadable()

    def rows(self) -> Iterator[_Row]:
        """Yield every row with the table that it belongs to."""
        for record in self._records:
            cells = self.table.cells(record) if self.table is not None else None
            if cells is not None and self.table is not None:
                yield self.table, cells
            elif (header := find_header(record)) is not None:
                self._begin(header)
            else:
                self._leave(record)

    def count_unreadable(self) -> None:
        """Count what never became a record; once, after the last row that is taken."""
        self.tally.broken += self._records.broken
        self.tally.overlong = self._text.overlong
        if self.table is not None and self.table.row_is_launch:
            self.tally.cut_launches = self.tally.broken

    def _begin(self, header: Header) -> None:
        table = TABLES[header.kind](header, self._context)
        self.tally.runs += header.kind != "gui"
        if table.format not in self.formats:
            self.formats.append(table.format)
        self.table = table

    def _leave(self, record: str) -> None:
        self.tally.outside(record)
        if len(self.outside) < _SHOWN_LINES:
            self.outside.append(record[:_SHOWN_WIDTH])


def sniff(text: TextFile) -> Sniffed:
    """Look at a file until the numbers' convention is certain, at the whole of it if need be."""
    scan = Scan(text, Convention("."))
    evidence = Evidence()
    rows = 0
    for table, cells in scan.rows():
        rows += bool(cells)
        for sample in table.samples(cells):
            evidence.look(sample)
        if evidence.enough:
            break
    scan.count_unreadable()
    return Sniffed(
        convention=evidence.decide(),
        formats=scan.formats,
        rows=rows,
        nothing=scan.table.nothing() if scan.table is not None else None,
        lines=scan.outside,
        tally=scan.tally,
    )

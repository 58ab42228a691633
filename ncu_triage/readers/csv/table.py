"""What every kind of table does with its records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from ncu_triage.readers.csv.cells import Metrics
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.numbers import Parser, is_fixed
from ncu_triage.readers.csv.tally import Tally


class Sample(NamedTuple):
    """A cell that may tell the decimal point, with what it is a cell of."""

    metric: str
    unit: str
    cell: str


class Context(NamedTuple):
    """What a table needs from the file around it: how to read a number, where to count."""

    number: Parser
    tally: Tally

    def may_assume(self, metric: str, cell: str) -> bool:
        """Tell whether a value whose unit is missing is in base units, and remember it.

        The profiler prints such values without decimals or with two; six go with a unit.
        """
        if is_fixed(cell):
            self.tally.unknown_unit(metric)
            return False
        if self.number(cell) is not None:
            self.tally.assume(metric)
        return True

    def metrics(self) -> Metrics:
        """Start the metrics of a launch."""
        return Metrics(self.number, self.tally)


class Table(Protocol):
    """A table under its header.

    Records are parted by `cells`, which gives None for a line that is no row. Then either
    `samples` looks at the row's numbers, or `take` reads it and gives the launches that
    are complete with it; `end` gives the rest.
    """

    format: str
    row_is_launch: bool

    def cells(self, record: str) -> Sequence[str] | None:
        """Part a record into cells; None where it is no row of this table."""

    def samples(self, cells: Sequence[str]) -> Iterator[Sample]:
        """Yield the numbers of a row as they are written."""

    def take(self, cells: Sequence[str]) -> Iterable[Draft]:
        """Read a row; give the launches that it completes."""

    def end(self) -> Iterable[Draft]:
        """Give the launches that are still open."""

    def nothing(self) -> str:
        """Say why there is no launch although there is a header."""

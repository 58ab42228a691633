"""The "raw" page: a row for each launch, a column for each metric, units in the second row.

People's copies have the same shape with less around it: no units, units within the names,
no identity, or labels instead of metrics (`columns.py` plans each column).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ncu_triage.readers.csv.columns import Columns, Plan
from ncu_triage.readers.csv.dequote import Dequoter
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.header import Header, split
from ncu_triage.readers.csv.table import Context, Sample

_FORMATS = {"raw": "raw-csv", "wide": "metrics-csv", "pivot": "pivot-csv"}


class RawTable:
    """A table with one row for each launch; see `Table`."""

    row_is_launch = True

    def __init__(self, header: Header, context: Context) -> None:
        self.format = _FORMATS[header.kind]
        self._header = header
        self._context = context
        self._columns = Columns(header)
        self._plans: list[Plan] = []
        self._dequoter = Dequoter.of(header) if header.kind == "raw" else None
        self._first = True

    def cells(self, record: str) -> Sequence[str] | None:
        """Part a record; a row has as many cells as the header."""
        row: Sequence[str] | None = split(record, self._header.delimiter)
        if self._dequoter is not None and '"' not in record:
            dequoted = self._dequoter.cells(record)
            self._context.tally.dequoted += dequoted is not None and self._dequoter.undone
            row = dequoted or row
        if not self._columns.any():
            return None
        if row is None or len(row) != len(self._header.names):
            return self._broken(row or ())
        units = self._first and self._columns.has_units(row)
        return row if units or self._columns.is_row(row) else None

    def _broken(self, row: Sequence[str]) -> Sequence[str] | None:
        """Count a launch whose row is cut; any other line of another width is foreign."""
        if self._header.kind == "raw" and len(row) > 1 and self._columns.begins(row):
            self._context.tally.broken += 1
            return ()
        return None

    def samples(self, cells: Sequence[str]) -> Iterator[Sample]:
        """Yield every number of a row as it is written."""
        if cells and not self._is_head(cells):
            for plan in self._plans:
                yield Sample(plan.metric, plan.unit, cells[plan.place])

    def take(self, cells: Sequence[str]) -> Iterable[Draft]:
        """Read a row: the units, or a launch."""
        if not cells or self._is_head(cells):
            return ()
        metrics = self._context.metrics()
        put = metrics.put
        for place, metric, factor, unit, missing in self._plans:
            if missing and not self._context.may_assume(metric, cells[place]):
                continue
            put(metric, cells[place], factor, unit)
        return (Draft(self._columns.identify(cells), metrics),)

    def end(self) -> Iterable[Draft]:
        """Give nothing: every row is complete."""
        return ()

    def nothing(self) -> str:
        """Say why there is no launch although there is a header."""
        if not self._columns.any():
            return (
                "the CSV export names launches but holds no metrics: none of those asked for"
                " was in the report; export it without --metrics"
            )
        return (
            "the CSV export has a header but no rows: the filter matched no kernel, or nothing"
            " was profiled"
        )

    def _is_head(self, cells: Sequence[str]) -> bool:
        """Tell whether this is the row of units, on the first row; plan the columns there."""
        if not self._first:
            return False
        self._first = False
        units = cells if self._columns.has_units(cells) else None
        self._plans = self._columns.planned(units, self._context.tally)
        return units is not None

"""The summaries: minimum, maximum and average over the launches of a kernel and shape.

The average stands for them all, which a note says with the number of launches and how
far their durations differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ncu_triage.errors import InputError
from ncu_triage.readers.csv.basis import settle
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.header import Header, is_metric, split
from ncu_triage.readers.csv.identity import Identity, kind_of, read_identity, whole
from ncu_triage.readers.csv.labels import Plan, plan
from ncu_triage.readers.csv.table import Context, Sample

_DURATION = "gpu__time_duration.sum"
_SCRAMBLED = (
    "this raw summary per GPU is scrambled: Nsight Compute shifts its cells; export it with"
    " '--page raw --csv' without --print-summary, or with '--print-summary per-kernel'"
)


class SummaryTable:
    """A long table of averages; see `Table`."""

    format = "summary-csv"
    row_is_launch = False

    def __init__(self, header: Header, context: Context) -> None:
        self._header = header
        self._context = context
        self._places = {kind: i for i, name in enumerate(header.names) if (kind := kind_of(name))}
        self._section = header.place("Section Name")
        self._label = header.place("Metric Name") or 0
        self._unit = header.place("Metric Unit")
        self._average = header.place("Average") or 0
        self._ends = (header.place("Minimum"), header.place("Maximum"))
        self._width = 1 + max(self._label, self._average, *self._places.values())
        self._last: tuple[str, ...] | None = None
        self._draft: Draft | None = None

    def cells(self, record: str) -> Sequence[str] | None:
        """Part a record; refuse the table whose cells are shifted."""
        row = split(record, self._header.delimiter)
        if self._is_scrambled(row):
            raise InputError(_SCRAMBLED)
        return row if len(row) >= self._width and row[self._label] else None

    def _is_scrambled(self, row: Sequence[str]) -> bool:
        """Tell whether a row without process and host has a metric where none belongs."""
        places = [self._places[kind] for kind in ("process", "host") if kind in self._places]
        anonymous = bool(places) and all(self._cell(row, p) in ("", "0") for p in places)
        return anonymous and any(is_metric(c) for i, c in enumerate(row) if i != self._label)

    def samples(self, cells: Sequence[str]) -> Iterator[Sample]:
        """Yield the average as it is written."""
        how = self._plan(cells)
        yield Sample(how.metric or cells[self._label], how.unit, cells[self._average])

    def take(self, cells: Sequence[str]) -> Iterable[Draft]:
        """Read a row; give the launch before it where another begins."""
        finished: Iterable[Draft] = ()
        key = tuple(cells[place] for place in self._places.values())
        if key != self._last:
            finished = self.end()
            self._last = key
            found = dict(zip(self._places, key, strict=True))
            self._draft = Draft(self._identity(found), self._context.metrics())
        if self._draft is not None:
            self._put(self._draft, cells)
        return finished

    def end(self) -> Iterable[Draft]:
        """Give the launch that is still open."""
        draft, self._draft = self._draft, None
        if draft is None:
            return ()
        settle(draft.metrics.values)
        return (draft,)

    def nothing(self) -> str:
        """Say why there is no launch although there is a header."""
        return (
            "the summary has a header but no rows: it is one per NVTX range of a report"
            " without ranges, or nothing was profiled; export it with '--page raw --csv'"
        )

    def _identity(self, found: dict[str, str]) -> Identity:
        who = read_identity(found)
        count = whole(found.get("invocations", ""))
        if count is not None:
            self._context.tally.average(who.kernel, count)
        return who

    def _put(self, draft: Draft, cells: Sequence[str]) -> None:
        metric, factor, unit, section, unit_missing = self._plan(cells)
        if metric is None or draft.metrics.full:
            self._context.tally.unlabel(cells[self._label], cells[self._average])
            return
        cell = cells[self._average]
        if not unit_missing or self._context.may_assume(metric, cell):
            draft.metrics.put(metric, cell, factor, unit)
        if metric == _DURATION:
            low, high = (self._cell(cells, place) for place in self._ends)
            if low != high:
                self._context.tally.spread(draft.identity.name, (low, high), unit)
        draft.see(section)

    def _plan(self, cells: Sequence[str]) -> Plan:
        section, unit = self._cell(cells, self._section), self._cell(cells, self._unit)
        return plan(section, cells[self._label], unit)

    def _cell(self, cells: Sequence[str], place: int | None) -> str:
        return cells[place] if place is not None and place < len(cells) else ""

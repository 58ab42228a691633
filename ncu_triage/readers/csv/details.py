"""The "details" page: a row for each metric of each launch, and NVIDIA's rules between.

Metric rows end after the value, rule rows are full; everything goes by column name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from ncu_triage.readers.csv.basis import settle
from ncu_triage.readers.csv.dequote import Dequoter
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.header import Header, split
from ncu_triage.readers.csv.identity import kind_of, read_identity
from ncu_triage.readers.csv.labels import Plan, plan
from ncu_triage.readers.csv.rules import RuleColumns, read_rule
from ncu_triage.readers.csv.table import Context, Sample
from ncu_triage.readers.csv.window import Key, Window

_NUMBER = re.compile(r"\d[\d.,' ]*")
# Rule rows of 2022.3 and older have the context in place of the stream, so that is no key.
_KEY = ("id", "process", "kernel")
# Cells beyond this are texts, whose size is watched.
_TEXT = 64
_PER_RULE = 256


class _Places(NamedTuple):
    """Where the columns of a metric row are; the last three may be missing."""

    label: int
    value: int
    section: int | None
    unit: int | None
    body: int | None

    @classmethod
    def of(cls, header: Header) -> _Places:
        return cls(
            label=header.place("Metric Name") or 0,
            value=header.place("Metric Value") or 0,
            section=header.place("Section Name"),
            unit=header.place("Metric Unit"),
            body=header.place("Body Item Label"),
        )


class DetailsTable:
    """A long table of metrics; see `Table`."""

    format = "details-csv"
    row_is_launch = False

    def __init__(self, header: Header, context: Context) -> None:
        self._header = header
        self._context = context
        kinds = {i: kind for i, name in enumerate(header.names) if (kind := kind_of(name))}
        self._kinds = tuple(kinds.values())
        self._identity = _getter(list(kinds))
        self._key = _getter([i for i, kind in kinds.items() if kind in _KEY] or list(kinds))
        self._id, self._process = header.place("ID"), header.place("Process ID")
        self._at = _Places.of(header)
        self._width = 1 + max(*kinds, *(place for place in self._at if place is not None))
        self._rules = RuleColumns.of(header)
        self._dequoter = Dequoter.of(header)
        self._window = Window()
        self._last: Key | None = None
        self._draft: Draft | None = None
        self._number: str | None = None
        self._last_key: Key | None = None
        self._had: set[Key] = set()
        self._count = 0

    def cells(self, record: str) -> Sequence[str] | None:
        """Part a record; rows that lost their quotes are put together from both ends."""
        if self._dequoter is not None and '"' not in record:
            cells = self._dequoter.cells(record)
            if cells is not None and len(cells) >= self._width:
                self._context.tally.dequoted += self._dequoter.undone
                return cells
        row = split(record, self._header.delimiter)
        if len(row) >= self._width and self._is_numbered(row):
            return row
        if self._is_broken(row):
            self._context.tally.broken += 1
            return ()
        return None

    def _is_numbered(self, row: Sequence[str]) -> bool:
        if self._id is None or row[self._id] == self._number:
            return True
        if _NUMBER.fullmatch(row[self._id]) is None:
            return False
        self._number = row[self._id]
        return True

    def _is_broken(self, row: Sequence[str]) -> bool:
        """Tell whether a line begins like a row of this table, but is cut."""
        places = (self._id, self._process)
        return all(
            place is not None and place < len(row) and _NUMBER.fullmatch(row[place])
            for place in places
        )

    def samples(self, cells: Sequence[str]) -> Iterator[Sample]:
        """Yield the value of a metric row as it is written."""
        if cells and cells[self._at.label]:
            how = self._plan(cells)
            yield Sample(how.metric or cells[self._at.label], how.unit, cells[self._at.value])

    def take(self, cells: Sequence[str]) -> Iterable[Draft]:
        """Read a row; give the launch that is complete by now, if any."""
        if not cells:
            return ()
        finished: Iterable[Draft] = ()
        key = self._key(cells) if self._id is not None else self._counted(cells)
        if key != self._last:
            self._last = key
            finished = self._turn_to(key, cells)
        if self._draft is None:
            self._context.tally.late += 1
        elif cells[self._at.label]:
            self._metric(self._draft, cells)
        elif self._rules is not None:
            self._rule(self._draft, cells, self._rules)
        return finished

    def _counted(self, cells: Sequence[str]) -> Key:
        """Return the key of a row without ID: a metric that comes again begins a launch."""
        key = self._key(cells)
        label, _, section, _, body = self._at
        row = tuple(cells[place] for place in (section, body, label) if place is not None)
        again = bool(cells[label]) and row in self._had
        if key != self._last_key or again:
            self._last_key, self._had = key, set()
            self._count += 1
        self._had.add(row)
        return (*key, str(self._count))

    def end(self) -> Iterable[Draft]:
        """Give the launches that are still open."""
        while (draft := self._window.pop()) is not None:
            settle(draft.metrics.values)
            yield draft

    def nothing(self) -> str:
        """Say why there is no launch although there is a header."""
        return (
            "the CSV export has a header but no rows: the filter matched no kernel, or the"
            " report has no sections; export it with '--page raw --csv'"
        )

    def _turn_to(self, key: Key, cells: Sequence[str]) -> Iterable[Draft]:
        """Make the launch of this key the current one, a new one if need be."""
        self._draft = self._window.get(key)
        if self._draft is not None or self._window.is_closed(key):
            return ()
        identity = read_identity(dict(zip(self._kinds, self._identity(cells), strict=True)))
        self._draft = Draft(identity, self._context.metrics())
        self._window.add(key, self._draft)
        oldest = self._window.pop() if self._window.crowded else None
        if oldest is None:
            return ()
        settle(oldest.metrics.values)
        return (oldest,)

    def _metric(self, draft: Draft, cells: Sequence[str]) -> None:
        metric, factor, unit, section, unit_missing = self._plan(cells)
        cell = cells[self._at.value]
        if metric is None or draft.metrics.full or not self._has_room(cell):
            self._context.tally.unlabel(cells[self._at.label], cell)
        elif not unit_missing or self._may_assume(metric, cell):
            draft.metrics.put(metric, cell, factor, unit)
        draft.see(section)

    def _may_assume(self, metric: str, cell: str) -> bool:
        """Tell whether a lost unit is the base unit; not where all units are lost."""
        if self._at.unit is None:
            self._context.tally.unknown_unit(metric)
            return False
        return self._context.may_assume(metric, cell)

    def _has_room(self, cell: str) -> bool:
        return len(cell) <= _TEXT or self._window.hold(len(cell))

    def _rule(self, draft: Draft, cells: Sequence[str], columns: RuleColumns) -> None:
        rule = read_rule(cells, columns)
        if rule is None:
            return
        if not self._window.hold(len(rule.text) + _PER_RULE):
            self._context.tally.remark("texts of rules beyond 64 MB left out")
            return
        draft.rules.append(rule)
        draft.see(rule.section)

    def _plan(self, cells: Sequence[str]) -> Plan:
        label, _, section, unit, body = self._at
        return plan(
            "" if section is None else cells[section],
            cells[label],
            "" if unit is None else cells[unit],
            "" if body is None else cells[body],
        )


def _getter(places: list[int]) -> Any:
    """Return a function that takes some cells out of a row, as a tuple in any case."""
    if len(places) == 1:
        return lambda cells: (cells[places[0]],)
    return itemgetter(*places)

"""What each column of a wide table is: identity, a metric with its unit, or of no use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ncu_triage.readers.csv.header import Header, metric_and_unit
from ncu_triage.readers.csv.identity import Identity, kind_of, read_identity
from ncu_triage.readers.csv.labels import pivot_metric
from ncu_triage.readers.csv.numbers import looks_numeric
from ncu_triage.readers.csv.tally import Tally
from ncu_triage.readers.csv.units import dimensional, factor, homemade, is_unit

# Columns of people's copies that say which launch a row is.
_COPIED = {
    **dict.fromkeys(("kernel", "kernel_name", "function name", "name"), "kernel"),
    **dict.fromkeys(("id", "dataid", "launch id"), "id"),
}
_ID = re.compile(r"\d[\d.,' ]*")
_INDEX = re.compile(r"|index|Unnamed: \d+")
# pandas writes an index of two levels so.
_PAIR = re.compile(r"\((\d{1,18}), (['\"])(.*)\2\)")


class Plan(NamedTuple):
    """How to read one column's cells."""

    place: int
    metric: str
    factor: float
    unit: str
    unit_missing: bool


class Columns:
    """The columns under one header."""

    def __init__(self, header: Header) -> None:
        self._copy = header.kind != "raw"
        self._pivot = header.kind == "pivot"
        kinds = [self._kind(name) for name in header.names]
        self._identity: Mapping[str, int] = _first_of_each(kinds)
        self._index = 0 if _INDEX.fullmatch(header.names[0]) else None
        self._metrics = {
            place: name
            for place, (name, kind) in enumerate(zip(header.names, kinds, strict=True))
            if kind is None and place != self._index and self._usable(name)
        }

    def _kind(self, name: str) -> str | None:
        kind = kind_of(name)
        # "Block Size" and "Grid Size" are labels, too: one number, not three.
        if self._pivot and kind in ("block", "grid"):
            return None
        return kind or (_COPIED.get(name.lower()) if self._copy else None)

    def _usable(self, name: str) -> bool:
        if self._pivot:
            return pivot_metric(name) is not None
        return bool(name) and (not self._copy or metric_and_unit(name) is not None)

    def any(self) -> bool:
        """Tell whether there is a single metric."""
        return bool(self._metrics)

    def begins(self, row: Sequence[str]) -> bool:
        """Tell whether a row starts with what identifies a launch."""
        places = [self._identity[kind] for kind in ("id", "process") if kind in self._identity]
        return all(place < len(row) and _ID.fullmatch(row[place]) for place in places)

    def is_row(self, row: Sequence[str]) -> bool:
        """Tell whether a line of the right width is a launch."""
        if not self._copy:
            return self.begins(row)
        return any(looks_numeric(row[place]) for place in self._metrics)

    def has_units(self, row: Sequence[str]) -> bool:
        """Tell whether this row holds the units: nothing is identified, nothing is a number."""
        if not self._copy:
            return not any(row[place].strip() for place in self._identity.values())
        cells = [row[place].strip() for place in self._metrics]
        return bool(cells) and all(map(is_unit, cells)) and any(cells)

    def identify(self, row: Sequence[str]) -> Identity:
        """Say which launch a row is."""
        found = {kind: row[place] for kind, place in self._identity.items()}
        pair = _PAIR.fullmatch(row[self._index]) if self._index is not None else None
        if pair:
            found = {"id": pair[1], "kernel": pair[3]} | found
        return read_identity(found)

    def planned(self, units: Sequence[str] | None, tally: Tally) -> list[Plan]:
        """Say how each metric is read; those whose unit is not known are left out."""
        found = []
        for place, name in self._metrics.items():
            plan = self._plan(place, name, None if units is None else units[place].strip())
            if plan is None:
                tally.unknown_unit(name)
            else:
                found.append(plan)
        return found

    def _plan(self, place: int, name: str, unit: str | None) -> Plan | None:
        if self._pivot:
            metric = pivot_metric(name)
            return Plan(place, metric, 1.0, "", False) if metric else None
        if not self._copy:
            return _exported(place, name, unit)
        metric, own = metric_and_unit(name) or (name, None)
        unit = own if own is not None else unit
        scale = None if unit is None and dimensional(metric) else homemade(unit or "")
        return None if scale is None else Plan(place, metric, scale, _no_dash(unit), False)


def _exported(place: int, name: str, unit: str | None) -> Plan | None:
    """Plan a column of the profiler's own export: an empty unit is a lost base unit."""
    needed = dimensional(name)
    if unit is None:
        return None if needed else Plan(place, name, 1.0, "", False)
    return Plan(place, name, factor(unit), unit, needed and not unit)


def _no_dash(unit: str | None) -> str:
    return "" if unit in (None, "-") else unit or ""


def _first_of_each(kinds: Sequence[str | None]) -> dict[str, int]:
    found: dict[str, int] = {}
    for place, kind in enumerate(kinds):
        if kind is not None:
            found.setdefault(kind, place)
    return found

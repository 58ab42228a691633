"""Find the tables in a file: a line is a header if its cells are one's names."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.readers.csv.labels import pivot_metric

_DELIMITERS = ",;\t|"
# A line without any of these words is no header; most lines are no header.
_HINT = re.compile(r"Kernel|Metric Name|__|^\"?ID\"?[,;\t|]|Duration|Throughput|SOL ")
_METRIC = re.compile(r"[A-Za-z_]\w*(?:[.:]\w+)*?__\w+(?:\.\w+)*")
_WITH_UNIT = re.compile(r"(?P<name>\S+) (?:\((?P<round>[^()]*)\)|\[(?P<square>[^\[\]]*)\])")
_LONGEST_NAME = 256
_ENOUGH_METRICS = 2
_ENOUGH_LABELS = 8
_MOST_LAUNCHES = 10_000
_INSTANCE_COLUMN = re.compile(r"\d{1,18}")


class Header(NamedTuple):
    """A table's kind, the names of its columns, and how its cells are parted."""

    kind: str
    names: tuple[str, ...]
    delimiter: str
    quoted: bool

    def place(self, name: str) -> int | None:
        """Return the place of a column, None where there is none."""
        return self.names.index(name) if name in self.names else None


def split(record: str, delimiter: str) -> list[str]:
    """Part a record into cells; none come back for a record that is no CSV."""
    if '"' not in record:
        return record.split(delimiter)
    if (cells := _all_quoted(record, delimiter)) is not None:
        return cells
    if len(record) > csv.field_size_limit():
        return _split_long(record, delimiter)
    return _split(record, delimiter)


def _all_quoted(record: str, delimiter: str) -> list[str] | None:
    """Part a record as the profiler writes it, every cell in quotes, at a third of the cost.

    Metric rows end with a bare delimiter. With a quote inside a cell the count differs.
    """
    ragged = record.endswith(delimiter)
    whole = record[:-1] if ragged else record
    cells = whole[1:-1].split(f'"{delimiter}"')
    if whole[:1] + whole[-1:] != '""' or whole.count('"') != 2 * len(cells):
        return None
    return [*cells, ""] if ragged else cells


def _split(record: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader((record,), delimiter=delimiter))
    except csv.Error:
        return []


def _split_long(record: str, delimiter: str) -> list[str]:
    """Part a record that may have a cell above the limit, which holds for the process."""
    limit = csv.field_size_limit(len(record))
    try:
        return _split(record, delimiter)
    finally:
        csv.field_size_limit(limit)


def find_header(record: str) -> Header | None:
    """Return the header that a record is, or None."""
    if not _HINT.search(record):
        return None
    for delimiter in _DELIMITERS:
        if delimiter in record:
            names = tuple(cell.strip() for cell in split(record, delimiter))
            kind = _kind(names)
            if kind is not None:
                return Header(kind, names, delimiter, '"' in record)
    return None


def _kind(names: Sequence[str]) -> str | None:
    known = set(names)
    if not known:
        return None
    if "Metric Name" in known:
        return _long(known)
    if "Kernel Name" in known and ("ID" in known or "Process ID" in known):
        return "pivot" if _is_pivot(names) else "raw"
    if names[0] == "ID" and all(map(_INSTANCE_COLUMN.fullmatch, names[1:_MOST_LAUNCHES])):
        return "gui" if len(names) <= _MOST_LAUNCHES else None
    return _copied(names)


def _long(known: set[str]) -> str | None:
    if "Average" in known and "Kernel Name" in known:
        return "summary"
    return "details" if {"Metric Value", "Kernel Name"} <= known else None


def _copied(names: Sequence[str]) -> str | None:
    """Recognise tables of people's making: one row a launch, metrics or labels as columns."""
    parted = [named for name in names if (named := metric_and_unit(name)) is not None]
    certain = sum(is_metric(name) for name, _ in parted)
    if certain >= _ENOUGH_METRICS and 2 * len(parted) >= len(names):
        return "wide"
    return "pivot" if _is_pivot(names) else None


def _is_pivot(names: Sequence[str]) -> bool:
    return sum(pivot_metric(name) is not None for name in names) >= _ENOUGH_LABELS


def metric_and_unit(column: str) -> tuple[str, str | None] | None:
    """Part `name (unit)` or `name [unit]`; None for what can be no metric.

    The unit is None where there is no bracket at all.
    """
    match = _WITH_UNIT.fullmatch(column) if len(column) <= _LONGEST_NAME else None
    if match is None:
        return (column, None) if is_metric(column) else None
    unit = match["round"] if match["round"] is not None else match["square"]
    return match["name"], "" if unit == "nan" else unit


def is_metric(name: str) -> bool:
    """Tell whether a text is a metric's name rather than a label."""
    return len(name) <= _LONGEST_NAME and _METRIC.fullmatch(name) is not None

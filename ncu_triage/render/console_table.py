"""The kernel table in the terminal: which rows, in which order, in which columns."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ncu_triage.render.choice import Choice, Sort
from ncu_triage.render.letters import clip, columns_of, fit
from ncu_triage.view import words
from ncu_triage.view.names import fitted
from ncu_triage.view.shown import Cell, KeyColumn, Row, Table

_WIDE = 118
_LEAST_FINDING = 20
_LEAST_NAME, _LONGEST_NAME = 12, 44
_KEYS = ("dram", "l1", "sm")  # what there is room for in a narrow terminal
_MISSING, _OTHER_BASIS = "-", "*"
_ESTIMATED = "~"

_CELLS: dict[Sort, Callable[[Row], Cell]] = {
    Sort.LAUNCHES: lambda row: row.launches,
    Sort.MEDIAN: lambda row: row.median,
    Sort.P99: lambda row: row.p99,
}


class _Column(NamedTuple):
    """A column of the table: its head, its texts, and which side they lean to."""

    head: str
    texts: list[str]
    right: bool = True


def chosen(table: Table, choice: Choice) -> list[Row]:
    """Return the rows that a user asks for, what is unknown last."""
    pattern = choice.kernel
    rows = [row for row in table.rows if pattern is None or _named(row, pattern)]
    if choice.sort is Sort.NAME:
        return sorted(rows, key=lambda row: row.name.short.lower())
    if choice.sort is Sort.TIME:
        return rows  # as they come
    cell = _CELLS.get(choice.sort) or _key(table, choice.sort)
    return sorted(rows, key=lambda row: _descending(cell(row).sort))


def _named(row: Row, pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(name) for name in (row.name.short, row.name.full) if name)


def _key(table: Table, word: str) -> Callable[[Row], Cell]:
    place = [_word(key) for key in table.keys].index(word)
    return lambda row: row.keys[place]


def _word(key: KeyColumn) -> str:
    return key.label.split()[0].lower()


def _descending(value: float | None) -> tuple[bool, float]:
    return value is None, -(value or 0.0)


def lines(table: Table, rows: Sequence[Row], width: int, sort: Sort) -> list[str]:
    """Write the rows below their head, in the columns that there is room for."""
    columns = _columns(table, rows, width, sort)
    return [clip(line, width) for line in _lines(columns, _name_room(columns, width))]


def notes(table: Table, rows: Sequence[Row], width: int, sort: Sort) -> str:
    """Say of what the percentages are, and what the signs between them mean."""
    keys = _shown_keys(table, width, sort)
    bases: dict[str, list[str]] = defaultdict(list)
    for key in (table.keys[i] for i in keys):
        bases[words.of_what(key.basis) or ""].append(key.label.split()[0])
    texts = [f"{', '.join(labels)} {basis}" for basis, labels in bases.items() if basis]
    cells = [row.keys[i] for row in rows for i in keys]
    others = sorted({cell.note for cell in cells if cell.note})
    texts += [f"{_sign(note)} {words.of_what(note)}" for note in others]
    if any(cell.sort is None for cell in cells):
        texts.append(f"{_MISSING} not collected")
    return "; ".join(texts)


def _shown_keys(table: Table, width: int, sort: Sort) -> list[int]:
    """Return the percentages that there is room for, and the one that is sorted by."""
    words = [_word(key) for key in table.keys]
    if width >= _WIDE:
        return list(range(len(words)))
    usual = _KEYS if sort in _KEYS or sort not in words else (*_KEYS[:-1], sort)
    return [i for i, word in enumerate(words) if word in usual]


def _columns(table: Table, rows: Sequence[Row], width: int, sort: Sort) -> list[_Column]:
    keys = [
        _Column(f"{table.keys[i].label.split()[0][:5]} %", [_number(row.keys[i]) for row in rows])
        for i in _shown_keys(table, width, sort)
    ]
    columns = [
        _Column("kernel", _names(rows), right=False),
        _Column("share", [row.share.text for row in rows]),
        _Column("median", [row.median.text for row in rows]),
        *([_Column("p99", [row.p99.text for row in rows])] if sort is Sort.P99 else []),
        _Column("n", [row.launches.text for row in rows]),
        *keys,
        _Column("limited by", [_limit(row, width) for row in rows], right=False),
    ]
    left = width - sum(2 + _widest(column) for column in columns)
    if width < _WIDE or left < _LEAST_FINDING:
        return columns
    findings = [clip(row.finding or "none", left) for row in rows]
    return [*columns, _Column("first finding", findings, right=False)]


def _names(rows: Sequence[Row]) -> list[str]:
    """Return the names; of equal ones, with that part of their shape that differs."""
    shapes: dict[str, list[set[str]]] = defaultdict(lambda: [set(), set()])
    for row in rows:
        for seen, part in zip(shapes[row.name.short], row.shape.split(", "), strict=False):
            seen.add(part)
    return [" ".join([row.name.short, *_different(row, shapes[row.name.short])]) for row in rows]


def _different(row: Row, seen: Sequence[set[str]]) -> list[str]:
    parts = zip(row.shape.split(", "), seen, strict=False)
    return [part for part, values in parts if len(values) > 1]


def _number(cell: Cell) -> str:
    if cell.sort is None:
        return _MISSING
    return cell.text.removesuffix(" %") + (_sign(cell.note) if cell.note else "")


def _sign(note: str) -> str:
    return _ESTIMATED if note == words.ESTIMATED else _OTHER_BASIS


def _limit(row: Row, width: int) -> str:
    """Print the bottleneck; "med" where there is little room for "medium"."""
    sure = row.confidence if width >= _WIDE else row.confidence[:3]
    return row.mark.label if row.confidence == "high" else f"{row.mark.label} ({sure})"


def _name_room(columns: Sequence[_Column], width: int) -> int:
    """Return what the names may take: what the other columns leave."""
    used = sum(2 + _widest(column) for column in columns[1:])
    return max(_LEAST_NAME, min(_LONGEST_NAME, width - used))


def _widest(column: _Column) -> int:
    return max(columns_of(text) for text in (column.head, *column.texts))


def _lines(columns: Sequence[_Column], room: int) -> Iterable[str]:
    rooms = [min(room, _widest(columns[0])), *map(_widest, columns[1:])]
    short = fitted(dict.fromkeys(columns[0].texts), rooms[0])
    kernels = columns[0]._replace(texts=[short[text] for text in columns[0].texts])
    columns = [kernels, *columns[1:]]
    for row in zip(*([column.head, *column.texts] for column in columns), strict=True):
        cells = zip(row, rooms, columns, strict=True)
        yield "  ".join(fit(text, room, column.right) for text, room, column in cells).rstrip()

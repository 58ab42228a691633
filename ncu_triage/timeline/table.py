"""Growing columns of integers, and texts that are stored once."""

from __future__ import annotations

from array import array
from collections.abc import Hashable
from itertools import pairwise
from typing import Generic, TypeVar

from ncu_triage.timeline.events import Column

Item = TypeVar("Item", bound=Hashable)


class Index(Generic[Item]):
    """Number items as they appear."""

    def __init__(self) -> None:
        self._places: dict[Item, int] = {}

    def of(self, item: Item) -> int:
        """Return the item's number, a new one on its first appearance."""
        return self._places.setdefault(item, len(self._places))

    def items(self) -> tuple[Item, ...]:
        """Return all items in the order of their numbers."""
        return tuple(self._places)


class Table:
    """Columns of 64-bit (`q`) and 32-bit (`i`) integers that grow row by row."""

    def __init__(self, **types: str) -> None:
        self.columns: dict[str, Column] = {name: array(code) for name, code in types.items()}
        self._appends = tuple(column.append for column in self.columns.values())

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def add(self, *values: int) -> None:
        """Append a row, its values in the order of the columns."""
        for append, value in zip(self._appends, values, strict=True):
            append(value)

    def by(self, column: str) -> dict[str, Column]:
        """Return the columns in the order of one of them; equal rows keep their order."""
        key = self.columns[column]
        if _is_sorted(key):
            return self.columns
        order = sorted(range(len(key)), key=key.__getitem__)
        return {
            name: array(values.typecode, (values[row] for row in order))
            for name, values in self.columns.items()
        }


def _is_sorted(column: Column) -> bool:
    return all(a <= b for a, b in pairwise(column))

"""The metrics of one launch, cell by cell: numbers, texts, and four kinds of nothing."""

from __future__ import annotations

import re
from math import isfinite

from ncu_triage.readers.csv.numbers import Parser, looks_numeric
from ncu_triage.readers.csv.tally import NOT_COLLECTED, Tally
from ncu_triage.readers.ncu_rep.metrics import HISTOGRAMS

_NO_VALUE = frozenset({"", "no data", "-"})
_NOT_A_NUMBER = frozenset({"(!) nan", "-nan", "nan(ind)", "-nan(ind)"})
# The viewer's count of instances, which is no value.
_BRACES = re.compile(r"\s*\{[\d.,'\s]+\}$")
_MOST = 100_000
_LONGEST_TEXT = 1 << 16


class Metrics:
    """A launch's metrics while they are read; base units, as a report file has them.

    `n/a` was not collected and leaves nothing; `no data` and an empty cell exist without
    a value; `nan` failed. A text is kept where no unit says that it should be a number.
    """

    __slots__ = ("_number", "_tally", "histograms", "nan", "valueless", "values")

    def __init__(self, number: Parser, tally: Tally) -> None:
        self._number = number
        self._tally = tally
        self.values: dict[str, float | str] = {}
        self.valueless: set[str] = set()
        self.nan: set[str] = set()
        self.histograms: dict[str, dict[str, float]] = {}

    @property
    def full(self) -> bool:
        """Tell whether there are more metrics than any launch has."""
        return len(self.values) + len(self.valueless) + len(self.nan) > _MOST

    def put(self, name: str, cell: str, factor: float = 1.0, unit: str = "") -> bool:
        """Take a cell; True where it held a number."""
        value = self._number(cell)
        if value is None:
            return self._other(name, cell.strip(), factor, unit)
        if not isfinite(value):
            self.nan.add(name)
            return False
        self.values[name] = value * factor
        return True

    def _other(self, name: str, cell: str, factor: float, unit: str) -> bool:
        if cell in NOT_COLLECTED:
            return False
        if cell in _NO_VALUE:
            self.valueless.add(name)
        elif cell in _NOT_A_NUMBER:
            self.nan.add(name)
        elif cell.endswith((")", "}")) and (main := self._without_instances(name, cell)) != cell:
            return self.put(name, main, factor, unit)
        elif looks_numeric(cell) or unit:
            self._tally.unreadable(cell)
        else:
            self.values[name] = cell[:_LONGEST_TEXT]
        return False

    def _without_instances(self, name: str, cell: str) -> str:
        """Return what stands before the list of instances, and keep a list by opcode.

        Without an aggregate nothing stands before it; a text may end in brackets, too.
        """
        if cell.endswith("}"):
            return _BRACES.sub("", cell)
        main, _, listed = cell[:-1].partition("(")
        if main.strip() and self._number(main.strip()) is None:
            return cell
        if name in HISTOGRAMS:
            self._keep_histogram(name, listed)
        return main.strip()

    def _keep_histogram(self, name: str, listed: str) -> None:
        counts = {}
        for item in listed.split("; "):
            key, colon, count = item.rpartition(": ")
            value = self._number(count) if colon else None
            if value is not None and isfinite(value) and not key.strip().isdigit():
                counts[key.strip()] = value
        if counts:
            self.histograms[name] = counts

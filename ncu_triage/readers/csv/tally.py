"""What a file held besides launches: everything dropped or assumed, counted and said."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ncu_triage.readers.csv.numbers import Convention

# Texts of a file that go into a note are cut here.
_SHOWN = 60
# What the profiler prints for a metric that it did not collect.
NOT_COLLECTED = frozenset({"n/a", "N/A", "(n/a)"})
_MOST_NAMED = 3
# Beyond this, distinct names are no longer kept apart.
_MOST_DISTINCT = 10_000
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|(?<!\S)(?:/|[A-Za-z]:\\)\S+")


@dataclass
class Tally:
    """Counts of one reading of a file."""

    convention: Convention = field(default_factory=lambda: Convention("."))
    launches: int = 0
    runs: int = 0
    foreign: int = 0
    profiler: int = 0
    errors: list[str] = field(default_factory=list)
    failed: int = 0
    empty: int = 0
    broken: int = 0
    cut_launches: int = 0
    late: int = 0
    overlong: int = 0
    dequoted: int = 0
    unreadable_cells: int = 0
    unreadable_example: str = ""
    assumed: set[str] = field(default_factory=set)
    unknown_units: set[str] = field(default_factory=set)
    labels: set[str] = field(default_factory=set)
    unlabelled: int = 0
    unnamed: int = 0
    averaged: Counter[str] = field(default_factory=Counter)
    spreads: list[str] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def outside(self, line: str) -> None:
        """Count a line that is no row of a table; blank ones are nothing."""
        if line.startswith("=="):
            self.profiler += 1
            if line.startswith("==ERROR==") and len(self.errors) < _MOST_NAMED:
                self.errors.append(cleaned(line.removeprefix("==ERROR==")))
        elif line.strip():
            self.foreign += 1

    def unreadable(self, cell: str) -> None:
        """Count a cell that should be a number and is none in the file's convention."""
        self.unreadable_cells += 1
        self.unreadable_example = self.unreadable_example or cleaned(cell)

    def assume(self, metric: str) -> None:
        """Remember a metric whose unit is missing and taken to be the base unit."""
        _keep(self.assumed, metric)

    def unknown_unit(self, name: str) -> None:
        """Remember a column that cannot be used, since its unit is not known."""
        _keep(self.unknown_units, name)

    def unlabel(self, label: str, cell: str) -> None:
        """Count a value whose label stands for no certain metric."""
        if cell not in NOT_COLLECTED:
            self.unlabelled += 1
            _keep(self.labels, label)

    def average(self, kernel: str, launches: int) -> None:
        """Remember that a launch stands for many, by their averages."""
        kernel = kernel[: 4 * _SHOWN]
        if kernel in self.averaged or len(self.averaged) < _MOST_DISTINCT:
            self.averaged[kernel] += launches

    def spread(self, kernel: str, ends: tuple[str, str], unit: str) -> None:
        """Remember how far the durations of a kernel's launches differ."""
        if len(self.spreads) < _MOST_NAMED:
            self.spreads.append(f"{cleaned(kernel)} {ends[0]} to {ends[1]} {unit}".strip())

    def remark(self, text: str) -> None:
        """Add a note, once."""
        if text not in self.remarks:
            self.remarks.append(text)

    def losses(self) -> list[str]:
        """Say what of the table could not be read."""
        return [text for count, text in self._losses() if count]

    def notes(self) -> list[str]:
        """Say what was left out or assumed, the losses first."""
        return self.losses() + list(self._assumptions()) + self.remarks

    def _losses(self) -> Iterator[tuple[int, str]]:
        yield self.failed, f"{_many(self.failed, 'launch')} failed to be profiled: left out"
        yield self.empty, f"{_many(self.empty, 'launch')} without a usable metric: left out"
        yield self.broken, f"{_many(self.broken, 'row')} cut off or broken: left out"
        yield (
            self.late,
            f"{_many(self.late, 'row')} of launches that had ended long before: left out"
            " (sort the file by ID)",
        )
        yield self.overlong, f"{_many(self.overlong, 'line')} longer than 16 MB: left out"
        if self.convention.point is not None:
            yield (
                self.unreadable_cells,
                f"{_many(self.unreadable_cells, 'value')} such as"
                f" '{self.unreadable_example}' could not be read as numbers: left out",
            )

    def _assumptions(self) -> Iterator[str]:
        yield from self._lines()
        yield from self._numbers()
        if self.unnamed == self.launches and self.unnamed:
            yield "the table does not name the kernels"
        elif self.unnamed:
            of = f"{self.unnamed} of {_many(self.launches, 'launch')}"
            yield f"the table does not name the kernel of {of}"
        if self.assumed:
            yield f"no unit given for {_some(self.assumed, 'metric')}: base units assumed"
        if self.unknown_units:
            yield (
                "units unknown: only percentages and counts are used, left out"
                f" {_some(self.unknown_units, 'column')}"
            )
        if self.unlabelled:
            yield f"left out for want of a certain metric: {_some(self.labels, 'label')}"
        if self.averaged:
            yield (
                f"a summary: averages over {_many(self.averaged.total(), 'launch')} of"
                f" {_many(len(self.averaged), 'kernel')}, each counted once"
            )
        if self.spreads:
            yield f"durations from least to most: {'; '.join(self.spreads)}"
        if self.dequoted:
            yield f"{_many(self.dequoted, 'row')} had lost the quotes: put together again"

    def _lines(self) -> Iterator[str]:
        if self.runs > 1:
            yield f"{self.runs} runs stand in one file; launches are numbered on"
        if self.foreign:
            yield f"{_many(self.foreign, 'line')} of other output left out"
        if self.profiler:
            yield f"{_many(self.profiler, 'message')} of the profiler left out"
        if self.errors:
            yield f"the profiler reported an error: {self.errors[0]}"

    def _numbers(self) -> Iterator[str]:
        point, because, grouped = (text and cleaned(text) for text in self.convention)
        if point is None and self.unreadable_cells:
            yield (
                f"numbers such as '{because}' are ambiguous (thousands or decimals,"
                f" nothing in the file tells): {_many(self.unreadable_cells, 'value')} left out"
            )
        elif point == ",":
            yield f"numbers have a decimal comma: '{because}' shows it"
        elif point == "." and grouped:
            yield f"numbers such as '{grouped}' have commas between thousands: '{because}' shows it"


def cleaned(line: str) -> str:
    """Shorten a line for a message, without the paths and names in it."""
    text = " ".join(_QUOTED.sub("…", line).split())
    return "".join(c for c in text if c.isprintable())[: 2 * _SHOWN]


def _keep(names: set[str], name: str) -> None:
    if len(names) < _MOST_DISTINCT:
        names.add(name[: 4 * _SHOWN])


def _many(count: int, thing: str) -> str:
    plural = "es" if thing.endswith("ch") else "s"
    return f"{count} {thing}" + ("" if count == 1 else plural)


def _some(names: set[str], thing: str) -> str:
    """Name the first few of many things."""
    first = ", ".join(cleaned(name) for name in sorted(names)[:_MOST_NAMED])
    more = ", …" if len(names) > _MOST_NAMED else ""
    return f"{_many(len(names), thing)} ({first}{more})"

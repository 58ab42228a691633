"""Find out how a file writes its numbers, from many of its cells."""

from __future__ import annotations

from ncu_triage.errors import InputError
from ncu_triage.readers.csv.numbers import (
    Convention,
    is_fixed,
    looks_numeric,
    other_mark,
    point_of,
)
from ncu_triage.readers.csv.table import Sample
from ncu_triage.readers.csv.units import factor

_ENOUGH = 200
_CONTRADICTION = 0.05
_WHOLE_UNITS = frozenset({"cycle", "byte", "inst", "thread", "request", "sector", "block"})
_WHOLE_ENDS = (".sum", ".max", ".min", "launch__grid_size", "launch__block_size", "_count")
_CYCLES, _CLOCK, _TIME = (
    "gpc__cycles_elapsed.max",
    "gpc__cycles_elapsed.avg.per_second",
    "gpu__time_duration.sum",
)
_MOST_KEPT = 100


class Evidence:
    """Cells seen so far, and what they say about the decimal point.

    Strongest first: what a cell proves by itself, a separator within a whole number, and
    the cycles of a launch, which must be clock times duration.
    """

    def __init__(self) -> None:
        self._proofs: dict[str, list[str]] = {".": [], ",": []}
        self._counts = {".": 0, ",": 0}
        self._whole: dict[str, str] = {}
        self._checks: dict[str, str] = {}
        self._unclear = ""
        self._seen = {".": "", ",": ""}
        self._launch: dict[str, Sample] = {}

    @property
    def enough(self) -> bool:
        """Tell whether more cells would change nothing."""
        return sum(self._counts.values()) >= _ENOUGH

    def look(self, sample: Sample) -> None:
        """Look at one cell."""
        if sample.metric in (_CYCLES, _CLOCK, _TIME):
            self._check(sample)
        cell = sample.cell[:_MOST_KEPT]
        marks = [mark for mark in ".," if mark in cell]
        if not marks or not looks_numeric(cell) or is_fixed(cell):
            return
        for mark in marks:
            self._seen[mark] = self._seen[mark] or cell
        point = point_of(cell, percent=sample.unit == "%")
        if point is not None:
            self._counts[point] += 1
            self._proofs[point] = self._proofs[point] or [cell]
            return
        self._unclear = self._unclear or cell
        if sample.unit in _WHOLE_UNITS and sample.metric.endswith(_WHOLE_ENDS):
            self._whole.setdefault(other_mark(marks[0]), cell)

    def _check(self, sample: Sample) -> None:
        """Hold a launch's cycles against its clock and time, once all three were seen."""
        self._launch[sample.metric] = sample
        if len(self._launch) < 3:
            return
        fits = [point for point in ".," if _is_consistent(point, self._launch)]
        if len(fits) == 1:
            self._checks.setdefault(fits[0], self._launch[_TIME].cell[:_MOST_KEPT])
        self._launch.clear()

    def decide(self) -> Convention:
        """Return the file's convention; refuse a file that has two."""
        low, high = sorted(self._counts.values())
        if low > _CONTRADICTION * (low + high):
            raise InputError(
                "the numbers are written in two ways"
                f" ({self._proofs['.'][0]} and {self._proofs[','][0]}): export the file anew"
            )
        if high:
            point = max(self._counts, key=lambda mark: self._counts[mark])
            return self._convention(point, self._proofs[point][0])
        for found in (self._whole, self._checks):
            if len(found) == 1:
                return self._convention(*next(iter(found.items())))
        return Convention(None, self._unclear) if self._unclear else Convention(".")

    def _convention(self, point: str, proof: str) -> Convention:
        return Convention(point, proof, self._seen[other_mark(point)])


def _is_consistent(point: str, launch: dict[str, Sample]) -> bool:
    """Tell whether cycles = clock * time holds when the numbers are read with this point."""
    parse = Convention(point).parser()
    read = [parse(launch[metric].cell) for metric in (_CYCLES, _CLOCK, _TIME)]
    cycles, clock, time = (value or 0.0 for value in read)
    expected = clock * factor(launch[_CLOCK].unit) * time * factor(launch[_TIME].unit) / 1e9
    return bool(expected) and abs(cycles / expected - 1) < _CONTRADICTION

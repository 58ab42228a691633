"""Watch a kernel night by night for steps and drifts of its duration.

What is found at a night depends on that night and those before it only: tomorrow's
report never takes back what today's said.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from ncu_triage.history.noise import resolution, spread
from ncu_triage.history.series import Event, EventKind, Limits, Point
from ncu_triage.history.shape import shape

# A night alone is no change: the second one confirms it.
_CONFIRMED_BY = 2
# Nights that make up the level before, and the least that there must be of them.
_BEFORE = 14
_LEAST_BEFORE = 3
# Nights that the spread is learned from.
_MEMORY = 60
# Nights at both ends of a drift, and the most that lie between its ends.
_START = 10
_END = 7
_LONGEST = 150
# A deviation is usual if this much of it was there more often than that in the memory.
_USUAL = 0.7
_ONCE = 1
# The standard error of a median, by that of a mean.
_MEDIAN = math.sqrt(math.pi / 2)


class Moved(NamedTuple):
    """How a night differs from those before it, in seconds, and by how many spreads."""

    before: float
    after: float
    noise_pct: float
    sigmas: float


class _Shift(NamedTuple):
    """Two levels (logarithms of seconds), and how many spreads lie between them."""

    before: float
    after: float
    sigmas: float
    noise: float

    @property
    def size(self) -> float:
        return self.after - self.before


class Watch:
    """Goes through the nights of a kernel; `_begin` is the first one at the present level."""

    def __init__(self, points: Sequence[Point], limits: Limits) -> None:
        self._points = [point for point in points if point.duration]
        self._limits = limits
        self._levels = [math.log(point.duration or 1.0) for point in self._points]
        self._begin = 0
        self._breaks: set[int] = set()
        self.nights = len(self._points)

    def report(self, night: int) -> int:
        """Return the report of a night."""
        return self._points[night].report

    def look(self, night: int) -> Event | None:
        """Say what this night makes certain."""
        return self._step(night) or self._drift(night)

    def moved(self, night: int) -> Moved | None:
        """Say what this night makes certain of the time: the event, or that nothing differs."""
        shift = self._shift(night)
        if shift is None:
            return self._settling(night)
        level, noise = math.exp(shift.before), 100 * math.expm1(shift.noise)
        event = self.look(night)
        if event is None or not event.before or not event.after:
            return Moved(level, level, noise, 0.0)
        return Moved(event.before, event.after, noise, event.sigmas or 0.0)

    def _settling(self, night: int) -> Moved | None:
        """Say that nothing differs yet where the level itself is only nights old."""
        if self._begin == 0:
            return None
        level = math.exp(median(self._levels[self._begin : night + 1]))
        return Moved(level, level, 100 * math.expm1(self._noise(night)), 0.0)

    def _closest(self, night: int, level: float) -> float:
        """Return the confirming night that differs least; the level itself if they disagree."""
        nights = self._levels[night + 1 - _CONFIRMED_BY : night + 1]
        low, high = min(nights), max(nights)
        return level if low < level < high else min(nights, key=lambda v: abs(v - level))

    def _before(self, night: int) -> list[float] | None:
        """Return the nights that make up the level so far; None where they are too few."""
        first = night + 1 - _CONFIRMED_BY
        before = self._levels[max(self._begin, first - _BEFORE) : max(first, 0)]
        return before if len(before) >= _LEAST_BEFORE else None

    def _shift(self, night: int) -> _Shift | None:
        """Return how far the last nights are from the level before them."""
        first, before = night + 1 - _CONFIRMED_BY, self._before(night)
        if before is None:
            return None
        nights, level = self._levels[first : night + 1], median(before)
        error = self._noise(first) * math.sqrt(1 / len(nights) + _MEDIAN**2 / len(before))
        after = sum(nights) / len(nights)
        return _Shift(level, after, abs(after - level) / error, error)

    def _step(self, night: int) -> Event | None:
        first, before = night + 1 - _CONFIRMED_BY, self._before(night)
        if before is None:
            return None
        least = self._closest(night, median(before)) - median(before)
        if abs(least) <= _log(self._limits.step_pct) or self._usual(first, least):
            return None
        shift = self._shift(night)
        certain = shift is not None and shift.sigmas >= self._limits.sigmas
        return self._event("step", first, night, shift) if shift and certain else None

    def _drift(self, night: int) -> Event | None:
        shift = self._ends(night)
        if shift is None or abs(shift.size) < _log(self._limits.drift_pct):
            return None
        if shift.sigmas < self._limits.sigmas:
            return None
        begin = max(self._begin, night - _LONGEST)
        found = shape(self._levels[begin : night + 1])
        return self._event("step" if found.sudden else "drift", begin + found.begin, night, shift)

    def _ends(self, night: int) -> _Shift | None:
        """Return how far the last week is from the first nights at this level."""
        begin = max(self._begin, night - _LONGEST)
        start, end = begin + _START, night + 1 - _END
        if end < start + _END:
            return None
        before, after = median(self._levels[begin:start]), median(self._levels[end : night + 1])
        error = self._noise(night + 1) * _MEDIAN * math.sqrt(1 / _START + 1 / _END)
        return _Shift(before, after, abs(after - before) / error, error)

    def _usual(self, first: int, shift: float) -> bool:
        """Tell whether the kernel was that far off before, more than once: it comes and goes."""
        begin = max(0, first - _MEMORY)
        cuts = sorted({begin, first, *(b for b in self._breaks if begin < b < first)})
        seen = 0
        for start, end in pairwise(cuts):
            level = median(self._levels[start:end])
            seen += sum((v - level) / shift > _USUAL for v in self._levels[start:end])
        return seen > _ONCE

    def _noise(self, end: int) -> float:
        """Learn the spread from the nights before, without the steps among them."""
        begin = max(0, end - _MEMORY)
        nights = [i for i in range(begin + 1, end) if i not in self._breaks]
        past = self._points[begin:end]
        floor = resolution(past[-1].duration or 0.0)
        differences = [self._levels[i] - self._levels[i - 1] for i in nights]
        return max(spread(differences, [p.spread for p in past]), floor)

    def _event(self, kind: EventKind, since: int, night: int, shift: _Shift) -> Event:
        begin, self._begin = self._begin, night + 1 - _END if kind == "drift" else since
        self._breaks.add(since)
        ratio = math.exp(shift.after - shift.before)
        return Event(
            event=kind,
            since=self._points[since].report,
            found=self._points[night].report,
            direction="slower" if ratio > 1 else "faster",
            before=math.exp(shift.before),
            after=math.exp(shift.after),
            change_pct=100 * (ratio - 1),
            sigmas=shift.sigmas,
            excuse="clock" if self._same_cycles(begin, since, night, ratio) else None,
        )

    def _same_cycles(self, begin: int, since: int, night: int, ratio: float) -> bool:
        """Tell whether the work took as many cycles as before, only longer ones."""
        begin = max(begin, since - _BEFORE)
        before = [p.cycles for p in self._points[begin:since] if p.cycles]
        after = [p.cycles for p in self._points[max(since, night - _END) : night + 1] if p.cycles]
        if not before or not after:
            return False
        return abs(math.log(median(after) / median(before))) < abs(math.log(ratio)) / 4


def _log(percent: float) -> float:
    return math.log1p(percent / 100)

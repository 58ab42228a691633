"""Arrange a kernel's nights for their readers: texts, and places in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from msgspec import Struct

from ncu_triage.history.events import Trend
from ncu_triage.history.series import Event, Point
from ncu_triage.history.words import day, what
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.names import shorten
from ncu_triage.view.shown import Mark

WIDTH, HEIGHT = 960, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 76, 12, 14, 26
_TICKS = 6
_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
# So many reports tell what was at the beginning, and what is now.
_AT_AN_END = 7


class Dot(Struct, frozen=True):
    """A night in the picture."""

    x: float
    y: float
    kind: str
    tip: str


class Tick(Struct, frozen=True):
    """A place on an axis."""

    at: float
    text: str


class Line(Struct, frozen=True):
    """A level that the kernel kept for a while, in the picture."""

    x1: float
    x2: float
    y: float


class Happened(Struct, frozen=True):
    """An event in words, and where it is in the picture, if it is in there."""

    when: str
    text: str
    alarming: bool
    x: float | None


class TrendShown(Struct, frozen=True):
    """A kernel over time, ready to be written down; `alone` is one with a single night."""

    name: str
    full: str | None
    facts: str
    summary: str
    alone: bool
    durations: list[float]
    dots: list[Dot]
    levels: list[Line]
    x: list[Tick]
    y: list[Tick]
    events: list[Happened]
    marks: list[Mark]


def shown(trend: Trend) -> TrendShown:
    """Return what a reader sees of a kernel."""
    kernel, timed = trend.kernel, [p for p in trend.points if p.duration]
    short = shorten(kernel.demangled)
    picture = _Picture(timed)
    grid = f"grid {kernel.grid}" if kernel.grid else ""
    block = f"block {kernel.block}" if kernel.block else ""
    return TrendShown(
        name=short,
        full=kernel.demangled if kernel.demangled != short else None,
        facts=", ".join(filter(None, [kernel.benchmark, grid, block, kernel.device])),
        summary=_summary(trend, timed),
        alone=len(trend.points) == 1,
        durations=[point.duration or 0.0 for point in timed],
        dots=[picture.dot(point, _tip(trend, point)) for point in timed],
        levels=picture.levels(trend.events),
        x=picture.days(),
        y=picture.times(),
        events=[*(_happened(trend, e, picture) for e in trend.events), *_absent(trend)],
        marks=[words.mark(kind) for kind in sorted({p.kind for p in timed if p.kind})],
    )


def _summary(trend: Trend, timed: Sequence[Point]) -> str:
    nights = len(trend.points)
    if not timed:
        return f"{words.count(nights, 'report')}, none with a duration"
    if len(timed) == 1:
        return _only(timed[0], nights)
    begin, end = _ends(timed, trend.events)
    first, last = (median(p.duration or 0.0 for p in part) for part in (begin, end))
    change = 100 * (last / first - 1)
    moved = f", {percent(abs(change))} {'slower' if change > 0 else 'faster'}" if change else ""
    span = f"{day(timed[0].at)} to {day(timed[-1].at)}"
    whole = words.count(len(timed), "report")
    return (
        f"{whole} from {span}: {show(first, 's')} in the first{_several(begin)},"
        f" {show(last, 's')} in the last{_several(end)}{moved}"
    )


def _ends(
    timed: Sequence[Point], events: Sequence[Event]
) -> tuple[Sequence[Point], Sequence[Point]]:
    """Return the first and the last reports, up to the first step and from the last one on."""
    steps = {event.since for event in events if event.event == "step"}
    cuts = [i for i, point in enumerate(timed) if point.report in steps and i]
    most = _AT_AN_END if cuts else max(1, min(_AT_AN_END, len(timed) // 2))
    first = cuts[0] if cuts else most
    last = cuts[-1] if cuts else 0
    return timed[: min(first, most)], timed[max(last, len(timed) - most) :]


def _several(points: Sequence[Point]) -> str:
    return f" {len(points)}" if len(points) > 1 else ""


def _only(point: Point, nights: int) -> str:
    """Say that a single duration has nothing to be held against."""
    which = "one report only" if nights == 1 else f"one report of {nights} with a duration"
    return (
        f"{which}, from {day(point.at)}: {show(point.duration or 0.0, 's')};"
        " there is nothing to compare it with yet"
    )


def _tip(trend: Trend, point: Point) -> str:
    report = trend.report(point.report)
    kind = words.mark(point.kind).label if point.kind else "not judged"
    parts = [day(point.at), show(point.duration or 0.0, "s"), kind, report.label or report.name]
    return ", ".join(parts)


def _happened(trend: Trend, event: Event, picture: _Picture) -> Happened:
    report = trend.report(event.since)
    found = trend.report(event.found)
    later = f"; certain on {day(found.at)}" if day(found.at) != day(report.at) else ""
    named = f" [{report.label}]" if report.label else ""
    return Happened(
        when=f"{day(report.at)}{named}",
        text=f"{what(event)}{later}",
        alarming=event.alarming,
        x=picture.place(event.since),
    )


def _absent(trend: Trend) -> list[Happened]:
    """Say that the benchmark of a kernel does not come any more."""
    if trend.absent is None:
        return []
    text = "its benchmark has no report any more, while others of its scans have"
    return [Happened(when=day(trend.absent.since.at), text=text, alarming=True, x=None)]


class _Picture:
    """Places nights from left to right and durations from bottom to top."""

    def __init__(self, points: Sequence[Point]) -> None:
        self._points = points
        self._number = {point.report: i for i, point in enumerate(points)}
        times = [point.duration or 0.0 for point in points]
        low, high = min(times, default=0.0), max(times, default=1.0)
        room = (high - low) * 0.08 or high * 0.1 or 1.0
        self._low, self._high = max(0.0, low - room), high + room

    def place(self, report: int) -> float | None:
        """Return how far right a report is."""
        number = self._number.get(report)
        return self._x(number) if number is not None else None

    def dot(self, point: Point, tip: str) -> Dot:
        """Place a night."""
        x = self._x(self._number[point.report])
        return Dot(x, self._y(point.duration or 0.0), point.kind or "", tip)

    def levels(self, events: Sequence[Event]) -> list[Line]:
        """Return the level between each step and the next; what drifts has none."""
        moved = {kind: self._numbers(events, kind) for kind in ("step", "drift")}
        cuts = sorted({0, len(self._points), *moved["step"]})
        return [
            Line(
                self._x(start),
                self._x(end - 1),
                self._y(median(p.duration or 0.0 for p in self._points[start:end])),
            )
            for start, end in pairwise(cuts)
            if not any(start <= number < end for number in moved["drift"])
        ]

    def _numbers(self, events: Sequence[Event], kind: str) -> set[int]:
        return {self._number[event.since] for event in events if event.event == kind}

    def days(self) -> list[Tick]:
        """Return the first night, the last, and one in the middle."""
        last = len(self._points) - 1
        return [
            Tick(self._x(i), day(self._points[i].at)) for i in sorted({0, last // 2, last} - {-1})
        ]

    def times(self) -> list[Tick]:
        """Return durations to compare with."""
        step = _round_step((self._high - self._low) / _TICKS)
        first, last = math.ceil(self._low / step), math.floor(self._high / step)
        values = [step * i for i in range(first, last + 1)]
        return [
            Tick(self._y(value), text)
            for value, text in zip(values, _times(values, step), strict=True)
        ]

    def _x(self, number: int) -> float:
        width = WIDTH - _LEFT - _RIGHT
        return round(_LEFT + width * (number + 0.5) / max(1, len(self._points)), 1)

    def _y(self, value: float) -> float:
        height = HEIGHT - _TOP - _BOTTOM
        return round(_TOP + height * (self._high - value) / (self._high - self._low), 1)


def _round_step(rough: float) -> float:
    """Return the next of 1, 2, 5, 10 times a power of ten, so that ticks are round numbers."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * f for f in (1, 2, 5, 10) if power * f >= rough * 0.999)


def _times(values: Sequence[float], step: float) -> list[str]:
    """Print times with the digits that tell them apart, in the unit of the largest."""
    unit, size = next(
        (one for one in _UNITS if max(values, default=0.0) >= one[1] * 0.999), _UNITS[-1]
    )
    places = max(0, -math.floor(math.log10(step / size) + 1e-9))
    return [f"{value / size:.{places}f} {unit}" for value in values]

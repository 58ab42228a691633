"""All that happened to kernels of a history, in the order in which it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.history.absence import Absence, absences
from ncu_triage.history.changes import changes
from ncu_triage.history.comparable import alike, why_not
from ncu_triage.history.database import Database
from ncu_triage.history.kinds import kind_changes
from ncu_triage.history.presence import presence
from ncu_triage.history.read import (
    KernelKey,
    Report,
    calendar,
    heaviest,
    kernels,
    reports,
    series,
)
from ncu_triage.history.series import Event, Limits, Point


class Trend(NamedTuple):
    """A kernel over time; `ways` numbers the reports by how they were taken.

    Only nights of one number may be compared. `absent` where the benchmark has stopped coming.
    """

    kernel: KernelKey
    points: list[Point]
    reports: list[Report]
    events: list[Event]
    ways: dict[int, int]
    absent: Absence | None = None

    def report(self, id: int) -> Report:
        """Return a report by its number."""
        return next(report for report in self.reports if report.id == id)

    def comparable(self, report: int) -> list[Point]:
        """Return the nights that may be held against a report's, with its own."""
        way = self.ways.get(report)
        return [point for point in self.points if self.ways.get(point.report) == way]

    def barred(self, report: int) -> str | None:
        """Say why the last night before a report must not be compared with it."""
        place = next(i for i, point in enumerate(self.points) if point.report == report)
        if place == 0:
            return None
        before = self.report(self.points[place - 1].report)
        return why_not(before.taken, self.report(report).taken)


def trends(
    database: Database, wanted: Sequence[KernelKey], rules: RuleSet, limits: Limits
) -> list[Trend]:
    """Return kernels with their nights and what happened in them."""
    with database.transaction() as connection:
        nights = series(connection, database, wanted, rules)
        whole = reports(connection, database, {key.benchmark for key in wanted})
        absent = {one.benchmark: one for one in absences(calendar(connection, database))}
    ways = {name: alike([(r.id, r.taken) for r in those]) for name, those in whole.items()}
    found = []
    for key in wanted:
        points, those = nights.get(key.id, []), whole.get(key.benchmark, [])
        way, gone = ways.get(key.benchmark, {}), absent.get(key.benchmark)
        trend = Trend(key, points, those, [], way, gone)
        found.append(trend._replace(events=_events(trend, limits)))
    return found


def every_kernel(database: Database) -> list[KernelKey]:
    """Return all kernels."""
    with database.transaction() as connection:
        return kernels(connection, database)


def most_important(database: Database, keys: Sequence[KernelKey], most: int) -> list[KernelKey]:
    """Return the kernels that take the most time."""
    with database.transaction() as connection:
        return heaviest(connection, database, keys)[:most]


def of_benchmarks(database: Database, benchmarks: set[str]) -> list[KernelKey]:
    """Return the kernels of benchmarks."""
    return [key for key in every_kernel(database) if key.benchmark in benchmarks]


def _events(trend: Trend, limits: Limits) -> list[Event]:
    """Find what happened: in time and bottleneck among nights that may be compared."""
    seen = {point.report for point in trend.points}
    device = trend.kernel.device
    same = [r.id for r in trend.reports if r.id in seen or (r.complete and _has(r, device))]
    events = presence(same, seen)
    for way in sorted(set(trend.ways.values())):
        points = [point for point in trend.points if trend.ways[point.report] == way]
        events += changes(points, limits) + kind_changes(points)
    place = {report.id: number for number, report in enumerate(trend.reports)}
    return sorted(events, key=lambda event: (place[event.found], event.event))


def _has(report: Report, device: str) -> bool:
    return device in report.devices or not device

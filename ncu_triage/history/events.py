"""All that happened to kernels of a history, in the order in which it was found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.history.changes import changes
from ncu_triage.history.database import Database
from ncu_triage.history.kinds import kind_changes
from ncu_triage.history.presence import presence
from ncu_triage.history.read import KernelKey, Report, heaviest, kernels, reports, series
from ncu_triage.history.series import Event, Limits, Point


class Trend(NamedTuple):
    """A kernel over time."""

    kernel: KernelKey
    points: list[Point]
    reports: list[Report]
    events: list[Event]

    def report(self, id: int) -> Report:
        """Return a report by its number."""
        return next(report for report in self.reports if report.id == id)


def trends(
    database: Database, wanted: Sequence[KernelKey], rules: RuleSet, limits: Limits
) -> list[Trend]:
    """Return kernels with their nights and what happened in them."""
    with database.transaction() as connection:
        nights = series(connection, database, wanted, rules)
        whole = reports(connection, database, {key.benchmark for key in wanted})
    return [
        _trend(key, nights.get(key.id, []), whole.get(key.benchmark, []), limits) for key in wanted
    ]


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


def _trend(key: KernelKey, points: list[Point], whole: list[Report], limits: Limits) -> Trend:
    seen = {point.report for point in points}
    same = [r.id for r in whole if r.id in seen or (r.complete and _has(r, key.device))]
    events = changes(points, limits) + kind_changes(points) + presence(same, seen)
    place = {report.id: number for number, report in enumerate(whole)}
    events.sort(key=lambda event: (place[event.found], event.event))
    return Trend(key, points, whole, events)


def _has(report: Report, device: str) -> bool:
    return device in report.devices or not device

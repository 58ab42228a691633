"""Record what a scan judged in a history, and ask it what changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.history.benchmark import benchmark_of
from ncu_triage.history.database import Database, opened
from ncu_triage.history.events import Trend, of_benchmarks, trends
from ncu_triage.history.measure import storable
from ncu_triage.history.read import Report, recorded
from ncu_triage.history.record import Night, record
from ncu_triage.history.series import Happening, Limits
from ncu_triage.render import json_
from ncu_triage.scan.row import KernelEvent, Row
from ncu_triage.scan.run import Content
from ncu_triage.scan.store import Store
from ncu_triage.view.names import shorten


class Wanted(NamedTuple):
    """The history to record in, and what the user said of the reports."""

    where: str
    label: str | None
    when: float | None


class Kept(NamedTuple):
    """What the history knows after a scan: the kernels of its benchmarks, and tonight.

    `reports` are the numbers, by content and benchmark, of those of the scan's reports that
    are the last night of their benchmark: of nights before, it was said then what changed.
    `recorded` counts the nights that are new in the history, `known` those that were there.
    """

    trends: list[Trend]
    reports: dict[tuple[str, str], int]
    events: list[KernelEvent]
    recorded: int = 0
    known: int = 0


class _Entry(NamedTuple):
    """A judged content with a night that it is."""

    row: Row
    night: Night

    @property
    def key(self) -> tuple[str, str]:
        return self.row.sha256 or "", storable(self.night.benchmark)


def keep(
    wanted: Wanted, store: Store, contents: Sequence[tuple[Content, Row]], rules: RuleSet
) -> Kept:
    """Record what is not in the history yet, and ask it about these reports."""
    judged = [(content, row) for content, row in contents if row.loss is None]
    entries = [entry for content, row in judged for entry in _entries(content, row, wanted)]
    with opened(wanted.where) as database:
        known = _known(database, entries)
        fresh = [entry for entry in entries if entry.key not in known]
        for entry in fresh:
            data = (store.folder / (entry.row.data or "")).read_bytes()
            record(database, json_.read(data), entry.night)
        kernels = of_benchmarks(database, {entry.key[1] for entry in entries})
        found = trends(database, kernels, rules, Limits())
        last = {trend.reports[-1].id for trend in found}
        reports = {key: id for key, id in _known(database, entries).items() if id in last}
    events = list(_events(found, set(reports.values())))
    return Kept(found, reports, events, len(fresh), len(entries) - len(fresh))


def _entries(content: Content, row: Row, wanted: Wanted) -> list[_Entry]:
    """Return the nights that a content is: one of each benchmark that its names speak of.

    Of several names of one benchmark the oldest file counts, because a copy is younger.
    """
    now = time.time()
    written = [now if at is None else at for at in content.written]
    nights: dict[str, Night] = {}
    for at, name in sorted(zip(written, (place.name for place in content.places), strict=True)):
        benchmark, when = benchmark_of(name), at if wanted.when is None else wanted.when
        nights.setdefault(storable(benchmark), Night(benchmark, name, when, wanted.label))
    return [_Entry(row, night) for night in nights.values()]


def _known(database: Database, entries: Sequence[_Entry]) -> Mapping[tuple[str, str], int]:
    keys = {entry.key for entry in entries}
    with database.transaction() as connection:
        found = recorded(connection, database, {content for content, _ in keys})
    return {key: id for key, id in found.items() if key in keys}


def _events(found: Sequence[Trend], numbers: set[int]) -> Iterator[KernelEvent]:
    """Yield the events that these reports made certain, the gravest first."""
    happened = [(trend, e) for trend in found for e in trend.events if e.found in numbers]
    happened.sort(key=lambda one: (not one[1].alarming, -abs(one[1].change_pct or 0.0)))
    for trend, event in happened:
        kernel = trend.kernel
        told = {name: getattr(event, name) for name in Happening.__struct_fields__}
        yield KernelEvent(
            **told,
            kernel=shorten(kernel.demangled),
            shape=", ".join(
                filter(None, [_shape("grid", kernel.grid), _shape("block", kernel.block)])
            ),
            device=kernel.device,
            benchmark=kernel.benchmark,
            since=_night(trend.report(event.since)),
            found=_night(trend.report(event.found)),
        )


def _shape(what: str, extent: str | None) -> str:
    return f"{what} {extent.replace('x', ' × ')}" if extent else ""


def _night(report: Report) -> str:
    day = datetime.fromtimestamp(report.at, UTC).strftime("%Y-%m-%d")
    return f"{day}, {report.label}" if report.label else f"{day}, {report.name}"

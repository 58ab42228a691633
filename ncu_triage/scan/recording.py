"""Record what a scan judged in a history, and ask it what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.history.absence import Absence, absences
from ncu_triage.history.database import Database, opened
from ncu_triage.history.events import Trend, of_benchmarks, trends
from ncu_triage.history.measure import storable
from ncu_triage.history.read import Report, calendar, recorded
from ncu_triage.history.record import Night, record
from ncu_triage.history.series import Happening, Limits
from ncu_triage.history.words import day
from ncu_triage.render import json_
from ncu_triage.scan.naming import benchmarks_of
from ncu_triage.scan.row import KernelEvent, Row
from ncu_triage.scan.run import Content
from ncu_triage.scan.store import Store
from ncu_triage.view.names import shorten


class Wanted(NamedTuple):
    """The history to record in, what the user said of the reports, and the time of the scan.

    `began` is when its recording began, which an interrupted run may have done.
    """

    where: str
    label: str | None
    when: float | None
    now: float
    began: float


class Kept(NamedTuple):
    """What the history knows after a scan: the kernels of its benchmarks, and tonight.

    `reports` are the numbers, by content and benchmark, of those of the scan's reports that
    are held against the nights before them: of nights that an earlier scan recorded, it was
    said then what changed. `names` are the benchmarks by the names of the files, `absent` those
    that tonight shows to be missing. `recorded` counts the nights that are new in the history,
    `known` those that were there.
    """

    trends: list[Trend]
    reports: dict[tuple[str, str], int]
    events: list[KernelEvent]
    recorded: int = 0
    known: int = 0
    names: Mapping[str, str] = MappingProxyType({})
    absent: Sequence[Absence] = ()


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
    with opened(wanted.where) as database:
        names = benchmarks_of(database, store, [row for _, row in judged])
        entries = [e for content, row in judged for e in _entries(content, row, names, wanted)]
        known = _known(database, entries)
        fresh = [entry for entry in entries if entry.key not in known]
        for entry in fresh:
            data = (store.folder / (entry.row.data or "")).read_bytes()
            record(database, json_.read(data), entry.night)
        kernels = of_benchmarks(database, {entry.key[1] for entry in entries})
        found = trends(database, kernels, rules, Limits())
        numbers = _known(database, entries)
        nights = judged_nights(found, set(numbers.values()))
        absent = missing(database, nights)
    reports = {key: id for key, id in numbers.items() if id in nights}
    late = {numbers[entry.key] for entry in fresh}
    events = [*_absent(absent), *_events(found, nights, nights & late)]
    return Kept(found, reports, events, len(fresh), len(entries) - len(fresh), names, absent)


def judged_nights(found: Sequence[Trend], scanned: set[int]) -> set[int]:
    """Return which of the scanned reports are held against the nights before them.

    Of each benchmark those that were recorded last, all at once, because nothing was said of
    them before: a weekend's nights, or a late one. Where that is the whole history, and where
    an old report is scanned again, it is the last of the scanned ones.
    """
    chosen: set[int] = set()
    for nights in {trend.kernel.benchmark: trend.reports for trend in found}.values():
        own = [report for report in nights if report.id in scanned]
        latest = max(report.recorded for report in own)
        fresh = [report.id for report in own if report.recorded == latest]
        chosen |= {own[-1].id, *(fresh if len(fresh) < len(nights) else ())}
    return chosen


def _entries(content: Content, row: Row, names: Mapping[str, str], wanted: Wanted) -> list[_Entry]:
    """Return the nights that a content is: one of each benchmark that its names speak of.

    Of several names of one benchmark the oldest file counts, because a copy is younger.
    """
    now = wanted.now
    written = [now if at is None else at for at in content.written]
    nights: dict[str, Night] = {}
    for at, name in sorted(zip(written, (place.name for place in content.places), strict=True)):
        benchmark, when = names[name], at if wanted.when is None else wanted.when
        nights.setdefault(benchmark, Night(benchmark, name, when, wanted.label, wanted.began))
    return [_Entry(row, night) for night in nights.values()]


def missing(database: Database, nights: set[int]) -> list[Absence]:
    """Return the benchmarks that these nights show to have stopped coming."""
    with database.transaction() as connection:
        return [a for a in absences(calendar(connection, database)) if a.found.id in nights]


def _known(database: Database, entries: Sequence[_Entry]) -> Mapping[tuple[str, str], int]:
    keys = {entry.key for entry in entries}
    with database.transaction() as connection:
        found = recorded(connection, database, {content for content, _ in keys})
    return {key: id for key, id in found.items() if key in keys}


def _absent(absent: Sequence[Absence]) -> Iterator[KernelEvent]:
    for one in absent:
        yield KernelEvent(
            event="missing",
            kernel=one.benchmark,
            shape="",
            device="",
            benchmark=one.benchmark,
            since=_night(one.since),
            found=_night(one.found),
        )


def _events(found: Sequence[Trend], nights: set[int], late: set[int]) -> Iterator[KernelEvent]:
    """Yield the events that these nights made certain, the gravest first.

    A night that was recorded late may confirm what a later one had shown alone.
    """
    happened = [
        (trend, event)
        for trend in found
        for event in trend.events
        if event.found in nights or event.since in late
    ]
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
    return f"{day(report.at)}, {report.label or report.name}"

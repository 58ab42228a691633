"""Read kernels over time out of a history, judged by today's rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.history.comparable import Taken
from ncu_triage.history.database import Database
from ncu_triage.history.facts import judged_again
from ncu_triage.history.series import Point
from ncu_triage.model import Settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PIECE = 400


class KernelKey(NamedTuple):
    """A kernel of the history, by number and by what makes it one kernel."""

    id: int
    benchmark: str
    name: str
    demangled: str
    workload: str
    grid: str | None
    block: str | None
    device: str


class Report(NamedTuple):
    """A report of the history: when it is of, whether it is whole, and how it was taken.

    `at` is when it was measured, `recorded` when a scan put it in (Unix time).
    """

    id: int
    benchmark: str
    name: str
    label: str | None
    at: float
    devices: list[str]
    complete: bool
    taken: Taken = Taken()
    recorded: float = 0.0


def kernels(connection: Connection, database: Database) -> list[KernelKey]:
    """Return all kernels."""
    from sqlalchemy import select

    columns = [database.tables.kernel.c[name] for name in KernelKey._fields]
    return [KernelKey(*row) for row in connection.execute(select(*columns))]


def heaviest(
    connection: Connection, database: Database, keys: Sequence[KernelKey]
) -> list[KernelKey]:
    """Sort kernels by the most time that they took in a night."""
    from sqlalchemy import func, select

    table = database.tables.measurement
    chosen = select(table.c.kernel_id, func.max(table.c.total)).group_by(table.c.kernel_id)
    seconds: dict[int, float] = {}
    for some in _pieces([key.id for key in keys]):
        for id, total in connection.execute(chosen.where(table.c.kernel_id.in_(some))):
            seconds[id] = total or 0.0
    return sorted(keys, key=lambda key: (-seconds.get(key.id, 0.0), key.id))


def reports(
    connection: Connection, database: Database, benchmarks: Iterable[str]
) -> dict[str, list[Report]]:
    """Return the reports of benchmarks, each in the order of its nights."""
    from sqlalchemy import select

    table = database.tables.report
    names = ("id", "benchmark", "name", "label", "measured_at", "devices", "complete")
    how = (table.c.taken, table.c.ncu_version, table.c.clock_control, table.c.recorded_at)
    chosen = select(*(table.c[name] for name in names), *how)
    found: dict[str, list[Report]] = defaultdict(list)
    for some in _pieces(list(benchmarks)):
        for row in connection.execute(chosen.where(table.c.benchmark.in_(some))):
            night = Report._make([*row[: len(names)], _taken(row), _unix(row.recorded_at)])
            found[row.benchmark].append(night._replace(at=_unix(row.measured_at)))
    return _in_order(found)


def benchmarks(connection: Connection, database: Database) -> set[str]:
    """Return the names of all benchmarks."""
    from sqlalchemy import select

    return set(connection.execute(select(database.tables.report.c.benchmark).distinct()).scalars())


def calendar(connection: Connection, database: Database) -> dict[str, list[Report]]:
    """Return when reports of all benchmarks came, each in the order of its nights."""
    from sqlalchemy import select

    table = database.tables.report
    names = ("id", "benchmark", "name", "label", "measured_at", "recorded_at")
    found: dict[str, list[Report]] = defaultdict(list)
    for id, benchmark, name, label, at, recorded in connection.execute(
        select(*(table.c[name] for name in names))
    ):
        night = Report(id, benchmark, name, label, _unix(at), [], True, recorded=_unix(recorded))
        found[benchmark].append(night)
    return _in_order(found)


def _in_order(found: Mapping[str, list[Report]]) -> dict[str, list[Report]]:
    return {
        name: sorted(those, key=lambda r: (r.at, r.name, r.id)) for name, those in found.items()
    }


def _taken(row: Any) -> Taken:
    """Return how a report was taken; those of an older program say the clock control only."""
    if row.taken is None:
        return Taken(
            settings=Settings(clock_control=row.clock_control), ncu_version=row.ncu_version
        )
    return replace(msgspec.convert(row.taken, Taken), ncu_version=row.ncu_version)


def recorded(
    connection: Connection, database: Database, contents: Iterable[str]
) -> dict[tuple[str, str], int]:
    """Return the numbers of reports by content and benchmark."""
    from sqlalchemy import select

    table = database.tables.report
    chosen = select(table.c.sha256, table.c.benchmark, table.c.id)
    found: dict[tuple[str, str], int] = {}
    for some in _pieces(list(contents)):
        for sha256, benchmark, id in connection.execute(chosen.where(table.c.sha256.in_(some))):
            found[sha256, benchmark] = id
    return found


def series(
    connection: Connection, database: Database, wanted: Sequence[KernelKey], rules: RuleSet
) -> dict[int, list[Point]]:
    """Return the nights of kernels by id; what other rules have judged is judged anew."""
    known = {key.id: key for key in wanted}
    rows = [
        row for some in _pieces(list(known)) for row in _rows(connection, database, some, rules)
    ]
    fresh = _judge(connection, database, [r for r in rows if r.bottleneck is None], known, rules)
    found: dict[int, list[Point]] = defaultdict(list)
    for row in rows:
        known_so = row.bottleneck is not None
        verdict = (row.bottleneck, row.findings) if known_so else fresh.get(row.id, (None, []))
        found[row.kernel_id].append(_point(row, *verdict))
    return found


def _point(row: Any, kind: str | None, findings: list[dict[str, Any]]) -> Point:
    return Point(
        report=row.report_id,
        at=_unix(row.measured_at),
        duration=row.duration,
        launches=row.launches,
        spread=row.spread or 0.0,
        total=row.total,
        cycles=row.cycles,
        kind=kind,
        rules=tuple(finding["rule"] for finding in findings),
        tool=row.tool,
    )


def _rows(
    connection: Connection, database: Database, ids: Sequence[int], rules: RuleSet
) -> Sequence[Any]:
    from sqlalchemy import and_, select

    _, _, report, _, measurement, _, verdict = database.tables
    of_rules = and_(verdict.c.measurement_id == measurement.c.id, verdict.c.rules == rules.version)
    chosen = (
        select(
            measurement,
            report.c.measured_at,
            report.c.tool,
            verdict.c.bottleneck,
            verdict.c.findings,
        )
        .join(report, report.c.id == measurement.c.report_id)
        .outerjoin(verdict, of_rules)
        .where(measurement.c.kernel_id.in_(ids))
        .order_by(report.c.measured_at, report.c.name, report.c.id)
    )
    return connection.execute(chosen).all()


def _judge(
    connection: Connection,
    database: Database,
    rows: Sequence[Any],
    known: dict[int, KernelKey],
    rules: RuleSet,
) -> dict[int, tuple[str, list[dict[str, Any]]]]:
    """Judge measurements by today's rules, and keep what they say."""
    from sqlalchemy import select

    table = database.tables.facts
    kernel_of = {row.id: known[row.kernel_id] for row in rows}
    fresh: list[dict[str, Any]] = []
    for some in _pieces(list(kernel_of)):
        chosen = select(table).where(table.c.measurement_id.in_(some))
        for id, stored in connection.execute(chosen):
            key = kernel_of[id]
            verdict = judged_again(stored, (key.name, key.demangled, key.workload), rules)
            own = {"measurement_id": id, "rules": rules.version}
            fresh.append(msgspec.to_builtins(verdict) | own)
    if fresh:
        connection.execute(database.insert_new(database.tables.verdict), fresh)
    return {one["measurement_id"]: (one["bottleneck"], one["findings"]) for one in fresh}


def _pieces(values: Sequence[Any]) -> Iterable[Sequence[Any]]:
    """Part a list: a database takes so many values in a question and no more."""
    return (values[i : i + _PIECE] for i in range(0, len(values), _PIECE))


def _unix(at: datetime) -> float:
    return at.replace(tzinfo=UTC).timestamp()

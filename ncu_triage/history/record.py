"""Write a report into a history: all of it or nothing, and once."""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ncu_triage.history.comparable import taken
from ncu_triage.history.database import Database
from ncu_triage.history.facts import facts_of, verdict_of
from ncu_triage.history.measure import Measured, measured, storable
from ncu_triage.model import Diagnosis

if TYPE_CHECKING:
    from sqlalchemy import Connection

_PIECE = 400


class Night(NamedTuple):
    """What a report's diagnosis does not say: of what and when it is (Unix time).

    What one scan records has one `recorded_at`; left out, it is now.
    """

    benchmark: str
    name: str
    measured_at: float
    label: str | None = None
    recorded_at: float | None = None


def record(database: Database, diagnosis: Diagnosis, night: Night) -> bool:
    """Record a report; False where it was recorded before, by whomever."""
    tables = database.tables
    with database.transaction() as connection:
        insert = database.insert_new(tables.report).returning(tables.report.c.id)
        report = connection.execute(insert, _report(diagnosis, night)).scalar()
        if report is None:
            return False
        kernels = measured(diagnosis, storable(night.benchmark))
        ids = _kernels(database, connection, kernels)
        rows = [_measurement(report, ids, one) for one in kernels]
        connection.execute(tables.measurement.insert(), rows)
        of_kernel = _measurements(database, connection, report)
        numbered = [(of_kernel[ids[one.identity.fingerprint]], one) for one in kernels]
        facts = [(id, facts_of(one.speaker, diagnosis.catalogue)) for id, one in numbered]
        kept = [{"measurement_id": id, "facts": fact} for id, fact in facts]
        connection.execute(tables.facts.insert(), kept)
        verdicts = [_verdict(id, one, diagnosis.tool.rules) for id, one in numbered]
        connection.execute(tables.verdict.insert(), verdicts)
    return True


def _report(diagnosis: Diagnosis, night: Night) -> dict[str, Any]:
    source = diagnosis.sources[0]
    return {
        "sha256": source.sha256,
        "benchmark": storable(night.benchmark),
        "name": storable(night.name),
        "label": storable(night.label) if night.label else None,
        "measured_at": utc(night.measured_at),
        "recorded_at": utc(time.time() if night.recorded_at is None else night.recorded_at),
        "devices": [storable(device.name) for device in diagnosis.devices],
        "ncu_version": source.ncu_version[:40] if source.ncu_version else None,
        "clock_control": diagnosis.collection.clock_control,
        "complete": source.complete,
        "tool": diagnosis.tool.version,
        "taken": taken(diagnosis),
    }


def _kernels(
    database: Database, connection: Connection, kernels: Sequence[Measured]
) -> dict[str, int]:
    """Return the ids of kernels by fingerprint, new ones for those not seen before.

    Every writer takes them in the same order, so that no two wait for each other.
    """
    from sqlalchemy import select

    table = database.tables.kernel
    connection.execute(database.insert_new(table), [_kernel(one) for one in kernels])
    wanted = [one.identity.fingerprint for one in kernels]
    ids: dict[str, int] = {}
    for start in range(0, len(wanted), _PIECE):
        some = table.c.fingerprint.in_(wanted[start : start + _PIECE])
        ids |= {
            f: id
            for f, id in connection.execute(select(table.c.fingerprint, table.c.id).where(some))
        }
    return ids


def _kernel(one: Measured) -> dict[str, Any]:
    own = {"fingerprint": one.identity.fingerprint, "name": storable(one.speaker.name)}
    return one.identity._asdict() | own


def _measurement(report: int, ids: dict[str, int], one: Measured) -> dict[str, Any]:
    columns = ("launches", "duration", "spread", "fastest", "slowest", "total", "cycles")
    return {name: getattr(one, name) for name in columns} | {
        "report_id": report,
        "kernel_id": ids[one.identity.fingerprint],
    }


def _measurements(database: Database, connection: Connection, report: int) -> dict[int, int]:
    from sqlalchemy import select

    table = database.tables.measurement
    chosen = select(table.c.kernel_id, table.c.id).where(table.c.report_id == report)
    return {kernel: id for kernel, id in connection.execute(chosen)}


def _verdict(id: int, one: Measured, rules: str) -> dict[str, Any]:
    verdict: dict[str, Any] = msgspec.to_builtins(verdict_of(one.speaker))
    return verdict | {"measurement_id": id, "rules": rules}


def utc(at: float) -> datetime:
    """Turn Unix time into what the tables hold: UTC without saying so."""
    return datetime.fromtimestamp(at, UTC).replace(tzinfo=None)

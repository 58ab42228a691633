"""The tables of the history, as SQLAlchemy knows them; `docs/history.md` explains them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from sqlalchemy import MetaData, Table


class Tables(NamedTuple):
    """All tables, and the catalogue that they belong to."""

    catalogue: MetaData
    migration: Table
    report: Table
    kernel: Table
    measurement: Table
    facts: Table
    verdict: Table


@lru_cache(maxsize=1)
def tables() -> Tables:
    """Describe the tables at the newest version of the schema."""
    from sqlalchemy import MetaData

    catalogue = MetaData()
    return Tables(
        catalogue,
        _migration(catalogue),
        _report(catalogue),
        _kernel(catalogue),
        _measurement(catalogue),
        _facts(catalogue),
        _verdict(catalogue),
    )


def _migration(catalogue: MetaData) -> Table:
    from sqlalchemy import Column, DateTime, Integer, String, Table

    return Table(
        "migration",
        catalogue,
        Column("version", Integer, primary_key=True, autoincrement=False),
        Column("applied_at", DateTime, nullable=False),
        Column("tool", String(40), nullable=False),
    )


def _report(catalogue: MetaData) -> Table:
    from sqlalchemy import JSON, Boolean, Column, DateTime, Integer, String, Table, Text
    from sqlalchemy import UniqueConstraint as Unique

    return Table(
        "report",
        catalogue,
        Column("id", Integer, primary_key=True),
        Column("sha256", String(64), nullable=False),
        Column("benchmark", Text, nullable=False, index=True),
        Column("name", Text, nullable=False),
        Column("label", Text),
        Column("measured_at", DateTime, nullable=False),
        Column("recorded_at", DateTime, nullable=False),
        Column("devices", JSON, nullable=False),
        Column("ncu_version", String(40)),
        Column("clock_control", String(40)),
        Column("complete", Boolean, nullable=False),
        Column("tool", String(40), nullable=False),
        Column("taken", JSON(none_as_null=True)),
        Unique("sha256", "benchmark"),
    )


def _kernel(catalogue: MetaData) -> Table:
    from sqlalchemy import Column, Integer, String, Table, Text

    return Table(
        "kernel",
        catalogue,
        Column("id", Integer, primary_key=True),
        Column("fingerprint", String(64), nullable=False, unique=True),
        Column("benchmark", Text, nullable=False, index=True),
        Column("name", Text, nullable=False),
        Column("demangled", Text, nullable=False),
        Column("workload", String(16), nullable=False),
        Column("grid", String(40)),
        Column("block", String(40)),
        Column("device", Text, nullable=False),
    )


def _measurement(catalogue: MetaData) -> Table:
    from sqlalchemy import Column, Double, ForeignKey, Integer, Table
    from sqlalchemy import UniqueConstraint as Unique

    return Table(
        "measurement",
        catalogue,
        Column("id", Integer, primary_key=True),
        Column("report_id", ForeignKey("report.id"), nullable=False),
        Column("kernel_id", ForeignKey("kernel.id"), nullable=False),
        Column("launches", Integer, nullable=False),
        Column("duration", Double),
        Column("spread", Double),
        Column("fastest", Double),
        Column("slowest", Double),
        Column("total", Double),
        Column("cycles", Double),
        Unique("kernel_id", "report_id"),
    )


def _facts(catalogue: MetaData) -> Table:
    from sqlalchemy import JSON, Column, ForeignKey, Table

    return Table(
        "facts",
        catalogue,
        Column("measurement_id", ForeignKey("measurement.id"), primary_key=True),
        Column("facts", JSON, nullable=False),
    )


def _verdict(catalogue: MetaData) -> Table:
    from sqlalchemy import JSON, Column, ForeignKey, String, Table

    return Table(
        "verdict",
        catalogue,
        Column("measurement_id", ForeignKey("measurement.id"), primary_key=True),
        Column("rules", String(40), primary_key=True),
        Column("bottleneck", String(40), nullable=False),
        Column("confidence", String(16), nullable=False),
        Column("findings", JSON, nullable=False),
    )

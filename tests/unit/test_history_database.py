"""The history on SQLite and on a real PostgreSQL server: whole, once, by many writers."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from fixtures import postgres
from fixtures.report_writer import launch, write_report

from ncu_triage.errors import InputError, UsageError
from ncu_triage.history import migrations
from ncu_triage.history.database import Database, named, opened
from ncu_triage.history.events import Trend, every_kernel, trends
from ncu_triage.history.record import Night, record
from ncu_triage.history.series import Limits
from ncu_triage.model import Diagnosis
from ncu_triage.pipeline import diagnose, rules

sa = pytest.importorskip("sqlalchemy")
FIRST = 1_767_571_200.0  # 2026-01-05


@pytest.fixture(scope="module")
def team() -> Iterator[str]:
    if postgres.binaries() is None:
        pytest.skip("no PostgreSQL server on this machine (apt-get install postgresql)")
    pytest.importorskip("psycopg", reason="ncu-triage[history] is not installed")
    with postgres.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "history.sqlite")
    url: str = request.getfixturevalue("team")
    engine = sa.create_engine(url.replace("://", "+psycopg://"))
    with engine.begin() as connection:
        connection.execute(sa.text("DROP SCHEMA public CASCADE"))
        connection.execute(sa.text("CREATE SCHEMA public"))
    engine.dispose()
    return url


def _diagnosis(folder: Path, night: int = 0, dram: float = 91.0, name: str = "gemm") -> Diagnosis:
    metrics = {
        "gpu__time_duration.sum": 1_000_000 + night,
        "smsp__cycles_elapsed.max": 1_400_000,
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": dram,
        "lts__throughput.avg.pct_of_peak_sustained_elapsed": 10.0,
        "l1tex__throughput.avg.pct_of_peak_sustained_active": 10.0,
        "device__attribute_display_name": "NVIDIA A100",
    }
    path = write_report(folder / f"{night}.ncu-rep", [launch(name=name, metrics=metrics)] * 6)
    diagnosis, failures = diagnose([path], rules())
    assert not failures
    return diagnosis


def _record(database: Database, folder: Path, nights: range, **changes: object) -> None:
    for night in nights:
        diagnosis = _diagnosis(folder, night, **changes)  # type: ignore[arg-type]
        at = FIRST + 86400 * night
        assert record(database, diagnosis, Night("model", f"{night}.ncu-rep", at, f"v{night}"))


def _trend(database: Database) -> Trend:
    (found,) = trends(database, every_kernel(database), rules(), Limits())
    return found


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        ("notes/h.sqlite", "notes/h.sqlite"),
        ("sqlite:///h.sqlite", "sqlite:///h.sqlite"),
        ("postgresql://me:p@ss?/w@host/db?password=secret", "postgresql://host/db"),
        ("host=a password=secret", "host=a password=…"),
    ],
)
def test_an_address_is_shown_without_its_password(where: str, shown: str) -> None:
    assert named(where) == shown


def test_what_is_recorded_is_read_back(where: str, tmp_path: Path) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(3))
        trend = _trend(database)
    kernel = trend.kernel
    assert (kernel.benchmark, kernel.name, kernel.device) == ("model", "gemm", "NVIDIA A100")
    assert (kernel.grid, kernel.block) == ("256x1x1", "128x1x1")
    assert [point.duration for point in trend.points] == pytest.approx(
        [1e-3, 1.000001e-3, 1.000002e-3]
    )
    assert [point.at for point in trend.points] == [FIRST + 86400 * night for night in range(3)]
    assert {point.kind for point in trend.points} == {"dram-bandwidth"}
    assert {point.launches for point in trend.points} == {6}
    assert [report.label for report in trend.reports] == ["v0", "v1", "v2"]


def test_a_report_is_recorded_once(where: str, tmp_path: Path) -> None:
    diagnosis = _diagnosis(tmp_path)
    with opened(where) as database:
        night = Night("model", "a", FIRST)
        assert record(database, diagnosis, night)
        assert not record(database, diagnosis, night)
        assert not record(database, diagnosis, Night("model", "other name", FIRST + 1))
        assert len(_trend(database).points) == 1


def test_half_a_report_is_never_recorded(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ncu_triage.history import record as module

    def broken(*args: object) -> None:
        raise ZeroDivisionError

    diagnosis = _diagnosis(tmp_path)
    with opened(where) as database:
        monkeypatch.setattr(module, "_verdict", broken)
        with pytest.raises(ZeroDivisionError):
            record(database, diagnosis, Night("model", "a", FIRST))
        monkeypatch.undo()
        assert not every_kernel(database)
        assert record(database, diagnosis, Night("model", "a", FIRST))


def test_newer_rules_judge_the_past(where: str, tmp_path: Path) -> None:
    loaded = rules()
    newer = loaded._replace(version="newer")
    with opened(where) as database:
        _record(database, tmp_path, range(3))
        with database.transaction() as connection:
            verdict = database.tables.verdict
            connection.execute(verdict.update().values(bottleneck="latency"))
        assert {point.kind for point in _trend(database).points} == {"latency"}
        keys = every_kernel(database)
        (again,) = trends(database, keys, newer, Limits())
        assert {point.kind for point in again.points} == {"dram-bandwidth"}
        with database.transaction() as connection:
            kept = connection.execute(
                sa.select(verdict.c.rules, sa.func.count()).group_by(verdict.c.rules)
            )
            assert {row[0]: row[1] for row in kept} == {loaded.version: 3, "newer": 3}
        (cached,) = trends(database, keys, newer, Limits())
        assert cached.points == again.points


def test_the_past_is_judged_as_it_was_when_it_was_new(where: str, tmp_path: Path) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(1))
        with database.transaction() as connection:
            verdict = database.tables.verdict
            first = connection.execute(sa.select(verdict)).mappings().one()
            connection.execute(verdict.delete())
        _trend(database)
        with database.transaction() as connection:
            assert connection.execute(sa.select(verdict)).mappings().one() == first


def test_an_upgrade_is_no_change(where: str, tmp_path: Path) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(4))
        with database.transaction() as connection:
            report, verdict = database.tables.report, database.tables.verdict
            connection.execute(report.update().values(tool="0.0.1"))
            connection.execute(verdict.update().values(rules="older", bottleneck="latency"))
        _record(database, tmp_path, range(4, 8))
        assert not _trend(database).events


def test_a_change_of_bottleneck_is_an_event(where: str, tmp_path: Path) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(4))
        _record(database, tmp_path, range(4, 7), dram=40.0)
        (event,) = _trend(database).events
    assert (event.event, event.kind_before) == ("bottleneck", "dram-bandwidth")
    assert event.alarming


def test_hostile_names_are_kept_as_text(where: str, tmp_path: Path) -> None:
    name = "'; DROP TABLE report; --</script>\0\x1b[2J"
    with opened(where) as database:
        diagnosis = _diagnosis(tmp_path, name=name)
        assert record(database, diagnosis, Night(name, name, FIRST, name))
        trend = _trend(database)
    assert (
        trend.kernel.name
        == trend.kernel.benchmark
        == name.replace("\0", "\N{REPLACEMENT CHARACTER}")
    )


_WRITER = """
import sys
from pathlib import Path
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.history.database import opened
from ncu_triage.history.record import Night, record
where, *paths = sys.argv[1:]
with opened(where) as database:
    for path in map(Path, paths):
        diagnosis, _ = diagnose([path], rules())
        record(database, diagnosis, Night("model", path.name, path.stat().st_mtime))
"""


def test_several_writers_lose_and_double_nothing(where: str, tmp_path: Path) -> None:
    paths = []
    for night in range(12):
        _diagnosis(tmp_path, night)
        paths.append(str(tmp_path / f"{night}.ncu-rep"))
    # Each takes all reports, in an order of its own, and finds no tables yet.
    orders = [paths, paths[::-1], paths[6:] + paths[:6], paths[3:] + paths[:3]]
    writers = [subprocess.Popen([sys.executable, "-c", _WRITER, where, *order]) for order in orders]
    assert [writer.wait() for writer in writers] == [0] * 4
    with opened(where) as database:
        trend = _trend(database)
        assert len(trend.points) == len(trend.reports) == 12
        with database.transaction() as connection:
            for table in (database.tables.facts, database.tables.verdict):
                count = sa.select(sa.func.count()).select_from(table)
                assert connection.execute(count).scalar() == 12


def test_the_tables_are_those_of_the_migrations(where: str) -> None:
    with opened(where) as database, database.transaction() as connection:
        found = sa.inspect(connection)
        for table in database.tables.catalogue.sorted_tables:
            columns = {c["name"]: c for c in found.get_columns(table.name)}
            assert set(columns) == set(table.columns.keys())
            for column in table.columns:
                assert column.primary_key or columns[column.name]["nullable"] == column.nullable
            unique = {tuple(u["column_names"]) for u in found.get_unique_constraints(table.name)}
            declared = {
                tuple(c.name for c in constraint.columns)
                for constraint in table.constraints
                if isinstance(constraint, sa.UniqueConstraint)
            }
            assert declared <= unique


def test_a_migration_is_applied_once_and_keeps_what_is_there(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(2))
    more = ("ALTER TABLE report ADD COLUMN branch TEXT", "UPDATE report SET branch = 'main'")
    newest = len(migrations.STEPS) + 1
    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, more])
    for _ in range(2):
        with opened(where) as database, database.transaction() as connection:
            assert migrations.version(connection) == newest
            assert len(connection.exec_driver_sql("SELECT branch FROM report").all()) == 2
            assert len(connection.exec_driver_sql("SELECT * FROM migration").all()) == newest
    monkeypatch.undo()
    with pytest.raises(InputError, match="newer ncu-triage"), opened(where):
        pass


def test_a_migration_that_fails_changes_nothing(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(where):
        pass
    broken = ("ALTER TABLE report ADD COLUMN branch TEXT", "UPDATE none SET x = 1")
    monkeypatch.setattr(migrations, "STEPS", [*migrations.STEPS, broken])
    with pytest.raises(InputError), opened(where):
        pass
    monkeypatch.undo()
    with opened(where) as database, database.transaction() as connection:
        assert migrations.version(connection) == len(migrations.STEPS)
        assert "branch" not in {c["name"] for c in sa.inspect(connection).get_columns("report")}


@pytest.mark.parametrize(
    ("address", "error", "words"),
    [
        ("mysql://me:secret@host/db", UsageError, "SQLite and PostgreSQL|pip install|MySQLdb"),
        ("nonsense://me:secret@host/db", UsageError, "no address"),
        ("postgresql://me:secret@127.0.0.1:1/db", InputError, "connection"),
    ],
)
def test_an_address_that_leads_nowhere_is_said_without_its_password(
    address: str, error: type[Exception], words: str
) -> None:
    if address.startswith("postgresql"):
        pytest.importorskip("psycopg")
    with pytest.raises(error, match=words) as caught, opened(address):
        pass
    assert "secret" not in str(caught.value) and "\n" not in str(caught.value)


def test_a_file_that_is_no_history_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    path.write_text("dear diary, this is no database at all, whatever it is called")
    with pytest.raises(InputError, match="not a database"), opened(str(path)):
        pass
    with pytest.raises(InputError, match="no such file"), opened(str(tmp_path / "n"), create=False):
        pass
    assert not (tmp_path / "n").exists()


def test_the_schema_is_plain_sql(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    with opened(str(path)) as database:
        _record(database, tmp_path, range(1))
    with sqlite3.connect(path) as connection:
        (row,) = connection.execute(
            "SELECT r.label, k.name, m.duration, json_extract(f.facts, "
            "'$.quantities.dram_throughput_pct') FROM measurement m JOIN report r ON"
            " r.id = m.report_id JOIN kernel k ON k.id = m.kernel_id JOIN facts f ON"
            " f.measurement_id = m.id"
        )
    connection.close()
    assert row == ("v0", "gemm", 1e-3, 91.0)


def test_a_history_of_the_first_version_is_brought_up_to_date(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(where) as database:
        _record(database, tmp_path, range(2))
    with opened(where) as database, database.transaction() as connection:
        for statement in ("ALTER TABLE report DROP COLUMN taken", "DELETE FROM migration"):
            connection.exec_driver_sql(statement)
        row = {"version": 1, "applied_at": datetime(2026, 1, 5), "tool": "0"}
        connection.execute(database.tables.migration.insert(), row)
    with opened(where) as database:
        _record(database, tmp_path, range(2, 4))
        trend = _trend(database)
    # What the older program did not keep bars nothing.
    assert len(trend.points) == 4 and set(trend.ways.values()) == {0}

"""Open a history: a file of one's own, or a database that a team shares."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncu_triage.errors import InputError, UsageError
from ncu_triage.history.migrations import migrate
from ncu_triage.history.tables import tables

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine, Insert, Table

DEFAULT = "ncu-triage-history.sqlite"
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+]*://")
_POSTGRES = re.compile(r"postgres(?:ql)?://")
# Seconds. Other writers are at it for milliseconds; a backup may take longer.
_PATIENCE = {"sqlite": {"timeout": 60}, "other": {"connect_timeout": 15}}


class Database:
    """A history whose tables are those that this program knows."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._name = name
        self.tables = tables()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Do all of the block or nothing of it.

        Raises InputError where the database does not do as it should.
        """
        with _said(self._name), self._engine.begin() as connection:
            yield connection

    def check_writing(self) -> None:
        """Write what is there already. Raises InputError where nothing can be written.

        SQLite opens what it may only read without a word, and so does a folder that takes no
        journal; a server's rights are by table, and it says at once who has none.
        """
        if self._engine.dialect.name != "sqlite":
            return
        table = self.tables.migration
        with self.transaction() as connection:
            connection.execute(table.update().values(tool=table.c.tool))

    def insert_new(self, table: Table) -> Insert:
        """Build an insert that leaves alone what is there already; several may write."""
        if self._engine.dialect.name == "sqlite":
            from sqlalchemy.dialects import sqlite

            return sqlite.insert(table).on_conflict_do_nothing()
        from sqlalchemy.dialects import postgresql

        return postgresql.insert(table).on_conflict_do_nothing()

    def close(self) -> None:
        """Let go of the connections."""
        self._engine.dispose()


@contextmanager
def opened(where: str, create: bool = True) -> Iterator[Database]:
    """Open a history by path or URL, and bring its tables up to date.

    Raises UsageError for an address that makes no sense, InputError where nothing is
    there (unless it may be created) or it cannot be used.
    """
    path = None if _URL.match(where) else Path(where)
    if path is not None and not create and not path.is_file():
        raise InputError(f"--history {named(where)}: there is no such file")
    database = Database(_engine(where, path), named(where))
    try:
        with database.transaction() as connection:
            migrate(connection, named(where))
        yield database
    finally:
        database.close()


def named(where: str) -> str:
    """Return a history's address as it may be shown: without user and password."""
    # A password may hold an @, and an address that is no URL may still be meant as one.
    shown = re.sub(r"://.*@", "://", where)
    if _URL.match(where):
        shown = shown.partition("?")[0]
    return re.sub(r"(password=)\S+", r"\1…", shown)


def _engine(where: str, path: Path | None) -> Engine:
    """Make the engine; the place where SQLAlchemy comes in."""
    try:
        from sqlalchemy import create_engine, event
        from sqlalchemy.exc import ArgumentError, NoSuchModuleError
    except ImportError as error:
        raise UsageError("--history needs more: pip install sqlalchemy") from error
    url = f"sqlite:///{path}" if path else _POSTGRES.sub("postgresql+psycopg://", where)
    sqlite = url.startswith("sqlite")
    at = f"--history {named(where)}"
    if not sqlite and where.count("@") > 1:
        # The driver would take the password's rest for a host, and print it.
        raise UsageError(f"{at}: write an @ in a name or password as %40")
    try:
        engine = create_engine(url, connect_args=_PATIENCE["sqlite" if sqlite else "other"])
    except (ArgumentError, NoSuchModuleError) as error:
        raise UsageError(f"{at}: this is no address of a database ({error})") from error
    except ImportError as error:
        raise UsageError(f"{at}: pip install 'ncu-triage[history]' ({error})") from error
    if engine.dialect.name not in ("sqlite", "postgresql"):
        raise UsageError(f"{at}: SQLite and PostgreSQL are known, not {engine.dialect.name}")
    if sqlite:
        event.listen(engine, "connect", _by_hand)
        event.listen(engine, "begin", _writing)
    return engine


def _by_hand(connection: Any, record: Any) -> None:
    """Let SQLAlchemy begin transactions: the driver would begin them too late."""
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")


def _writing(connection: Connection) -> None:
    """Take the write lock at once: to take it in the middle fails where others write."""
    connection.exec_driver_sql("BEGIN IMMEDIATE")


@contextmanager
def _said(name: str) -> Iterator[None]:
    """Put a database's error into one line, under a name that holds no password."""
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    try:
        yield
    except DBAPIError as error:
        raise InputError(f"--history {name}: {_line(error.orig or error)}") from error
    except SQLAlchemyError as error:
        raise InputError(f"--history {name}: {type(error).__name__}") from error


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__

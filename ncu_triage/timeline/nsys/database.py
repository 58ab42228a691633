"""An SQLite file from other people: opened without writing, read as far as it goes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, TypeAlias
from urllib.parse import quote

from ncu_triage.errors import InputError

Row: TypeAlias = tuple[Any, ...]

_LONGEST_VALUE = 64 << 20  # bytes of one text; beyond, the file is no honest export


class Database:
    """The tables of a file. What cannot be read any more is named in `damaged`.

    Columns are selected by name, since their order changes between versions, and one that
    a version does not have reads as None. Views are no tables: they may compute for ever.
    """

    def __init__(self, path: Path) -> None:
        self.damaged: list[str] = []
        address = f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1"
        try:
            self._connection = sqlite3.connect(address, uri=True)
            self._prepare()
            self._columns = dict(self._tables())
        except sqlite3.Error as error:
            raise InputError(
                "this is a damaged SQLite file: export the report again with"
                " 'nsys export --type sqlite'"
            ) from error

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()

    def __contains__(self, table: str) -> bool:
        return table in self._columns

    def tables(self) -> frozenset[str]:
        """Return the names of all tables."""
        return frozenset(self._columns)

    def has(self, table: str, column: str) -> bool:
        """Tell whether a table has a column."""
        return column in self._columns.get(table, ())

    def rows(self, table: str, *columns: str) -> Iterator[Row]:
        """Yield the rows of a table as they lie, none where there is no such table."""
        known = self._columns.get(table)
        if known is None:
            return
        chosen = ", ".join(f'"{name}"' if name in known else "NULL" for name in columns)
        try:
            yield from self._connection.execute(f'SELECT {chosen} FROM "{table}"')
        except sqlite3.Error:
            self.damaged.append(table)

    def _prepare(self) -> None:
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        for setting in ("trusted_schema=OFF", "query_only=ON", "cell_size_check=ON"):
            self._connection.execute(f"PRAGMA {setting}")

    def _tables(self) -> Iterator[tuple[str, frozenset[str]]]:
        found = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
        )
        for (table,) in found.fetchall():
            with suppress(sqlite3.Error):
                columns = self._connection.execute(
                    "SELECT name FROM pragma_table_info(?)", (table,)
                )
                yield table, frozenset(name for (name,) in columns)

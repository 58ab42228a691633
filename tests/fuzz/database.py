"""Mutations of an SQLite file: by table and by value, or of its bytes."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from pathlib import Path

from fuzz import raw
from fuzz.chance import INTEGERS, several, text


def mutated(data: bytes, dice: random.Random, folder: Path) -> bytes:
    """Change an SQLite file."""
    if dice.random() < 0.4:
        return several(dice, lambda one: raw.mutated(one, dice), data)
    path = folder / "changed.sqlite"
    path.write_bytes(data)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
        for _ in range(dice.choice((1, 1, 3, 10))):
            with contextlib.suppress(sqlite3.Error, IndexError):
                _change(connection, dice.choice(tables), dice)
        connection.commit()
    return path.read_bytes()


def _change(connection: sqlite3.Connection, table: str, dice: random.Random) -> None:
    columns = [row[1] for row in connection.execute(f'PRAGMA table_info("{table}")')]
    column = dice.choice(columns)
    match dice.randrange(7):
        case 0:
            connection.execute(f'DROP TABLE "{table}"')
        case 1:
            connection.execute(f'ALTER TABLE "{table}" DROP COLUMN "{column}"')
        case 2:
            connection.execute(f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO "other"')
        case 3:
            connection.execute(f'DELETE FROM "{table}" WHERE abs(random()) % 2')
        case 4:
            connection.execute(f'INSERT INTO "{table}" SELECT * FROM "{table}"')
        case _:
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = ? WHERE abs(random()) % ? = 0',
                (_value(dice), dice.choice((1, 2, 5))),
            )


def _value(dice: random.Random) -> object:
    number = dice.choice(INTEGERS)
    numbers = (min(number, 2**63 - 1), -min(number, 2**63), 1.5, float("inf"))
    return dice.choice((None, *numbers, text(dice), b"\xff\0"))

"""Mutations of texts: tables, TOML, YAML, JSON; by line, by cell, by word."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from fuzz import raw
from fuzz.chance import NUMBERS, picked, several, text

_CELL = re.compile(r'"[^"\n]*"|[^,;:\t\n\[\]{}"= ]+')
_ENCODINGS = ("utf-16", "utf-16-be", "utf-8-sig", "latin-1", "utf-32")
_OPENINGS = ("[", "{", "(", '{"a":', "[[", "- ", "a: {", '"', "&a [*a, ")
_LONGEST = 4 << 20


def _lines(data: str, dice: random.Random) -> str:
    """Drop, repeat or exchange lines."""
    lines = data.split("\n")
    for _ in range(dice.choice((1, 3, 10))):
        if not lines:
            break
        here, there = dice.randrange(len(lines)), dice.randrange(len(lines))
        match dice.randrange(4):
            case 0:
                del lines[here]
            case 1:
                lines[there:there] = [lines[here]] * dice.choice((1, 2, 300))
            case 2:
                lines[here], lines[there] = lines[there], lines[here]
            case _:
                lines[here] = lines[here][: dice.randrange(len(lines[here]) + 1)]
    return "\n".join(lines)


def _cells(data: str, dice: random.Random) -> str:
    """Put another number or text into cells."""
    places = list(_CELL.finditer(data))
    for place in sorted(dice.sample(places, min(len(places), dice.choice((1, 3, 30))))[::-1],
                        key=lambda one: -one.start()):  # fmt: skip
        new = dice.choice(NUMBERS) if dice.random() < 0.6 else text(dice)
        if place[0].startswith('"') and dice.random() < 0.7:
            new = '"' + new.replace('"', '""') + '"'
        data = data[: place.start()] + new + data[place.end() :]
    return data


def _marks(data: str, dice: random.Random) -> str:
    """Exchange the signs that hold a text together."""
    old, new = dice.choice(
        ((",", ";"), (",", "\t"), ('"', ""), ('"', "'"), ("\n", "\r\n"), ("\n", "\r"), (".", ","),
         (" ", ""), (":", "="), (",", ",,"), ("[", "("), ("}", ""), ("\n", "\n\n"), ("\n", "\0"))
    )  # fmt: skip
    return data.replace(old, new, dice.choice((1, 5, -1)))


def _deep(data: str, dice: random.Random) -> str:
    """Open very many brackets."""
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(_OPENINGS) * dice.choice((10, 1000, 100_000)) + data[at:]


def _join(data: str, dice: random.Random) -> str:
    """Put it behind itself, or behind something else."""
    return dice.choice(("", "\n", text(dice) + "\n")) + data * dice.choice((1, 2, 3))


def _long(data: str, dice: random.Random) -> str:
    """Make one line very long."""
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(("x", ",", '"",', "0", "\x1b[1m")) * 200_000 + data[at:]


_WAYS: dict[Callable[[str, random.Random], str], float] = {
    _lines: 4,
    _cells: 6,
    _marks: 3,
    _join: 1,
    _deep: 0.5,
    _long: 0.2,
}


def _changed(data: bytes, dice: random.Random) -> bytes:
    given = data.decode("utf-8", "replace")
    return picked(dice, _WAYS)(given, dice)[:_LONGEST].encode("utf-8", "replace")


def mutated(data: bytes, dice: random.Random) -> bytes:
    """Change a text; now and then its bytes, or its encoding."""
    if dice.random() < 0.2:
        return several(dice, lambda one: raw.mutated(one, dice), data)
    # A short text soon says nothing any more.
    short = len(data) < 5000 and dice.random() < 0.6
    data = _changed(data, dice) if short else several(dice, lambda d: _changed(d, dice), data)
    if dice.random() < 0.05:
        return data.decode("utf-8", "replace").encode(dice.choice(_ENCODINGS), "replace")
    return data

"""Letters: their width in a terminal's columns, cut, wrapped and without control characters."""

from __future__ import annotations

import re
import textwrap
import unicodedata

_NUMBER_AND_UNIT = re.compile(r"(?<=\d) (?=%|[µmn]?s\b|[KMGTP]?(?:B|Hz|FLOP|inst)\b)")


# Names of templates have some thousand letters; nobody reads a million, and a page that is
# full of them does not open.
LONGEST = 8000


def bounded(text: str) -> str:
    """Leave out the middle of a text that is longer than any that is worth to be shown."""
    if len(text) <= LONGEST:
        return text
    half = LONGEST // 2 - 20
    return f"{text[:half]} … {len(text) - 2 * half:,} letters … {text[-half:]}"


def printable(text: str) -> str:
    """Take the power from control characters: a name must not steer the terminal."""
    text = bounded(text)
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def harmless(text: str) -> str:
    """Do the same, but keep white space; marks that turn the direction go, too."""
    text = bounded(text)
    if text.replace("\N{NO-BREAK SPACE}", " ").isprintable():
        return text
    return "".join(c if c in "\n\t\N{NO-BREAK SPACE}" else printable(c) for c in text)


def columns_of(text: str) -> int:
    """Count a text's columns: East Asian wide letters take two."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: str, width: int) -> str:
    """Cut a text to so many columns, with a sign that something is missing."""
    # No letter takes less than a column here, so the rest is beyond the edge anyhow.
    text = printable(text[: max(width, 0) + 1])
    if columns_of(text) <= width:
        return text
    while columns_of(text) > width - 1:
        text = text[:-1]
    return f"{text.rstrip()}…"


def fit(text: str, width: int, right: bool) -> str:
    """Cut or fill a text to exactly so many columns."""
    text = clip(text, width)
    space = " " * (width - columns_of(text))
    return space + text if right else text + space


def squeeze(text: str, width: int) -> str:
    """Leave out the middle of a name: names differ at both ends."""
    text = printable(text)
    if columns_of(text) <= width:
        return text
    tail = (width - 1) // 3
    return f"{clip(text, width - tail).removesuffix('…')}…{text[len(text) - tail :]}"


def wrap(text: str, width: int, most: int | None = None) -> list[str]:
    """Break a text into lines of so many columns, at most so many lines."""
    text = printable(text)
    letters = width if columns_of(text) == len(text) else width // 2
    return textwrap.wrap(text, letters, break_on_hyphens=False, max_lines=most, placeholder=" …")


def glue(text: str) -> str:
    """Keep a number and its unit on one line."""
    return _NUMBER_AND_UNIT.sub("\N{NO-BREAK SPACE}", text)

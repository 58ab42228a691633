"""How a file writes its numbers: which character is the decimal point.

The profiler prints with the locale of its process, so one file has one convention, and
no single cell tells it: `117.344` may be either (`evidence.py` looks at many). Only
numbers with a unit on the raw page are in English style in every locale, which their six
decimals show.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

Parser: TypeAlias = Callable[[str], float | None]

# What may stand between thousands besides point and comma: spaces (plain, no-break and
# narrow) and apostrophes (straight and typographic).
_SPACES = " \u00a0\u202f\u2009'’"
_STRIP = {point: str.maketrans("", "", _SPACES + other) for point, other in (".,", ",.")}
# Three digits to a group, but in India two above the first three.
_NUMBER = {
    point: re.compile(
        rf"[-+]?(?:\d{{1,3}}(?:[{_SPACES}{other}]\d{{2,3}})*[{_SPACES}{other}]\d{{3}}|\d+)?"
        rf"(?:(?<=\d){re.escape(point)}\d*|{re.escape(point)}\d+)?(?:[eE][-+]?\d+)?"
    )
    for point, other in (".,", ",.")
}
_SIX_DECIMALS = re.compile(r"[-+]?\d+\.\d{6}")
_SHAPE = re.compile(rf"[-+]?\d[\d.,{_SPACES}]*")
# A percentage above this is none; the highest seen is 1640.
_MOST_PERCENT = 10_000


class Convention(NamedTuple):
    """The decimal point, None where nothing tells it, and the cell that decided.

    `grouped` is a cell that has the other separator, which then stands between thousands.
    """

    point: str | None
    because: str = ""
    grouped: str = ""

    def parser(self) -> Parser:
        """Return the function that reads a cell: a number, or None where it is none."""
        if self.point is None:
            return _unseparated
        return _with_point if self.point == "." else _with_comma


def _with_point(cell: str) -> float | None:
    try:
        # Nearly every cell; Python also takes underscores between digits.
        return float(cell) if "_" not in cell else None
    except ValueError:
        return _grouped(cell, ".")


def _with_comma(cell: str) -> float | None:
    if "." in cell:
        return float(cell) if is_fixed(cell) else _grouped(cell, ",")
    value = _with_point(cell.replace(",", ".", 1)) if "," in cell else _with_point(cell)
    return _grouped(cell, ",") if value is None else value


def _unseparated(cell: str) -> float | None:
    clear = ("." not in cell and "," not in cell) or is_fixed(cell)
    return _with_point(cell) if clear else None


def _grouped(cell: str, point: str) -> float | None:
    """Read a number with separators between its thousands; they must stand right."""
    text = cell.strip()
    if not text or not _NUMBER[point].fullmatch(text):
        return None
    try:
        return float(text.translate(_STRIP[point]).replace(point, "."))
    except ValueError:
        return None


def is_fixed(cell: str) -> bool:
    """Tell whether a number is in English style in every locale: by its six decimals."""
    return _SIX_DECIMALS.fullmatch(cell) is not None


def looks_numeric(cell: str) -> bool:
    """Tell whether a cell is made of digits and separators only."""
    return _SHAPE.fullmatch(cell.strip()) is not None


def point_of(cell: str, *, percent: bool = False) -> str | None:
    """Return the decimal point that one cell proves, or None where it proves none.

    The proofs: both separators (the last one is the point), one of them twice (that one
    groups), one not followed by exactly three digits or with no group before it (that one
    is the point), three digits after it in what would be an impossible percentage.
    """
    text = cell.strip()
    marks = [c for c in text if c in ".,"]
    if not marks or not looks_numeric(text):
        return None
    point = _by_marks(marks) or _by_digits(text.lstrip("+-"), marks[0], percent)
    return point if point and _NUMBER[point].fullmatch(text) else None


def _by_marks(marks: list[str]) -> str | None:
    if len(set(marks)) == 2:
        return marks[-1]
    return other_mark(marks[0]) if len(marks) > 1 else None


def _by_digits(text: str, mark: str, percent: bool) -> str | None:
    before, _, after = text.partition(mark)
    if len(after) != 3 or not after.isdecimal() or not _is_group(before):
        return mark
    return mark if percent and int(before + after) > _MOST_PERCENT else None


def _is_group(before: str) -> bool:
    """Tell whether digits can stand before a separator of thousands."""
    return 1 <= len(before) <= 3 and before.isdecimal() and before[0] != "0"


def other_mark(mark: str) -> str:
    """Return the comma for the point, and the point for the comma."""
    return "," if mark == "." else "."

"""Comma-separated values that no spreadsheet takes for formulas."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ncu_triage.render.letters import printable

# What a spreadsheet takes for the beginning of a formula, in wide letters too.
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def table(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Write rows under a header; numbers keep all their digits, None is an empty cell."""
    # By hand: the standard library's module takes longer to import than a page's points.
    lines = (",".join(map(_cell, row)) for row in (header, *rows))
    return "".join(f"{line}\n" for line in lines)


def _cell(value: str | float | None) -> str:
    """Put an apostrophe before a text that would be a formula; control characters go."""
    if not isinstance(value, str):
        return "" if value is None else repr(value)
    guard = "'" if value.lstrip(" ").startswith(_FORMULA) else ""
    text = guard + printable(value)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text

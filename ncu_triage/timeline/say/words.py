"""How the sentences about a timeline print numbers, names, and the numbers behind them."""

from __future__ import annotations

from ncu_triage.model import Evidence
from ncu_triage.timeline.join.names import unscoped
from ncu_triage.units import percent, show

_LONGEST = 64


def time(nanoseconds: float) -> str:
    """Print a time: 41.2 ms."""
    return show(nanoseconds / 1e9, "s")


def share(part: float) -> str:
    """Print a share of one as a percentage."""
    return percent(100 * part)


def count(number: int, thing: str, things: str | None = None) -> str:
    """Print a number with its thing: 1 gap, 2 gaps."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def name(text: str) -> str:
    """Print a kernel's name in a sentence: without namespaces, and its end where long."""
    return _quoted(unscoped(text) or text)


def range_name(text: str) -> str:
    """Print a range's name in a sentence; its numbers are blanked at the end, too."""
    return _quoted(text.rstrip("# "))


def _quoted(text: str) -> str:
    return f"“{text if len(text) <= _LONGEST else f'{text[: _LONGEST - 1]}…'}”"


def seconds(quantity: str, nanoseconds: float, basis: str | None = None) -> Evidence:
    """Give a time as evidence."""
    return Evidence(quantity=quantity, value=nanoseconds / 1e9, unit="s", basis=basis)


def percentage(quantity: str, part: float, basis: str) -> Evidence:
    """Give a share as evidence, with what it is a share of."""
    return Evidence(quantity=quantity, value=100 * part, unit="%", basis=basis)


def number(quantity: str, value: float, unit: str = "") -> Evidence:
    """Give a count or a size as evidence."""
    return Evidence(quantity=quantity, value=float(value), unit=unit)

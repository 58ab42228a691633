"""Read a size as a user gives it: a whole number within reason, or true and false."""

from __future__ import annotations

from ncu_triage.errors import UsageError
from ncu_triage.operators.kind import Dimension

MOST_SIZE = 10**13  # beyond it somebody slipped
_LONGEST = 40  # characters of a user's word that a message repeats


def size(dimension: Dimension, value: object) -> float:
    """Return a dimension's size. Raises UsageError for what is no count."""
    if dimension.flag:
        if isinstance(value, bool):
            return float(value)
        if str(value).lower() in ("true", "yes", "1", "false", "no", "0"):
            return float(str(value).lower() in ("true", "yes", "1"))
        raise UsageError(f"{dimension.name} is true or false, not {_repeated(value)}")
    number = _number(value)
    if number is None or number != int(number):
        raise UsageError(f"{dimension.name} is a whole number, not {_repeated(value)}")
    if number < dimension.least:
        least = dimension.least
        raise UsageError(f"{dimension.name} is {short(number)}; it must be at least {least}")
    if number > MOST_SIZE:
        raise UsageError(f"{dimension.name} is {short(number)}, which is absurd: check it")
    return number


def short(number: float) -> str:
    """Print a number that may be absurd: in full as far as it makes sense, else by its power."""
    return f"{number:,.0f}" if abs(number) <= MOST_SIZE else f"{number:.3g}"


def _repeated(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _number(value: object) -> float | None:
    """Read a number; YAML takes 1e6 for a text."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if abs(number) < float("inf") else None

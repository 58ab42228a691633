"""Times of a trace: microseconds as decimal numbers, made nanoseconds without rounding."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

_LATEST = 2**62 // 1000  # microseconds; beyond, it is no time


def nanoseconds(value: object) -> int | None:
    """Return microseconds as whole nanoseconds; None for what is no time.

    A number may stand there as a text. Its size is looked at before it is made whole:
    `1e999999999` would fill the memory.
    """
    if isinstance(value, str):
        value = _decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    return int(value * 1000) if -_LATEST < value < _LATEST else None


def _decimal(text: str) -> Decimal | None:
    try:
        return Decimal(text) if len(text) < 40 else None
    except InvalidOperation:
        return None

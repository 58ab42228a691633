"""Read the time that a user gives."""

from __future__ import annotations

from datetime import UTC, datetime

from ncu_triage.errors import UsageError


def time_of(text: str | None) -> float | None:
    """Read a time such as 2026-01-05 or 2026-01-05T03:00+01:00; without a zone it is UTC."""
    if text is None:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--when {text}: give a time such as 2026-01-05T03:00") from error
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()

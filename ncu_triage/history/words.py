"""Events in words."""

from __future__ import annotations

from datetime import UTC, datetime

from ncu_triage.history.series import Happening
from ncu_triage.units import digits, percent, show

_EXCUSES = {
    "clock": "at another clock: the cycles are the same",
    "tool": "another version of ncu-triage read it",
    "back": "it was gone for a while",
}


def day(at: float) -> str:
    """Print the day of a Unix time (UTC)."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")


def what(event: Happening) -> str:
    """Say what happened in half a sentence, with its numbers."""
    if event.event == "bottleneck":
        text = f"is now limited by {event.kind_after}, before by {event.kind_before}"
    elif event.event == "new":
        text = "is new"
    elif event.event == "vanished":
        text = "is gone"
    elif event.event == "missing":
        text = "has no report any more, while others of its scans have"
    else:
        text = _moved(event)
    return f"{text} ({_EXCUSES[event.excuse]})" if event.excuse else text


def _moved(event: Happening) -> str:
    change = percent(abs(event.change_pct or 0.0))
    how = "got slowly" if event.event == "drift" else "is"
    times = f"{show(event.before or 0.0, 's')} to {show(event.after or 0.0, 's')}"
    return f"{how} {change} {event.direction}, {times}, {digits(event.sigmas or 0.0, 2)} spreads"

"""Decide two labels that count over active cycles in older versions, over elapsed in newer."""

from __future__ import annotations

from typing import Final

_OPEN: Final = "?"
_ISSUE = "sm__inst_issued.avg.pct_of_peak_sustained_"
_BUSY = "sm__instruction_throughput.avg.pct_of_peak_sustained_"
_ELIGIBLE = "smsp__issue_active.avg.pct_of_peak_sustained_active"
_IPC = "sm__inst_issued.avg.per_cycle_active"
# Instructions per cycle are printed with two decimals, and four schedulers make 100 %.
_PERCENT_PER_IPC = 25.0
_ROUNDING = 0.005
# Below this the two cannot be told apart, and need not be.
_SAME = 0.01


def settle(values: dict[str, float | str]) -> None:
    """Give the open metrics their name, or take them out where nothing decides.

    What the issue slots are over active cycles stands in another section, too; times the
    share of active cycles it is what they are over elapsed ones. Both labels changed
    together.
    """
    basis = _basis(values)
    for name in (_ISSUE, _BUSY):
        value = values.pop(name + _OPEN, None)
        if value is not None and basis is not None:
            values[name + basis] = value


def _basis(values: dict[str, float | str]) -> str | None:
    issue = _number(values, _ISSUE + _OPEN)
    active, error = _over_active(values)
    if not issue or not active:
        return None
    share = _active_share(values)
    as_active = abs(issue - active) <= error
    if share is None:
        return "active" if as_active and error / active <= 2 * _SAME else None
    as_elapsed = abs(issue - active * share) <= error
    if as_active and as_elapsed:
        return "active" if 1 - share <= _SAME else None
    return "active" if as_active else "elapsed" if as_elapsed else None


def _over_active(values: dict[str, float | str]) -> tuple[float, float]:
    """Return the issue slots in use over active cycles, and how far that can be off."""
    eligible = _number(values, _ELIGIBLE)
    if eligible:
        return eligible, 2 * _ROUNDING + 0.005 * eligible
    ipc = _number(values, _IPC)
    return _PERCENT_PER_IPC * ipc, _PERCENT_PER_IPC * _ROUNDING + _ROUNDING


def _active_share(values: dict[str, float | str]) -> float | None:
    elapsed = _number(values, "gpc__cycles_elapsed.max")
    return _number(values, "sm__cycles_active.avg") / elapsed if elapsed else None


def _number(values: dict[str, float | str], name: str) -> float:
    value = values.get(name)
    return value if isinstance(value, float) else 0.0

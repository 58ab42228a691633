"""How much of a kernel's time a fix could save: what to expect, and at most.

Once the waste is gone, the busiest unit with its remaining work is the next limiter,
and no unit does more than about nine tenths of its peak. A unit that was not busy was
not what the kernel waited for, so removing its waste is expected to save nothing.
Measured on before/after pairs this is right within 4.3 points in the median, where the
profiler's own estimates are off by 14.8.

A unit whose load is only a rough estimate may hold a kernel far sooner: what to expect leaves
room for twice of it, what is possible at most is not limited by it, and no number is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from types import MappingProxyType
from typing import TypeAlias

from ncu_triage.model import Gain
from ncu_triage.units import show

CEILING = 0.90
WORK = "the work itself"
IDLE_BELOW = 0.60
BUSY_ABOVE = 0.80
# Seven of eight kernels have at most so many times the load that L2 misses tell of DRAM.
ROUGHLY = 2.0
ESTIMATED = "at a load that was only estimated"

UNITS = {
    "dram": ("dram_throughput_pct", "DRAM"),
    "l1": ("l1_throughput_active_pct", "L1/shared memory"),
    "l2": ("l2_throughput_pct", "L2"),
    "issue": ("issue_active_pct", "issue slots"),
    "fma": ("pipe_fma_pct", "the FMA pipe"),
    "alu": ("pipe_alu_pct", "the ALU pipe"),
    "fp64": ("pipe_fp64_pct", "the FP64 pipe"),
    "fp16": ("pipe_fp16_pct", "the FP16 pipe"),
    "tensor": ("pipe_tensor_pct", "the tensor pipe"),
    "xu": ("pipe_xu_pct", "the XU pipe"),
}
_SHARED = ("dram", "l2")

# The share (0-1) of its peak that a unit can reach, by the quantity of its utilisation;
# what is not in it reaches `CEILING`.
Achievable: TypeAlias = Mapping[str, float]
ASSUMED: Achievable = MappingProxyType({})
_ALL_MEASURED: Set[str] = frozenset()


def by_waste(
    n: Mapping[str, float],
    waste_in: list[str],
    remaining: Mapping[str, float],
    achievable: Achievable = ASSUMED,
    rough: Set[str] = _ALL_MEASURED,
) -> Gain | None:
    """Estimate what removing waste saves; `remaining` is each unit's share of work left.

    `rough` are the quantities that are only estimates.
    """
    use = utilisations(n)
    cause = max((_leaning(use, unit, achievable) for unit in waste_in if unit in use), default=None)
    if cause is None:
        return None
    left = {unit: value * remaining.get(unit, 1.0) for unit, value in _wary(use, rough).items()}
    limiter, share = fullest(left, achievable)
    gate = _clamp((cause - IDLE_BELOW) / (BUSY_ABOVE - IDLE_BELOW))
    why = at(limiter, left[limiter], rough)
    return _gain(gate * _clamp(1 - share), 1 - _most_measured(left, rough), why)


def by_lost_time(  # noqa: PLR0913 - the terms of the estimate
    n: Mapping[str, float],
    lost: float,
    *,
    likely: float = 1.0,
    idle_sms: bool = False,
    remaining: Mapping[str, float] = MappingProxyType({}),
    achievable: Achievable = ASSUMED,
    rough: Set[str] = _ALL_MEASURED,
) -> Gain:
    """Estimate what using lost time saves: the units run only so much faster.

    `likely` is the part of it that such fixes usually win back, `remaining` each unit's
    share of work left, where the fix moves work elsewhere.

    Time that is lost on idle SMs leaves room in every SM's own units; then only DRAM and
    L2 bound the gain.
    """
    use = {
        unit: value * remaining.get(unit, 1.0)
        for unit, value in _wary(utilisations(n), rough).items()
        if unit in _SHARED or not idle_sms
    }
    share = _clamp(lost)
    limiter, full = fullest(use, achievable) if use else (None, 0.0)
    room = 1 - full
    if limiter is None or share <= room:
        return _gain(likely * share, share, WORK)
    why = at(limiter, use[limiter], rough)
    return _gain(likely * room, min(share, 1 - _most_measured(use, rough)), why)


def utilisations(n: Mapping[str, float]) -> dict[str, float]:
    """Return the share (0-1) of its peak at which each measured unit runs."""
    return {unit: min(1.0, n[name] / 100) for unit, (name, _) in UNITS.items() if name in n}


def ceiling(unit: str, achievable: Achievable = ASSUMED) -> float:
    """Return the share (0-1) of its peak that a unit can reach."""
    return achievable.get(UNITS[unit][0], CEILING)


def fullest(use: Mapping[str, float], achievable: Achievable = ASSUMED) -> tuple[str, float]:
    """Return the unit closest to what it can reach, and what share of that it is at."""
    limiter = max(use, key=lambda unit: use[unit] / ceiling(unit, achievable))
    return limiter, use[limiter] / ceiling(limiter, achievable)


def at(unit: str, share: float, rough: Set[str] = _ALL_MEASURED) -> str:
    """Name a unit with its utilisation: "L2 at 61.0 %"; an estimate is no number to name."""
    return f"{UNITS[unit][1]} {ESTIMATED if UNITS[unit][0] in rough else f'at {_pct(share)}'}"


def _wary(use: Mapping[str, float], rough: Set[str]) -> dict[str, float]:
    """Return the utilisations, those that are rough as high as they may well be."""
    return {
        unit: min(1.0, ROUGHLY * value) if UNITS[unit][0] in rough else value
        for unit, value in use.items()
    }


def _most_measured(use: Mapping[str, float], rough: Set[str]) -> float:
    """Return the highest utilisation that was measured, 0 where none was."""
    return max((value for unit, value in use.items() if UNITS[unit][0] not in rough), default=0.0)


def _leaning(use: Mapping[str, float], unit: str, achievable: Achievable) -> float:
    """Return a utilisation as if `CEILING` were what the unit can reach."""
    reached = achievable.get(UNITS[unit][0])
    return use[unit] if reached is None else use[unit] * CEILING / reached


def _gain(expected: float, at_most: float, limited_by: str) -> Gain:
    return Gain(
        expected_pct=100 * _clamp(expected),
        at_most_pct=100 * _clamp(max(at_most, expected)),
        limited_by=limited_by,
    )


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))


def _pct(share: float) -> str:
    return show(100 * share, "%")

"""How much a kernel varies by itself, from its own past."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

# Median absolute deviation of a normal distribution to its standard deviation.
_MAD = 1.4826
# Nine tenths of a normal distribution lie within so many standard deviations.
_NINE_TENTHS = 1.645
# What is assumed of a kernel that nobody knows yet, and how many nights that counts for.
_UNKNOWN = 0.03
_WEIGHT = 4
# Nothing is measured better than this.
_FINEST = 0.003
# The profiler's clock ticks every 32 ns.
_TICK = 32e-9


def spread(differences: Sequence[float], within: Sequence[float]) -> float:
    """Return the standard deviation of a night, from the differences of neighbours.

    So a level that moves does not count as noise. `within` are the nights' own standard
    errors, the least it can be. All of it in logarithms: 0.01 is one percent.
    """
    own = _robust(sorted(map(abs, differences))) / math.sqrt(2)
    known = max(own, median(within) if within else 0.0, _FINEST)
    count = len(differences)
    return math.sqrt((count * known**2 + _WEIGHT * _UNKNOWN**2) / (count + _WEIGHT))


def resolution(duration: float) -> float:
    """Return the part of a duration that the profiler's clock cannot resolve."""
    return _TICK / duration if duration > 0 else 0.0


def _robust(ordered: Sequence[float]) -> float:
    """Estimate a deviation from the middle and from the tail, and take the larger."""
    if not ordered:
        return 0.0
    tail = ordered[math.ceil(0.9 * len(ordered)) - 1]
    return max(_MAD * median(ordered), tail / _NINE_TENTHS)

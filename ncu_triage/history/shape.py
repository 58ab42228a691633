"""Tell a step that was too small to be seen at once from a drift."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import NamedTuple

# At least so many nights on either side of a step.
_SIDE = 3


class Shape(NamedTuple):
    """Where a change begins, and whether it came at once."""

    begin: int
    sudden: bool


def shape(levels: Sequence[float]) -> Shape:
    """Fit a step and a ramp after a level, each at its best place; the closer fit wins."""
    places = range(_SIDE, len(levels) - _SIDE)
    step = min((_step(levels, place), place) for place in places)
    ramp = min((_ramp(levels, place), place) for place in places)
    return Shape(step[1], True) if step[0] <= ramp[0] else Shape(ramp[1], False)


def _step(levels: Sequence[float], place: int) -> float:
    """Return how far the nights lie from a step at this place, all together."""
    return _around(levels[:place]) + _around(levels[place:])


def _ramp(levels: Sequence[float], place: int) -> float:
    """Return how far the nights lie from a level that rises or falls from this place on."""
    level = median(levels[:place])
    rest = levels[place:]
    slope = median((value - level) / i for i, value in enumerate(rest, 1))
    return _around(levels[:place]) + sum(
        abs(value - level - slope * i) for i, value in enumerate(rest, 1)
    )


def _around(levels: Sequence[float]) -> float:
    middle = median(levels)
    return sum(abs(value - middle) for value in levels)

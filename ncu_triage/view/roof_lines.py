"""The roofs of a chart as lines, each with its caption."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ncu_triage.model import Ceiling
from ncu_triage.units import show
from ncu_triage.view import words
from ncu_triage.view.axes import HEIGHT, LETTER, LINE, WIDTH, position, value_at
from ncu_triage.view.roof_points import units
from ncu_triage.view.shown_roof import Axis, Caption, Line

_ALONG = 0.55  # where on the visible part of a slope its caption ends


def roof_lines(
    compute: Sequence[Ceiling], bandwidth: Sequence[Ceiling], x: Axis, y: Axis
) -> list[Line]:
    """Draw each roof inside the axes, up to where it meets the highest of the other kind.

    What is achievable meets what is achievable, where that is known of both.
    """
    slopes = [_line(b, *_slope(b, compute, x, y)) for b in bandwidth]
    flats = [
        _line(c, max(10.0**x.low, c.value / _highest(c, bandwidth, math.inf)), 10.0**x.high)
        for c in compute
    ]
    return [*slopes, *flats]


def roof_captions(
    by_precision: Sequence[Sequence[Ceiling]], bandwidth: Sequence[Ceiling], x: Axis, y: Axis
) -> list[Caption]:
    """Name the roofs of each kind in one text, beside the first of them."""
    compute = [ceiling for roofs in by_precision for ceiling in roofs]
    slopes = [_slope_caption(bandwidth, compute, x, y)] if bandwidth else []
    return slopes + _flat_captions([roofs for roofs in by_precision if roofs], x, y)


def _slope_caption(
    bandwidth: Sequence[Ceiling], compute: Sequence[Ceiling], x: Axis, y: Axis
) -> Caption:
    """Name the slopes above the highest, where no kernel can be, if there is room to the left."""
    text, highest, lowest = _caption(bandwidth), bandwidth[0], bandwidth[-1]
    start, end = (position(at, x, WIDTH) for at in _slope(highest, compute, x, y))
    right = max(start + _ALONG * (end - start), LETTER * len(text) + LINE)
    if right < end:
        at = value_at(right, x, WIDTH)
        return Caption(at, at * highest.value, text, above=True)
    at = value_at(start, x, WIDTH)
    return Caption(at, at * lowest.value, text, above=False)


def _flat_captions(by_precision: Sequence[Sequence[Ceiling]], x: Axis, y: Axis) -> list[Caption]:
    """Name flat roofs at their right end; of two at one height, one further to the left."""
    placed: list[tuple[float, float]] = []
    captions = []
    for roofs in by_precision:
        height, text = position(roofs[0].value, y, HEIGHT), _caption(roofs)
        near = [left for at, left in placed if abs(at - height) < LINE]
        right = min(near, default=WIDTH)
        placed.append((height, right - LETTER * len(text) - LINE))
        captions.append(Caption(value_at(right, x, WIDTH), roofs[0].value, text, above=True))
    return captions


def roof_name(ceiling: Ceiling) -> str:
    """Name a roof: "DRAM nominal", "FP32 achievable"."""
    return f"{_unit_name(ceiling)} {'nominal' if ceiling.nominal else 'achievable'}"


def value_text(ceiling: Ceiling) -> str:
    """Print a roof's value in the unit of its kind."""
    return show(ceiling.value, "byte/s" if ceiling.kind == "bandwidth" else units(ceiling.name).y)


def _unit_name(ceiling: Ceiling) -> str:
    bandwidth = ceiling.kind == "bandwidth"
    return words.level(ceiling.name) if bandwidth else words.precision(ceiling.name)


def _caption(roofs: Sequence[Ceiling]) -> str:
    values = [f"{value_text(c)} {'nominal' if c.nominal else 'achievable'}" for c in roofs]
    return f"{_unit_name(roofs[0])} {', '.join(values)}"


def _slope(ceiling: Ceiling, compute: Sequence[Ceiling], x: Axis, y: Axis) -> tuple[float, float]:
    """Return from where to where a bandwidth roof is seen."""
    top = _highest(ceiling, compute, 10.0**y.high)
    return max(10.0**x.low, 10.0**y.low / ceiling.value), min(10.0**x.high, top / ceiling.value)


def _highest(ceiling: Ceiling, others: Sequence[Ceiling], none: float) -> float:
    """Return the highest of the roofs that a roof meets: those of its own sort, else any."""
    alike = [one.value for one in others if one.nominal is ceiling.nominal]
    return max(alike or [one.value for one in others], default=none)


def _line(ceiling: Ceiling, start: float, end: float) -> Line:
    slope = ceiling.kind == "bandwidth"
    ys = [ceiling.value * x if slope else ceiling.value for x in (start, end)]
    label = f"{roof_name(ceiling)}: {value_text(ceiling)}"
    return Line(label, ceiling.kind, ceiling.nominal, (start, ys[0]), (end, ys[1]), ceiling.source)

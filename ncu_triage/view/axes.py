"""Logarithmic axes: where they begin and end, and what stands at their decades."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ncu_triage.units import show
from ncu_triage.view.names import fitted
from ncu_triage.view.shown_roof import Axis, Caption, Dot, Tick

WIDTH, HEIGHT = 1040.0, 400.0  # the plot's inside in pixels, for where labels have room
_MOST_TICKS = 9
_AROUND = 0.35  # decades of air at both ends
LETTER, LINE = 6.6, 15.0  # pixels from letter to letter, from text to text
_LABELLED = 12
_FARTHEST = 300.0  # decades
_LONGEST = 30  # letters of a label


def axis(title: str, unit: str, values: Iterable[float], span: float = 0.0) -> Axis:
    """Return an axis that shows all values with some air, and at least so many decades."""
    logs = [_bounded(math.log10(value)) for value in values if value > 0] or [0.0]
    high = round(max(logs) + _AROUND, 2)
    low = round(min(min(logs) - _AROUND, high - span), 2)
    decades = range(math.ceil(low), math.floor(high) + 1)
    step = max(1, math.ceil(len(decades) / _MOST_TICKS))
    ticks = [Tick(10.0**d, _tick(10.0**d, unit)) for d in decades if d % step == 0]
    return Axis(f"{title} ({unit})", unit, low, high, ticks)


def _bounded(decade: float) -> float:
    """Keep an absurd number of a damaged report within what a float can hold, air included."""
    return min(max(decade, -_FARTHEST), _FARTHEST)


def position(value: float, along: Axis, length: float) -> float:
    """Return how far along an axis of that length a value lies."""
    return (math.log10(value) - along.low) / (along.high - along.low) * length


def value_at(place: float, along: Axis, length: float) -> float:
    """Return the value that lies so far along an axis of that length."""
    return float(10.0 ** _bounded(along.low + place / length * (along.high - along.low)))


def room_after(value: float, x: Axis, text: str) -> bool:
    """Say whether a text fits between a value and the axis' end."""
    return position(value, x, WIDTH) + LETTER * len(text) < WIDTH


def with_labels(dots: Sequence[Dot], captions: Sequence[Caption], x: Axis, y: Axis) -> list[Dot]:
    """Give the largest dots their names, where these do not cover other texts or dots."""
    taken = [_around(dot, x, y) for dot in dots] + [_caption_box(c, x, y) for c in captions]
    labelled = []
    short = fitted(dict.fromkeys(dot.name.short for dot in dots), _LONGEST)
    for i, dot in enumerate(dots):
        text = short[dot.name.short]
        boxes = [_label_box(dot, text, x, y, left) for left in (False, True)]
        free = [not any(_overlap(box, other) for other in taken) for box in boxes]
        if i < _LABELLED and any(free):
            left = not free[0]
            taken.append(boxes[left])
            dot = replace(dot, label=text, left=left)
        labelled.append(dot)
    return labelled


_Box = tuple[float, float, float, float]


def _place(at: Dot | Caption, x: Axis, y: Axis) -> tuple[float, float]:
    return position(at.x, x, WIDTH), position(at.y, y, HEIGHT)


def _around(dot: Dot, x: Axis, y: Axis) -> _Box:
    (left, middle), half = _place(dot, x, y), dot.size / 2
    return (left - half, middle - half, left + half, middle + half)


def _caption_box(caption: Caption, x: Axis, y: Axis) -> _Box:
    left, bottom = _place(caption, x, y)
    width = LETTER * len(caption.text)
    if caption.above:
        return (left - width, bottom, left, bottom + LINE)
    return (left, bottom - LINE, left + width, bottom)


def _label_box(dot: Dot, text: str, x: Axis, y: Axis, left: bool) -> _Box:
    at, middle = _place(dot, x, y)
    near = dot.size / 2 + 2
    far = near + LETTER * len(text) + 4
    start, end = (at - far, at - near) if left else (at + near, at + far)
    return (start, middle - LINE / 2, end, middle + LINE / 2)


def _overlap(a: _Box, b: _Box) -> bool:
    outside = a[0] < 0 or a[2] > WIDTH
    return outside or (a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3])


def _tick(value: float, unit: str) -> str:
    """Print a decade: 1 T, 100 G on an axis of rates, 0.01 on one of ratios."""
    if unit.endswith("/s"):
        return (
            show(value, "byte/s").removesuffix("B/s").replace(".00", "").replace(".0", "").strip()
        )
    return f"{value:g}"

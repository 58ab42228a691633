"""Kernels over time in a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.render.letters import clip, squeeze, wrap
from ncu_triage.render.trend_shown import TrendShown

_BARS = "▁▂▃▄▅▆▇█"
_MOST_EVENTS = 12


def render(trends: Sequence[TrendShown], width: int) -> str:
    """Write each kernel with a line of bars and what happened to it."""
    return "\n".join(line for trend in trends for line in _lines(trend, width)) + "\n"


def _lines(trend: TrendShown, width: int) -> Iterator[str]:
    yield squeeze(trend.name, width)
    yield f"  {clip(trend.facts, width - 2)}"
    if trend.durations:
        yield f"  {sparkline(trend.durations, width - 2)}"
    yield from (f"  {line}" for line in wrap(trend.summary, width - 2))
    more = len(trend.events) - _MOST_EVENTS
    if more > 0:
        yield f"  … {more} earlier events"
    for event in trend.events[-_MOST_EVENTS:]:
        sign = "!" if event.alarming else " "
        first, *rest = wrap(f"{event.when}  {event.text}", width - 4)
        yield f"{sign} {first}"
        yield from (f"      {line}" for line in rest)
    if not trend.events and not trend.alone:
        yield "  nothing happened that is more than its own noise"
    yield ""


def sparkline(values: Sequence[float], width: int) -> str:
    """Draw values as bars; where there are more than fit, each bar is several nights' middle."""
    shown = [_middle(part) for part in _parts(values, max(1, width))]
    low, high = min(shown), max(shown)
    # A line that moves by less than a tenth shall look like one.
    span = max(high - low, 0.1 * high) or 1.0
    base = (high + low - span) / 2
    top = len(_BARS) - 1
    return "".join(_BARS[round(top * min(1.0, max(0.0, (v - base) / span)))] for v in shown)


def _parts(values: Sequence[float], count: int) -> Iterator[Sequence[float]]:
    size = max(1, -(-len(values) // count))
    return (values[i : i + size] for i in range(0, len(values), size))


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]

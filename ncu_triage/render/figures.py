"""The rooflines as Plotly figures: plain data, in the numbers of the view.

Plotly reads its texts as pseudo-HTML, so every text that comes from a report is escaped
for it. Colours of lines and letters are the page's to set; `meta` says what is what.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ncu_triage.render.letters import harmless
from ncu_triage.view.axes import LINE
from ncu_triage.view.shown import Mark
from ncu_triage.view.shown_roof import Axis, Caption, Chart, Dot, Line, Ridge

# The Okabe-Ito palette, which stays apart for colour-blind readers; templates/css has
# the same colours.
COLOURS = {
    "dram-bandwidth": "#0072b2",
    "l2-bandwidth": "#56b4e9",
    "l1-shared-bandwidth": "#009e73",
    "compute-pipe": "#d55e00",
    "issue-bound": "#e69f00",
    "latency": "#cc79a7",
    "underfilled": "#f0e442",
    "launch-dominated": "#8c8c8c",
}
_NO_COLOUR = "rgba(128, 128, 128, 0.35)"
_SYMBOLS = {
    "circle": "circle",
    "square": "square",
    "diamond": "diamond",
    "up": "triangle-up",
    "down": "triangle-down",
    "cross": "cross",
    "pentagon": "pentagon",
    "star": "star",
    "ring": "circle-open",
}
_GREY = "#808080"
_GRID = "rgba(128, 128, 128, 0.22)"


def figures(charts: Sequence[Chart]) -> dict[str, Any]:
    """Return all figures, and what their dots say of each kernel, once for all of them."""
    about = {dot.name.anchor: _about(dot) for chart in charts for dot in chart.dots}
    return {"about": about, "charts": {chart.id: roofline(chart) for chart in charts}}


def roofline(chart: Chart) -> dict[str, Any]:
    """Return a chart's figure: its roofs, its ridge, and a trace a bottleneck."""
    marks = {dot.mark.kind: dot.mark for dot in chart.dots}
    dots = [_dots(mark, [d for d in chart.dots if d.mark == mark]) for mark in marks.values()]
    return {
        "data": [*map(_roof, chart.lines), *(_ridge(one, chart) for one in chart.ridges), *dots],
        "layout": _layout(chart),
    }


def escape(text: str) -> str:
    """Escape a text for Plotly, which takes `<b>` and `<a href>` for markup."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _roof(line: Line) -> dict[str, Any]:
    (x0, y0), (x1, y1) = line.start, line.end
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x0, x1],
        "y": [y0, y1],
        "line": {"color": _GREY, "width": 1.5, "dash": "dash" if line.nominal else "solid"},
        "hoverinfo": "text",
        "text": escape(f"{line.label} ({line.source})"),
        "meta": {"role": "roof"},
    }


def _ridge(ridge: Ridge, chart: Chart) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [ridge.x, ridge.x],
        "y": [10.0**chart.y.low, ridge.y],
        "line": {"color": _GREY, "width": 1, "dash": "dot"},
        "hoverinfo": "text",
        "text": escape(ridge.text),
        "meta": {"role": "roof"},
    }


def _dots(mark: Mark, dots: Sequence[Dot]) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers+text",
        "name": escape(mark.label),
        "x": [dot.x for dot in dots],
        "y": [dot.y for dot in dots],
        "text": [escape(dot.label) for dot in dots],
        "textposition": _sides(dots),
        "hovertext": [escape(dot.tip) for dot in dots],
        "hoverinfo": "text",
        "customdata": [dot.name.anchor for dot in dots],
        "marker": {
            "size": [dot.size for dot in dots],
            "symbol": _SYMBOLS[mark.shape],
            "color": COLOURS.get(mark.kind, _NO_COLOUR),
            "opacity": 0.85,
            "line": {"color": _GREY, "width": 1},
        },
        "cliponaxis": False,
        "meta": {"role": "dots", "kind": mark.kind},
    }


def _sides(dots: Sequence[Dot]) -> str | list[str]:
    """Say on which side each label stands; once, where it is the usual one for all."""
    if not any(dot.left for dot in dots):
        return "middle right"
    return [f"middle {'left' if dot.left else 'right'}" for dot in dots]


def _about(dot: Dot) -> str:
    """Return the name and the lines below it; the script makes them a tooltip's."""
    return "\n".join(map(escape, [dot.name.short, *dot.about]))


def _layout(chart: Chart) -> dict[str, Any]:
    return {
        "xaxis": _axis(chart.x),
        "yaxis": _axis(chart.y),
        "annotations": [
            *map(_caption, chart.captions),
            *(_ridge_text(one, chart) for one in chart.ridges),
        ],
        "showlegend": False,
        "hovermode": "closest",
        "hoverlabel": {"align": "left", "namelength": -1},
        "dragmode": "pan",
        "margin": {"l": 74, "r": 16, "t": 14, "b": 52},
        "paper_bgcolor": "rgba(0, 0, 0, 0)",
        "plot_bgcolor": "rgba(0, 0, 0, 0)",
        "font": {"family": "system-ui, sans-serif", "size": 12.5, "color": _GREY},
    }


def _axis(axis: Axis) -> dict[str, Any]:
    return {
        "type": "log",
        "range": [axis.low, axis.high],
        "title": {"text": escape(axis.title), "standoff": 10, "font": {"size": 12.5}},
        "tickmode": "array",
        "tickvals": [tick.at for tick in axis.ticks],
        "ticktext": [escape(tick.text) for tick in axis.ticks],
        "gridcolor": _GRID,
        "zeroline": False,
    }


def _caption(caption: Caption) -> dict[str, Any]:
    """Place a roof's text; annotations on logarithmic axes stand at powers of ten."""
    return _text(caption.text, caption.x, caption.y) | {
        "xanchor": "right" if caption.above else "left",
        "yanchor": "bottom" if caption.above else "top",
    }


def _ridge_text(ridge: Ridge, chart: Chart) -> dict[str, Any]:
    text = _text(ridge.text, ridge.x, 10.0**chart.y.low)
    anchor, shift = ("right", -3) if ridge.left else ("left", 3)
    beside = {"xanchor": anchor, "xshift": shift, "yanchor": "bottom", "yshift": LINE * ridge.row}
    return text | beside


def _text(text: str, x: float, y: float) -> dict[str, Any]:
    return {"text": escape(text), "x": math.log10(x), "y": math.log10(y), "showarrow": False}

"""The points of the rooflines as a file that the page carries in a link."""

from __future__ import annotations

from collections import defaultdict
from urllib.parse import quote

from ncu_triage.render.cells import table
from ncu_triage.view.shown_roof import Chart, Dot, Roofs

_PLAIN = " !$()*,/:;=?@[]{}|^"  # what a link in quotes may hold as it is


def link(roofs: Roofs) -> str:
    """Return the points as a `data:` link, which works without script and network."""
    return f"data:text/csv;charset=utf-8,{quote(points(roofs), safe=_PLAIN)}"


def points(roofs: Roofs) -> str:
    """Write a row a kernel, and for each roofline where the kernel lies on it."""
    places: dict[str, dict[str, Dot]] = defaultdict(dict)
    for chart in roofs.charts:
        for dot in chart.dots:
            places[dot.launch][chart.id] = dot
    header = ["kernel", "launch", "limited by", "share of the time [%]"]
    header += [name for chart in roofs.charts for name in _columns(chart)]
    return table(header, (_row(dots, roofs) for dots in places.values()))


def _columns(chart: Chart) -> tuple[str, str]:
    x, y = chart.x.unit, chart.y.unit
    return f"{chart.label} intensity [{x}]", f"{chart.label} performance [{y}]"


def _row(dots: dict[str, Dot], roofs: Roofs) -> list[str | float | None]:
    first = next(iter(dots.values()))
    row: list[str | float | None] = [first.name.short, first.launch, first.mark.label, first.share]
    for chart in roofs.charts:
        dot = dots.get(chart.id)
        row += [dot.x, dot.y] if dot else [None, None]
    return row

"""A roofline as a still picture: every shape with its place in pixels, for an SVG."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ncu_triage.view.axes import HEIGHT, LINE, WIDTH, position
from ncu_triage.view.shown_roof import Caption, Chart, Dot

LEFT, RIGHT, TOP, BOTTOM = 74.0, 16.0, 14.0, 52.0
# So many of the longest kernels: a still picture of more is a cloud, and a large file.
MOST_DOTS = 100


class Text(Struct, frozen=True):
    """A text with its anchor: start, middle or end."""

    x: float
    y: float
    text: str
    anchor: str
    role: str


class Stroke(Struct, frozen=True):
    """A straight line; its role says how it is drawn."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: str


class Spot(Struct, frozen=True):
    """A dot's shape with its radius, and the texts that belong to it."""

    x: float
    y: float
    radius: float
    dot: Dot
    label_x: float
    label_y: float
    anchor: str


class Picture(Struct, frozen=True):
    """Everything in a roofline's picture, back to front."""

    width: float
    height: float
    strokes: list[Stroke]
    texts: list[Text]
    spots: list[Spot]
    left_out: int


def picture(chart: Chart, most: int = MOST_DOTS) -> Picture:
    """Lay a chart out in pixels, with so many of its longest kernels."""
    return Picture(
        width=LEFT + WIDTH + RIGHT,
        height=TOP + HEIGHT + BOTTOM,
        strokes=[*_grid(chart), *_roofs(chart)],
        texts=[*_ticks(chart), *_titles(chart), *_captions(chart)],
        spots=[_spot(chart, dot) for dot in chart.dots[:most]],
        left_out=max(0, len(chart.dots) - most),
    )


def _at(chart: Chart, x: float, y: float) -> tuple[float, float]:
    """Return a point's place; pixels count downwards."""
    across = LEFT + position(x, chart.x, WIDTH)
    down = TOP + HEIGHT - position(y, chart.y, HEIGHT)
    return round(across, 1), round(down, 1)


def _grid(chart: Chart) -> list[Stroke]:
    corners = (10.0**chart.x.low, 10.0**chart.y.low), (10.0**chart.x.high, 10.0**chart.y.high)
    (left, bottom), (right, top) = (_at(chart, *corner) for corner in corners)
    across = [_at(chart, tick.at, corners[0][1])[0] for tick in chart.x.ticks]
    up = [_at(chart, corners[0][0], tick.at)[1] for tick in chart.y.ticks]
    return [
        *(Stroke(x, bottom, x, top, "grid") for x in across),
        *(Stroke(left, y, right, y, "grid") for y in up),
    ]


def _roofs(chart: Chart) -> list[Stroke]:
    strokes = [
        Stroke(
            *_at(chart, *line.start), *_at(chart, *line.end), "nominal" if line.nominal else "reach"
        )
        for line in chart.lines
    ]
    for ridge in chart.ridges:
        foot = _at(chart, ridge.x, 10.0**chart.y.low)
        strokes.append(Stroke(*foot, *_at(chart, ridge.x, ridge.y), "ridge"))
    return strokes


def _ticks(chart: Chart) -> Sequence[Text]:
    below, beside = TOP + HEIGHT + 18, LEFT - 8
    left, bottom = 10.0**chart.x.low, 10.0**chart.y.low
    return [
        *(
            Text(_at(chart, t.at, bottom)[0], below, t.text, "middle", "tick")
            for t in chart.x.ticks
        ),
        *(
            Text(beside, _at(chart, left, t.at)[1] + 4, t.text, "end", "tick")
            for t in chart.y.ticks
        ),
    ]


def _titles(chart: Chart) -> Sequence[Text]:
    middle = TOP + HEIGHT / 2
    return [
        Text(LEFT + WIDTH / 2, TOP + HEIGHT + 42, chart.x.title, "middle", "title"),
        Text(14, middle, chart.y.title, "middle", "side"),
    ]


def _captions(chart: Chart) -> Sequence[Text]:
    texts = [_caption(caption, *_at(chart, caption.x, caption.y)) for caption in chart.captions]
    for ridge in chart.ridges:
        x, y = _at(chart, ridge.x, 10.0**chart.y.low)
        across, anchor = (x - 5, "end") if ridge.left else (x + 5, "start")
        texts.append(Text(across, y - 6 - LINE * ridge.row, ridge.text, anchor, "caption"))
    return texts


def _caption(caption: Caption, x: float, y: float) -> Text:
    if caption.above:
        return Text(x - 4, y - 7, caption.text, "end", "caption")
    return Text(x + 4, y + 16, caption.text, "start", "caption")


def _spot(chart: Chart, dot: Dot) -> Spot:
    x, y = _at(chart, dot.x, dot.y)
    radius = round(dot.size / 2, 1)
    beside = x - radius - 4 if dot.left else x + radius + 4
    anchor = "end" if dot.left else "start"
    return Spot(x, y, radius, dot, round(beside, 1), round(y + 4, 1), anchor)

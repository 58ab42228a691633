"""The roofline as a picture of its own, to paste where no page can go."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.render.figures import COLOURS
from ncu_triage.render.letters import clip
from ncu_triage.render.picture import LEFT, RIGHT, Picture, picture
from ncu_triage.render.templating import template
from ncu_triage.view.axes import WIDTH
from ncu_triage.view.build import View, view
from ncu_triage.view.names import fitted
from ncu_triage.view.shown import Mark
from ncu_triage.view.shown_roof import StripRow

_ACROSS = LEFT + WIDTH + RIGHT
_HEAD, _FOOT, _ROW = 60.0, 36.0, 40.0
_LETTER = 7.0  # pixels, about
_MOST_ROWS = 12
_NAME = 34  # letters
_BAR_LEFT, _BAR_WIDTH = 300.0, 470.0
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Key(Struct, frozen=True):
    """An entry of the legend with its place."""

    x: float
    mark: Mark


class BarRow(Struct, frozen=True):
    """A kernel's bandwidth as a bar, with its place."""

    y: float
    mark: Mark
    name: str
    shape: str
    text: str
    width: float
    tick: float | None


class Sheet(Struct, frozen=True):
    """Everything in the picture: a roofline, or bars, or a sentence that says why neither."""

    width: float
    height: float
    inside: float
    title: str
    headline: str
    label: str
    still: Picture | None
    keys: list[Key]
    rows: list[BarRow]
    left: float
    most: float
    note: str


def render(diagnosis: Diagnosis) -> bytes:
    """Draw the roofline with the most time; kernels without a place on one, as bars."""
    text = template("picture.svg.j2").render(sheet=_sheet(view(diagnosis)), colours=COLOURS)
    return _NO_XML.sub("\N{REPLACEMENT CHARACTER}", text).encode()


def render_png(diagnosis: Diagnosis) -> bytes:
    """Draw the same in pixels, twice as many as points.

    Raises UsageError where the extra that draws is not installed.
    """
    try:
        import resvg_py
    except ImportError as error:
        raise UsageError(
            "a .png needs an extra: pip install 'ncu-triage[png]' (a .svg does not)"
        ) from error
    drawn: bytes = resvg_py.svg_to_bytes(svg_string=render(diagnosis).decode(), zoom=2)
    return bytes(drawn)


def _sheet(shown: View) -> Sheet:
    chart = shown.roofs.charts[0] if shown.roofs.charts else None
    still = picture(chart) if chart else None
    strip = [] if chart else shown.roofs.strip[:_MOST_ROWS]
    rows = _rows(strip)
    inside = still.height if still else _ROW * max(1, len(rows))
    shapes = [dot.mark for dot in chart.dots] if chart else [row.mark for row in strip]
    marks = {mark.kind: mark for mark in shapes}
    return Sheet(
        width=_ACROSS,
        height=_HEAD + inside + _FOOT,
        inside=inside,
        title=clip(shown.title, 80),
        headline=clip(shown.verdict.headline, 110),
        label=f"roofline, {chart.label}" if chart else "DRAM bandwidth of the longest kernels",
        still=still,
        keys=_keys([marks[kind] for kind in sorted(marks)]),
        rows=rows,
        left=_BAR_LEFT,
        most=_BAR_WIDTH,
        note="" if still or rows else _why_nothing(shown),
    )


def _keys(marks: Sequence[Mark]) -> list[Key]:
    """Put the legend's entries side by side."""
    x, keys = LEFT, []
    for mark in marks:
        keys.append(Key(x, mark))
        x += 36 + _LETTER * len(mark.label)
    return keys


def _rows(strip: Sequence[StripRow]) -> list[BarRow]:
    names = fitted(dict.fromkeys(row.name.short for row in strip), _NAME)
    return [
        BarRow(
            y=_ROW * i,
            mark=row.mark,
            name=names[row.name.short],
            shape=row.shape,
            text=row.text,
            width=_BAR_WIDTH * row.fill / 100,
            tick=None if row.tick is None else _BAR_LEFT + _BAR_WIDTH * row.tick / 100,
        )
        for i, row in enumerate(strip)
    ]


def _why_nothing(shown: View) -> str:
    why = [one.why for one in shown.roofs.unplaced]
    return clip(f"No kernel has a place: {why[0]}" if why else "There is no kernel.", 130)

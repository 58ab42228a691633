"""What a reader sees of the rooflines: points, roofs and axes, ready to plot."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ncu_triage.view.shown import Mark, Name


class Dot(Struct, frozen=True):
    """A kernel in a chart; `size` is a diameter in pixels, its area the share of time.

    `label` is empty where there is no room for a text beside the dot, `left` where there is
    room on that side only; `launch` is the one
    that speaks for the kernel. `tip` says where the dot lies, `about` what its kernel is,
    the same in every chart.
    """

    name: Name
    launch: str
    share: float | None
    mark: Mark
    x: float
    y: float
    size: float
    label: str
    left: bool
    tip: str
    about: list[str]

    @property
    def tips(self) -> list[str]:
        """All lines that a reader sees of a dot."""
        return [*self.about, self.tip]


class Line(Struct, frozen=True):
    """A roof from one point to another, in the axes' units."""

    label: str
    kind: Literal["bandwidth", "compute"]
    nominal: bool
    start: tuple[float, float]
    end: tuple[float, float]
    source: str


class Tick(Struct, frozen=True):
    """A mark on an axis."""

    at: float
    text: str


class Axis(Struct, frozen=True):
    """A logarithmic axis; `low` and `high` are powers of ten."""

    title: str
    unit: str
    low: float
    high: float
    ticks: list[Tick]


class Ridge(Struct, frozen=True):
    """Where the nominal bandwidth roof meets a compute roof.

    `left` says that its text has room only to the left; `row` counts the texts from below.
    """

    x: float
    y: float
    text: str
    left: bool
    row: int


class Caption(Struct, frozen=True):
    """A roof's text: below it to the right of a point, or above it to the left."""

    x: float
    y: float
    text: str
    above: bool


class Chart(Struct, frozen=True):
    """A roofline for one GPU, precision and memory level."""

    id: str
    label: str
    x: Axis
    y: Axis
    lines: list[Line]
    dots: list[Dot]
    captions: list[Caption]
    ridges: list[Ridge]
    notes: list[str]


class StripRow(Struct, frozen=True):
    """A kernel's bandwidth beside what its GPU can give; percent of the nominal peak."""

    name: Name
    shape: str
    mark: Mark
    text: str
    share: str
    fill: float
    tick: float | None


class Unplaced(Struct, frozen=True):
    """Kernels without a place, and why."""

    why: str
    kernels: list[Name]
    more: int
    share: str


class Roofs(Struct, frozen=True):
    """All rooflines, the one with the most time first, and what is in none of them."""

    charts: list[Chart]
    strip: list[StripRow]
    unplaced: list[Unplaced]
    marks: list[Mark]

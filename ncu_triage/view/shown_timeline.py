"""What a reader sees of a timeline: texts that are ready to print, and bars to draw."""

from __future__ import annotations

from msgspec import Struct

from ncu_triage.view.shown import Fact, Name


class TimePart(Struct, frozen=True):
    """A part of the end-to-end time; `kind` is the bar's colour."""

    kind: str
    label: str
    meaning: str
    fill: float
    share: str
    time: str


class GapRow(Struct, frozen=True):
    """One of the longest gaps."""

    begins: str
    duration: str
    why: str
    before: str
    after: str


class StretchRow(Struct, frozen=True):
    """A part of the program in which launch after launch came late."""

    begins: str
    duration: str
    idle: str
    launches: str


class RealKernelRow(Struct, frozen=True):
    """A profiled kernel in the program; of one that is not there only `missing` is told."""

    name: Name
    shape: str
    share: str
    fill: float
    time: str
    launches: str
    median: str
    profiled: str
    factor: str
    confidence: str
    remarks: list[str]
    missing: str | None = None


class BoundRow(Struct, frozen=True):
    """What a change could save at most, and what that rests on."""

    label: str
    at_most: str
    share: str
    fill: float
    rests_on: str


class TimelineView(Struct, frozen=True):
    """A timeline beside the report, in reading order; `refusal` where nothing is joined."""

    name: str
    refusal: str | None
    facts: list[Fact]
    headline: str
    sentences: list[str]
    parts: list[TimePart]
    gaps_summary: str | None
    gaps: list[GapRow]
    stretches: list[StretchRow]
    kernels: list[RealKernelRow]
    kernels_note: str | None
    unprofiled: str | None
    bounds: list[BoundRow]
    bounds_note: str
    cautions: list[str]
    in_short: list[str]

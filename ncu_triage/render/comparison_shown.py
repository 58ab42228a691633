"""What a reader sees of a comparison: texts that are ready to print.

A `tone` is better, worse or neutral. A `None` text stands for nothing to say.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ncu_triage.view.shown import Fact, Mark

Tone: TypeAlias = Literal["better", "worse", "neutral"]


class CaveatView(Struct, frozen=True):
    """A reason for care, and what it does to the numbers."""

    text: str
    effect: str
    refuses: bool


class Measured(Struct, frozen=True):
    """A measure before and after, its change, and the spread that it was held against."""

    label: str
    before: str
    after: str
    change: str
    noise: str
    verdict: str
    tone: Tone


class Move(Struct, frozen=True):
    """A quantity before and after."""

    label: str
    before: str
    after: str
    basis: str | None
    tone: Tone


class Reason(Struct, frozen=True):
    """A part of the explanation, with the numbers that moved."""

    label: str
    tone: Tone
    moves: list[Move]


class FindingLine(Struct, frozen=True):
    """A finding that went, came, or cannot be decided any more."""

    fate: str
    tone: Tone
    rule: str
    title: str
    severity: str


class KernelRow(Struct, frozen=True):
    """A kernel that both sides have, with all that is to be said of it.

    `name` is the one after; `renamed` the one before, where that is another. The measure
    to judge by comes first, and there is none where neither side has one.
    """

    name: str
    full: str
    renamed: str | None
    shape: str
    launches: str
    measures: list[Measured]
    saved: str
    share: str
    marks: list[Mark]
    confidences: str
    match: str | None
    findings: list[FindingLine]
    reasons: list[Reason]
    units: list[Move]
    notes: list[str]


class AloneRow(Struct, frozen=True):
    """A kernel that only one side has."""

    name: str
    full: str
    shape: str
    launches: str
    time: str
    mark: Mark


class TimeRow(Struct, frozen=True):
    """A bottleneck's part of the time on both sides."""

    mark: Mark
    before: str
    after: str


class GateRow(Struct, frozen=True):
    """A condition that did not simply pass, and why."""

    state: str
    tone: Tone
    condition: str
    about: str
    expected: str
    found: str
    evidence: list[str]
    reason: str | None


class GateView(Struct, frozen=True):
    """How the gate ended, and the rows that say why; `passed` counts the others."""

    sentence: str
    rows: list[GateRow]
    passed: int


class ComparisonView(Struct, frozen=True):
    """All that a reader sees of a comparison, in reading order."""

    title: str
    facts: list[Fact]
    headline: str
    sentences: list[str]
    caveats: list[CaveatView]
    totals: list[Measured]
    times: list[TimeRow]
    kernels: list[KernelRow]
    only_before: list[AloneRow]
    only_after: list[AloneRow]
    gate: GateView | None
    tool: str

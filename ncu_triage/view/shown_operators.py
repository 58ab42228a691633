"""What a reader sees of operators: texts that are ready to print."""

from __future__ import annotations

from msgspec import Struct

from ncu_triage.view.shown import Fact, Name


class OperatorRow(Struct, frozen=True):
    """A number in theory, as measured, and the one over the other; None: not said."""

    label: str
    theory: str
    measured: str | None
    ratio: str | None
    note: str | None


class BestRow(Struct, frozen=True):
    """A GPU's best time, at nominal and at achievable bandwidth, and what limits it."""

    gpu: str
    nominal: str
    achievable: str
    limit: str
    source: str


class OperatorView(Struct, frozen=True):
    """An operator's card: what it is, its numbers side by side, and how they were got.

    `time`, `best`, `above`, `over_best` and `traffic` are the same numbers for a table of all;
    `cards` are the anchors of all its kernels, of which `kernels` names the first.
    """

    anchor: str
    name: str
    title: str
    shape: str
    calls: str
    launches: str
    sentence: str
    time: str
    best: str
    above: str
    over_best: str
    traffic: str
    rows: list[OperatorRow]
    roofs: list[BestRow]
    roofs_note: str | None
    notes: list[str]
    formulas: list[Fact]
    kernels: list[Name]
    more: int
    cards: list[str]

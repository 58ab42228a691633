"""What a reader sees: texts that are ready to print, and numbers that are ready to plot.

A `None` text stands for nothing to say; a missing number is said as such in a text
("not collected"), never as 0. Shares and fills are percent, 0-100.
"""

from __future__ import annotations

from msgspec import Struct


class Fact(Struct, frozen=True):
    """A label with what stands behind it."""

    label: str
    text: str


class Name(Struct, frozen=True):
    """A kernel's short name, its full one where that says more, and its card's anchor."""

    short: str
    full: str | None
    anchor: str


class Mark(Struct, frozen=True):
    """A bottleneck as it is shown: a text, and a shape beside the colour."""

    kind: str
    label: str
    shape: str


class Verdict(Struct, frozen=True):
    """What limits the report as a whole, and how sure that is."""

    headline: str
    sentences: list[str]


class Saving(Struct, frozen=True):
    """What a fix could save, as text; `fills` are shares of the whole report's time."""

    expected: str
    at_most: str
    expected_share: str
    at_most_share: str
    expected_fill: float
    at_most_fill: float
    of: str = "of the time"


class PriorityView(Struct, frozen=True):
    """A rule to act on first, with the kernels that it concerns.

    `beside` is what the time says by which it is not ranked; `missing` marks what the
    timeline, by whose time the others are ranked, does not hold.
    """

    title: str
    confidence: str
    saving: Saving
    kernels: list[Name]
    more: int
    launches: str
    beside: str | None = None
    missing: bool = False


class Ranking(Struct, frozen=True):
    """By which time the priorities are ranked, in full and in a heading.

    `missing` stands over those that cannot be ranked so.
    """

    text: str
    short: str
    more_than_any: str | None = None
    missing: str | None = None


class Notice(Struct, frozen=True):
    """A reason to read the numbers with care, and for which kernels.

    `concerned` counts them, shapes of one kernel apart: "2 of 9 kernels".
    """

    text: str
    effect: str
    kernels: list[Name]
    more: int
    concerned: str = ""


class Bar(Struct, frozen=True):
    """A unit's utilisation; `fill` is None where the number is missing.

    `basis` is the denominator's short name, `of` says it in words. `tick` is what could
    be had at most (theoretical occupancy), on the same scale. `rough` is an estimate.
    """

    label: str
    text: str
    fill: float | None
    basis: str | None
    of: str | None
    note: str | None
    origin: str | None
    tick: float | None = None
    rough: bool = False


class StallBar(Struct, frozen=True):
    """A warp state's share; `quiet` where the warp was not held back."""

    label: str
    text: str
    fill: float
    meaning: str | None
    quiet: bool


class StallsView(Struct, frozen=True):
    """The warp states, longest first; the small ones as a sentence."""

    source: str
    bars: list[StallBar]
    rest: str | None


class EvidenceRow(Struct, frozen=True):
    """A number of a finding beside the limit that it was held against."""

    label: str
    value: str
    limit: str | None
    basis: str | None
    origin: str | None


class GainView(Struct, frozen=True):
    """What a fix could save `of` some time, and what limits it then."""

    expected: str
    at_most: str
    limited_by: str
    time: str | None
    of: str = "the kernel's time"


class Place(Struct, frozen=True):
    """A place in the code with its share of a finding."""

    code: str
    share: str


class PartView(Struct, frozen=True):
    """Launches of which a finding about the whole speaks, and its numbers of them.

    `between` stands between the kernels' names: an arrow where they follow each other.
    """

    kernels: list[Name]
    more: int
    between: str
    shape: str
    launches: str
    share: str
    numbers: str


class PartsView(Struct, frozen=True):
    """The launches of a finding about the whole, those of the most time first."""

    rows: list[PartView]
    rest: str | None = None


class FindingView(Struct, frozen=True):
    """A finding with those that are its consequences.

    `told` names an earlier card with the same finding, whose words a brief one need not repeat.
    """

    rule: str
    severity: str
    confidence: str
    title: str
    cause: str
    evidence: list[EvidenceRow]
    remedies: list[str]
    gain: GainView | None
    places: list[Place]
    nvidia: list[str]
    consequences: list[FindingView]
    told: Name | None = None
    parts: PartsView | None = None


class UndecidedView(Struct, frozen=True):
    """A rule without the numbers for a decision, and how to get them; `title` is its name."""

    rule: str
    title: str
    missing: str
    collect: str
    kernels: int
    share: str | None


class NumberRow(Struct, frozen=True):
    """A quantity's value; its origin where it is not the usual one that the method gives."""

    label: str
    value: str
    basis: str | None
    origin: str | None


class NvidiaView(Struct, frozen=True):
    """A message of NVIDIA's rules, with its own estimate."""

    title: str
    text: str
    estimate: str | None


class LaunchRow(Struct, frozen=True):
    """One launch of a group."""

    id: str
    anchor: str
    duration: str
    stream: str
    mark: Mark


class Card(Struct, frozen=True):
    """Everything about a group of identical launches, told by the launch that speaks for it.

    One of very many is `brief`: an output may leave out what the table or the JSON has.
    """

    name: Name
    facts: list[Fact]
    mark: Mark
    confidence: str
    sentence: str
    mixed: list[str]
    notices: list[Fact]
    bars: list[Bar]
    pipes: list[Bar]
    stalls: StallsView | None
    roof: list[str]
    what_if: list[str]
    findings: list[FindingView]
    undecided: list[UndecidedView]
    failures: list[Fact]
    numbers: list[NumberRow]
    absent: list[Fact]
    nvidia: list[NvidiaView]
    launches: list[LaunchRow]
    nvtx: str | None
    brief: bool


class Cell(Struct, frozen=True):
    """A table's cell: its text, and the number by which to sort (None goes last)."""

    text: str
    sort: float | None
    note: str | None = None


class Row(Struct, frozen=True):
    """A group in the kernel table; `rules` are places in the table's list of rules."""

    name: Name
    shape: str
    launches: Cell
    median: Cell
    p99: Cell
    share: Cell
    mark: Mark
    confidence: str
    keys: list[Cell]
    finding: str | None
    more_findings: int
    rules: list[int]


class KeyColumn(Struct, frozen=True):
    """A percentage's column in the kernel table, with its usual denominator."""

    label: str
    basis: str | None


class Table(Struct, frozen=True):
    """The kernel table, longest first, with what it can be filtered by."""

    keys: list[KeyColumn]
    rows: list[Row]
    marks: list[Mark]
    rules: list[Fact]


class TimeShare(Struct, frozen=True):
    """A bottleneck's part of the time."""

    mark: Mark
    fill: float
    share: str
    time: str
    kernels: int


class KernelTime(Struct, frozen=True):
    """A kernel's part of the time."""

    name: Name
    shape: str
    mark: Mark
    fill: float
    share: str
    time: str


class KernelTimes(Struct, frozen=True):
    """The longest kernels, and what all others take together; None where there are none."""

    longest: list[KernelTime]
    rest: str | None


class MethodRow(Struct, frozen=True):
    """What a quantity means and where its numbers come from."""

    label: str
    id: str
    unit: str
    basis: str | None
    origin: str


class Method(Struct, frozen=True):
    """How the numbers came about: quantities, denominators, settings, and the ceilings."""

    rows: list[MethodRow]
    bases: list[Fact]
    facts: list[Fact]
    ceilings: list[Fact]

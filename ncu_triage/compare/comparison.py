"""The frozen types of a comparison, which every output and gate of it works from.

SI base units, percent as 0-100, as in the diagnosis. A change in percent is of the value
before: -30 is a third less. Fields may be added within one schema version.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from ncu_triage.model import Bottleneck, Confidence, Evidence, Extent, Severity

COMPARISON_VERSION = 1

Measure: TypeAlias = Literal["time", "cycles"]
Verdict: TypeAlias = Literal["faster", "slower", "same"]
How: TypeAlias = Literal[
    "name-and-shape",
    "spelling",
    "other-grid",
    "other-shape",
    "other-arguments",
    "other-numbers",
    "renamed",
    "chosen",
]
Fate: TypeAlias = Literal["gone", "new", "kept", "undecided"]
Topic: TypeAlias = Literal[
    "gpu",
    "clock-control",
    "cache-control",
    "replay-mode",
    "set",
    "metric-meaning",
    "sm-clock",
    "memory-clock",
    "ceilings",
    "ncu-version",
    "rules",
    "launches",
    "incomplete",
    "same-file",
]


class Side(Struct, frozen=True, kw_only=True):
    """What one side of the comparison is: its files, their profiler and GPUs.

    `lost` says what of the files could not be read. `kernel_rules` and `report_rules` are
    those that judged; None where that is not known.
    """

    sources: list[str]
    ncu_versions: list[str]
    devices: list[str]
    tool: str
    rules: str
    launches: int
    duration: float | None
    time_by_bottleneck: dict[str, float]
    lost: str | None = None
    kernel_rules: list[str] | None = None
    report_rules: list[str] | None = None


class Caveat(Struct, frozen=True, kw_only=True):
    """A reason why numbers of the two sides must not be compared, or only with care.

    `refuses` marks those that a strict comparison does not accept.
    """

    topic: Topic
    refuses: bool
    text: str
    effect: str


class Change(Struct, frozen=True, kw_only=True):
    """A measure before and after, and whether it moved by more than its spread.

    `noise_pct` is one standard deviation of the change. It is `assumed` where too few
    launches were profiled to measure it.
    """

    before: float
    after: float
    change_pct: float
    noise_pct: float
    sigmas: float
    spread: Literal["measured", "assumed"]
    verdict: Verdict


class Launches(Struct, frozen=True, kw_only=True):
    """One kernel on one side: its launches, and the one of median duration.

    `spread_pct` is a robust standard deviation of the launches' durations, in percent of
    their median; None below four launches.
    """

    name: str
    demangled: str
    grid: Extent | None
    block: Extent | None
    launches: int
    speaker: str
    total: float | None
    median: float | None
    spread_pct: float | None
    cycles: float | None
    sm_clock: float | None
    bottleneck: Bottleneck


class Match(Struct, frozen=True, kw_only=True):
    """How two kernels were recognised as the same, and how sure that is."""

    how: How
    confidence: Confidence


class BottleneckChange(Struct, frozen=True, kw_only=True):
    """What limits the kernel now instead; `sure` where both sides are at least medium."""

    before: str
    after: str
    sure: bool


class FindingChange(Struct, frozen=True, kw_only=True):
    """A rule that fired on either side; `undecided` lacks the numbers on the other one."""

    rule: str
    fate: Fate
    title: str
    before: Severity | None
    after: Severity | None
    evidence: list[Evidence]


class Movement(Struct, frozen=True, kw_only=True):
    """A quantity before and after; `helps` says whether that way is the better one."""

    quantity: str
    label: str
    unit: str
    basis: str | None
    before: float
    after: float
    helps: bool | None = None


class Theme(Struct, frozen=True, kw_only=True):
    """A part of the explanation: what it is about, by a rule's id where there is one."""

    id: str
    label: str
    helps: bool | None
    movements: list[Movement]


class KernelChange(Struct, frozen=True, kw_only=True):
    """A kernel that both sides have.

    `measure` is what to judge by: time, or cycles where the clocks moved, or nothing.
    `saved` is in seconds, over as many launches as both sides have. `undecided` names the
    rules that could not be decided after, with the message of those that `failed`.
    `occasional` are the findings after of fewer than half of the launches.
    """

    id: int
    match: Match
    before: Launches
    after: Launches
    measure: Measure | None
    time: Change | None
    cycles: Change | None
    paired: int
    saved: float | None
    share_pct: float | None
    bottleneck: BottleneckChange | None
    findings: list[FindingChange]
    undecided: list[str]
    units: list[Movement]
    explanation: list[Theme]
    notes: list[str]
    occasional: list[FindingChange] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def change(self) -> Change | None:
        """The change in the measure to judge by."""
        return {"time": self.time, "cycles": self.cycles, None: None}[self.measure]


class Alone(Struct, frozen=True, kw_only=True):
    """A kernel that only one side has."""

    launches: Launches
    findings: list[FindingChange]
    undecided: list[str]
    occasional: list[FindingChange] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


class Report(Struct, frozen=True, kw_only=True):
    """What the rules about the whole said of either report."""

    findings: list[FindingChange] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)


class Totals(Struct, frozen=True, kw_only=True):
    """The whole, over as many launches of each kernel as both sides have.

    `unmatched` seconds are those of kernels or launches that only one side has. `overall`
    is the change with these, in the same measure; None where there are none, or where one
    launch lacks its number.
    """

    measure: Measure | None
    time: Change | None
    cycles: Change | None
    launches: int
    unmatched_before: float
    unmatched_after: float
    overall: Change | None = None

    @property
    def change(self) -> Change | None:
        """The change in the measure to judge by."""
        return {"time": self.time, "cycles": self.cycles, None: None}[self.measure]


class Comparison(Struct, frozen=True, kw_only=True):
    """Two diagnoses held against each other, kernels by the time that they matter."""

    schema_version: int = COMPARISON_VERSION
    before: Side
    after: Side
    caveats: list[Caveat]
    totals: Totals
    kernels: list[KernelChange]
    only_before: list[Alone]
    only_after: list[Alone]
    report: Report = field(default_factory=Report)

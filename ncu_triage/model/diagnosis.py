"""The result over all launches: the seam between judging and every output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct, field

from ncu_triage.model.kernel import CatalogueEntry, Device
from ncu_triage.model.launch import Settings, Source
from ncu_triage.model.operators import Operator
from ncu_triage.model.verdict import Finding, KernelDiagnosis, RuleFailure, Undecided
from ncu_triage.model.words import SCHEMA_VERSION, Confidence, Extent, Workload

if TYPE_CHECKING:
    from ncu_triage.model.timeline import Timeline


class Spread(Struct, frozen=True, kw_only=True):
    """Durations of a group's launches in seconds."""

    total: float | None
    median: float | None
    p99: float | None
    first: float | None


class Group(Struct, frozen=True, kw_only=True):
    """Launches of one kernel with one shape; or a range, a graph or a command list.

    `representative` is the id of the launch that speaks for all: of median duration among
    those with the bottleneck that holds most of the time. `confidence` is that of its verdict,
    lower where much of the time goes to launches with another one.
    """

    id: int
    name: str
    grid: Extent | None
    block: Extent | None
    launches: int
    duration: Spread
    workload: Workload = "kernel"
    representative: str | None = None
    confidence: Confidence | None = None


class TimeSaved(Struct, frozen=True, kw_only=True):
    """Seconds over all launches that a priority speaks of."""

    expected: float
    at_most: float


class InProgram(Struct, frozen=True, kw_only=True):
    """What a priority could save of the program, by the timeline of it.

    `share_pct` is of the end-to-end time; launches without a counterpart do not count. Where
    kernels run side by side, each moment counts once. `confidence` is the priority's own, or
    that of the match where that is less.
    """

    time_saved: TimeSaved
    share_pct: float
    launches_unmatched: int
    confidence: Confidence | None = None


class Priority(Struct, frozen=True, kw_only=True):
    """A rule over all kernels it fired on, ranked by the seconds it could save.

    `share_pct` is the expected saving of the time of all launches. Beside a timeline,
    `in_program` ranks instead; it is None where the timeline holds none of the launches.
    """

    rule: str
    title: str
    kernels: list[str]
    time_saved: TimeSaved
    share_pct: float
    confidence: Confidence = "high"
    in_program: InProgram | None = None


class CollectNext(Struct, frozen=True, kw_only=True):
    """The one profiler call that would decide most of what is undecided."""

    command: str
    why: str
    passes: str | None = None


class Tool(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The program that judged, and the version of its rules.

    `kernel_rules` and `report_rules` are the ids of those that judged each kernel and the
    report as a whole; None where that is not known.
    """

    name: str
    version: str
    rules: str
    kernel_rules: list[str] | None = None
    report_rules: list[str] | None = None


class Totals(Struct, frozen=True, kw_only=True):
    """Launches and seconds over the whole report."""

    launches: int
    duration: float | None
    time_by_bottleneck: dict[str, float]


class AssumedRoof(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A roof of a GPU: nominal, and what is taken to be achievable of it.

    In byte/s or FLOP/s; `achievable` is None where nothing below nominal is known, and
    `source` then says where the nominal value comes from. `reference` is the kernel that
    a measured one was taken from, `mix` what DRAM did meanwhile.
    """

    kind: Literal["compute", "bandwidth"]
    name: str
    nominal: float
    source: str
    achievable: float | None = None
    reference: str | None = None
    launches: int | None = None
    mix: str | None = None


class Balance(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The FLOP/byte at which a precision's roof meets DRAM's: the ridge.

    `nominal` and `achievable` at the report's clocks, `at_boost_clock` at the product's.
    """

    precision: str
    nominal: float | None = None
    achievable: float | None = None
    at_boost_clock: float | None = None


class DeviceCeilings(Struct, frozen=True, kw_only=True):
    """What a GPU of the report is taken to reach, and where that comes from.

    `assumed_pct` is the percentage of its peak that any unit is taken to reach for which
    `measured_pct` (by quantity) has none.
    """

    device: int
    roofs: list[AssumedRoof]
    balance: list[Balance]
    assumed_pct: float
    measured_pct: dict[str, float] = field(default_factory=dict)


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The result of a triage: the seam between judging and every output.

    `findings`, `undecided` and `rule_errors` are those of the rules about the whole.
    `ranked_by` says whose time the priorities' order goes by, and `timeline` what a timeline
    of the program says, where one was given.
    """

    schema_version: int = SCHEMA_VERSION
    tool: Tool
    sources: list[Source]
    devices: list[Device]
    collection: Settings
    totals: Totals
    catalogue: dict[str, CatalogueEntry]
    kernels: list[KernelDiagnosis]
    groups: list[Group]
    findings: list[Finding]
    priorities: list[Priority]
    collect_next: CollectNext | None
    operators: list[Operator] = field(default_factory=list)
    ranked_by: Literal["report", "timeline"] = "report"
    timeline: Timeline | None = None
    ceilings: list[DeviceCeilings] = field(default_factory=list)
    undecided: list[Undecided] = field(default_factory=list)
    rule_errors: list[RuleFailure] = field(default_factory=list)


def decodable() -> type[Diagnosis]:
    """Return the type with all that it refers to in place, for decoders and schemas.

    Few diagnoses have a timeline, and its types cost every run a millisecond.
    """
    from ncu_triage.model import timeline

    globals()["Timeline"] = timeline.Timeline
    return Diagnosis

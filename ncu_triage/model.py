"""The frozen types that pass between the layers.

`Launch` is what a reader gives, `Kernel` what the quantities make of it, and
`Diagnosis` the one object that every output works from. SI base units throughout
(s, Hz, byte, byte/s, FLOP/s), percent as 0-100, stall shares as 0-1.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct, field

Workload: TypeAlias = Literal["kernel", "range", "graph", "cmdlist"]
Extent: TypeAlias = tuple[int, int, int]
Value: TypeAlias = float | str | list[str] | dict[str, float]
Absence: TypeAlias = Literal[
    "not-collected", "no-value", "nan", "not-on-this-gpu", "not-applicable", "suspect"
]
BottleneckKind: TypeAlias = Literal[
    "dram-bandwidth",
    "l2-bandwidth",
    "l1-shared-bandwidth",
    "compute-pipe",
    "issue-bound",
    "latency",
    "underfilled",
    "launch-dominated",
    "insufficient-data",
]
Confidence: TypeAlias = Literal["high", "medium", "low"]
Severity: TypeAlias = Literal["high", "medium", "low", "info"]

SCHEMA_VERSION = 1
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")


class NvidiaRule(Struct, frozen=True, kw_only=True):
    """A message of NVIDIA's own rules, carried along and never the ranking."""

    rule: str
    section: str
    kind: Literal["none", "ok", "warning", "error", "optimization"]
    title: str
    text: str
    speedup_pct: float | None = None
    scope: Literal["unknown", "local", "global"] | None = None


class Launch(Struct, frozen=True, kw_only=True):
    """One profiled workload as the file holds it.

    `metrics` has finite numbers and strings only, in the file's base units (ns, Hz,
    byte, %, cycle, inst); `valueless` names metrics that exist without an aggregate,
    `nan` those whose value is not a number, `suspect` those that were taken out because
    they cannot be this launch's. `histograms` holds the instance lists
    that are keyed by text (opcode -> count).
    """

    id: str
    name: str
    demangled: str
    workload: Workload = "kernel"
    grid: Extent | None = None
    block: Extent | None = None
    process: int | None = None
    device: int | None = None
    context: int | None = None
    context_name: str | None = None
    stream: int | None = None
    stream_name: str | None = None
    nvtx: tuple[str, ...] = ()
    metrics: Mapping[str, float | str]
    valueless: frozenset[str] = frozenset()
    nan: frozenset[str] = frozenset()
    suspect: frozenset[str] = frozenset()
    histograms: Mapping[str, Mapping[str, float]] = {}
    sections: tuple[str, ...] = ()
    rules: tuple[NvidiaRule, ...] = ()


class Source(Struct, frozen=True, kw_only=True):
    """An input file: what it was, and how much of it could be read.

    `private` is what the file says about its origin (host, program, command line), by
    label; it is empty unless the user asked to see it.
    """

    name: str
    sha256: str
    format: str
    ncu_version: str | None = None
    complete: bool = True
    lost_launches: int = 0
    notes: list[str] = field(default_factory=list)
    private: dict[str, str] = field(default_factory=dict)


class Settings(Struct, frozen=True, kw_only=True):
    """How the profile was taken; None where the file does not say."""

    sections: list[str] = field(default_factory=list)
    set: str | None = None
    clock_control: str | None = None
    cache_control: str | None = None
    replay_mode: str | None = None


class Device(Struct, frozen=True, kw_only=True):
    """A GPU of the report, from the attributes stored with each launch."""

    name: str
    compute_capability: str
    sm_count: int | None = None
    l2_bytes: float | None = None
    dram_peak_bandwidth: float | None = None
    integrated: bool = False


class Provenance(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a quantity's value came from: one metric, or a formula over inputs."""

    metric: str | None = None
    formula: str | None = None
    inputs: list[str] = field(default_factory=list)
    estimated: bool = False


class CatalogueEntry(Provenance, frozen=True, kw_only=True, omit_defaults=True):
    """What a quantity means: its unit, label, denominator and usual origin."""

    unit: str
    label: str
    basis: str | None = None


class Stalls(Struct, frozen=True, kw_only=True):
    """The warp-state distribution; `fractions` sum to 1, `selected` included."""

    source: Literal["hardware", "sampling"]
    fractions: dict[str, float]
    samples: int | None = None


class RooflinePoint(Struct, frozen=True, kw_only=True):
    """A kernel on one roofline; `kind` says what the vertical axis counts."""

    precision: str
    level: str
    intensity: float
    performance: float


class Ceiling(Struct, frozen=True, kw_only=True):
    """A roof: FLOP/s for a compute roof, byte/s for a bandwidth roof."""

    kind: Literal["compute", "bandwidth"]
    name: str
    value: float
    nominal: bool
    source: str


class Roofline(Struct, frozen=True, kw_only=True):
    """Where a kernel lies under its roofs, or why it cannot be placed."""

    placed: bool
    points: list[RooflinePoint] = field(default_factory=list)
    ceilings: list[Ceiling] = field(default_factory=list)
    why_not: str | None = None
    note: str | None = None


class MeasurementWarning(Struct, frozen=True, kw_only=True):
    """Why a number of this kernel must be read with care, and what that changes."""

    warning: str
    effect: str


class Kernel(Struct, frozen=True, kw_only=True):
    """A launch with its derived quantities, before any judgement.

    `device` is an index into the diagnosis' devices, not the file's own number.
    """

    id: str
    name: str
    demangled: str
    workload: Workload
    grid: Extent | None
    block: Extent | None
    device: int | None
    stream: int | None
    nvtx: list[str]
    quantities: dict[str, Value]
    provenance: dict[str, Provenance]
    absent: dict[str, Absence]
    stalls: Stalls | None
    roofline: Roofline
    measurement: list[MeasurementWarning]
    nvidia_rules: list[NvidiaRule]
    context_name: str | None = None
    stream_name: str | None = None


class Bottleneck(Struct, frozen=True, kw_only=True):
    """What limits a kernel: exactly one kind, with a sentence that gives the numbers."""

    kind: BottleneckKind
    confidence: Confidence
    cause: str
    sentence: str


class Evidence(Struct, frozen=True, kw_only=True):
    """A number that a finding rests on, with the limit it was held against."""

    quantity: str
    value: float | str
    unit: str
    basis: str | None = None
    operator: str | None = None
    threshold: float | None = None


class Gain(Struct, frozen=True, kw_only=True):
    """How much of the kernel's time a fix could save, and what limits that."""

    expected_pct: float
    at_most_pct: float
    limited_by: str


class Where(Struct, frozen=True, kw_only=True):
    """A place in the code that carries a share of a finding."""

    file: str | None = None
    line: int | None = None
    sass: str | None = None
    share: float


class Finding(Struct, frozen=True, kw_only=True):
    """A rule that fired: what is wrong, by which numbers, and what to do."""

    rule: str
    severity: Severity
    confidence: Confidence
    title: str
    cause: str
    because_of: str | None
    evidence: list[Evidence]
    remedies: list[str]
    gain: Gain | None = None
    where: list[Where] = field(default_factory=list)
    nvidia: list[str] = field(default_factory=list)


class Undecided(Struct, frozen=True, kw_only=True):
    """A rule that could not be decided, and what to collect for it."""

    rule: str
    missing: list[str]
    collect: str


class RuleFailure(Struct, frozen=True, kw_only=True):
    """A rule whose evaluation failed; the run went on without it."""

    rule: str
    message: str


class KernelDiagnosis(Kernel, frozen=True, kw_only=True):
    """A kernel with its judgement."""

    group: int
    bottleneck: Bottleneck
    findings: list[Finding]
    undecided: list[Undecided]
    rule_errors: list[RuleFailure] = field(default_factory=list)


class Spread(Struct, frozen=True, kw_only=True):
    """Durations of a group's launches in seconds."""

    total: float | None
    median: float | None
    p99: float | None
    first: float | None


class Group(Struct, frozen=True, kw_only=True):
    """Launches of one kernel with one shape."""

    id: int
    name: str
    grid: Extent | None
    block: Extent | None
    launches: int
    duration: Spread


class TimeSaved(Struct, frozen=True, kw_only=True):
    """Seconds over all launches that a priority speaks of."""

    expected: float
    at_most: float


class Priority(Struct, frozen=True, kw_only=True):
    """A rule over all kernels it fired on, ranked by the seconds it could save.

    `share_pct` is the expected saving of the time of all launches.
    """

    rule: str
    title: str
    kernels: list[str]
    time_saved: TimeSaved
    share_pct: float
    confidence: Confidence = "high"


class CollectNext(Struct, frozen=True, kw_only=True):
    """The one profiler call that would decide most of what is undecided."""

    command: str
    why: str
    passes: str | None = None


class Tool(Struct, frozen=True, kw_only=True):
    """The program that judged, and the version of its rules."""

    name: str
    version: str
    rules: str


class Totals(Struct, frozen=True, kw_only=True):
    """Launches and seconds over the whole report."""

    launches: int
    duration: float | None
    time_by_bottleneck: dict[str, float]


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The result of a triage: the seam between judging and every output."""

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

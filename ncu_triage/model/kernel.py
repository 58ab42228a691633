"""A launch with its derived quantities, before any judgement."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from ncu_triage.model.launch import NvidiaRule
from ncu_triage.model.words import Absence, Extent, Value, Workload


class Device(Struct, frozen=True, kw_only=True):
    """A GPU of the report, from the attributes stored with each launch."""

    name: str
    compute_capability: str
    sm_count: int | None = None
    l2_bytes: float | None = None
    dram_peak_bandwidth: float | None = None
    integrated: bool = False


class Provenance(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Where a quantity's value came from: one metric, or a formula over inputs.

    `estimated` is not measured, but close; `rough` (then also estimated) can be off by half,
    so that nothing may be held against it as if it were measured.
    """

    metric: str | None = None
    formula: str | None = None
    inputs: list[str] = field(default_factory=list)
    estimated: bool = False
    rough: bool = False


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

"""What a user says a kernel computes, in theory and as measured."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field


class OperatorTensor(Struct, frozen=True, kw_only=True):
    """A tensor that has to be read or written once; `bytes` = elements * size of the type."""

    name: str
    access: Literal["read", "written"]
    elements: float
    type: str
    bytes: float
    formula: str


class OperatorBest(Struct, frozen=True, kw_only=True):
    """The least time of one call under one pair of roofs, in seconds.

    `bandwidth` (byte/s) and `compute` (FLOP/s) are the roofs, None where one is unknown;
    `limited_by` is "dram" or the precision of the compute roof. The compute roof is the same
    in both: only for DRAM is it known what can be had.
    """

    gpu: str
    nominal: bool
    time: float
    limited_by: str
    bandwidth: float | None = None
    compute: float | None = None
    precision: str | None = None
    bandwidth_source: str | None = None
    compute_source: str | None = None


class OperatorMeasured(Struct, frozen=True, kw_only=True):
    """What the launches of an operator took, divided by its calls; None where not collected.

    Seconds, bytes that DRAM moved, and FLOPs that were counted.
    """

    duration: float | None = None
    dram_bytes: float | None = None
    flops: float | None = None
    estimated: bool = False


class Operator(Struct, frozen=True, kw_only=True):
    """An operator: its work and least traffic in theory, and what its launches measured.

    Everything is of one call. `defaults` are the dimensions that were not given. `kernels`
    are the ids of the launches that make up all `calls`.
    `padded` holds the dimensions that are computed larger than they are, `useful_pct` the
    share of the work that is left after that. `traffic_amplification` is DRAM bytes over
    least bytes, `work_amplification` FLOPs counted over FLOPs in theory, `time_over_best`
    the time over the best that can be achieved. `intensity_measured` is FLOPs counted over
    DRAM bytes, or FLOPs in theory over them where none were counted. `doubtful` says that
    the numbers speak against the shape, the type or the calls; the first note says which.
    What cannot be said is in `absent`, with the reason.
    """

    name: str
    kind: str
    title: str
    shape: dict[str, float | bool]
    defaults: list[str] = field(default_factory=list)
    type: str
    flops: float
    flops_formula: str
    tensors: list[OperatorTensor]
    bytes_read: float
    bytes_written: float
    intensity: float
    padded: dict[str, float] = field(default_factory=dict)
    useful_pct: float | None = None
    kernels: list[str] = field(default_factory=list)
    calls: int | None = None
    measured: OperatorMeasured | None = None
    best: list[OperatorBest] = field(default_factory=list)
    intensity_measured: float | None = None
    traffic_amplification: float | None = None
    work_amplification: float | None = None
    time_over_best: float | None = None
    doubtful: bool = False
    absent: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

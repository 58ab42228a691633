"""What joins a report with a timeline: which kernels are one, and what they really take."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from ncu_triage.model import Confidence, Extent
from ncu_triage.timeline.measure.intervals import Union

How: TypeAlias = Literal["mangled", "name", "spelling", "unscoped", "loose"]
Reason: TypeAlias = Literal[
    "absent", "other-grid", "other-gpu", "no-shape", "ambiguous", "in-graphs", "no-kernel"
]
LEVELS: tuple[Confidence, ...] = ("low", "medium", "high")
WEIGHTY = 0.1  # share of a sum from which a group's doubt is the whole's
Order: TypeAlias = Literal["whole", "window", "subsequence", "groups"]


class MatchedGroup(Struct, frozen=True, kw_only=True):
    """A group of the report, and the launches of the timeline that are the same.

    The same name, grid and block on the same kind of GPU. `ran` is when one of them ran, by
    GPU, `covered_ns` how long that is, and the shares are of that: of the GPUs' busy time, and
    of the time from the first work to the last. `shared_ns` divides each moment among the
    kernels that run in it. `factor` is profiled over real time, `clock_ratio` what the
    clocks explain of it at most.
    """

    group: int
    name: str
    grid: Extent
    block: Extent
    how: How
    confidence: Confidence
    profiled: int
    launches: int
    time_ns: int
    covered_ns: int
    shared_ns: float
    ran: dict[int, Union]
    share_of_busy: float
    share_of_end_to_end: float
    median_ns: int
    profiled_median_ns: float | None = None
    factor: float | None = None
    clock_ratio: float | None = None
    remarks: tuple[str, ...] = ()


class UnmatchedGroup(Struct, frozen=True, kw_only=True):
    """A group of the report that has no counterpart, and why."""

    group: int
    name: str
    reason: Reason
    text: str


class Match(Struct, frozen=True, kw_only=True):
    """A report beside a timeline; `reason` says why the two are not comparable.

    `order` tells how the report's launches lie in the timeline: all of them, in a row,
    apart from each other but in one way only, or only group by group. `real_ns` has the
    real time of each launch that has one certain counterpart, by the launch's id.
    `profiled_share` is the part of the report's time whose kernels were found. The groups'
    shares are of `busy_ns` and of `end_to_end_ns`.
    """

    comparable: bool
    reason: str | None = None
    confidence: Confidence = "low"
    gpu_sure: bool = False
    order: Order = "groups"
    groups: tuple[MatchedGroup, ...] = ()
    unmatched: tuple[UnmatchedGroup, ...] = ()
    profiled_share: float = 0.0
    real_ns: dict[str, int] = {}
    busy_ns: int = 0
    end_to_end_ns: int = 0

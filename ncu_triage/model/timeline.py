"""What a timeline of the program says beside a report, in the units of a diagnosis.

Seconds, bytes, Hz; percent as 0-100. Times of several GPUs are summed. Nanoseconds are whole
in the file, and so is every time here as far as a float holds it.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from ncu_triage.model.verdict import Evidence
from ncu_triage.model.words import Confidence, Extent

FoundBy: TypeAlias = Literal["mangled", "name", "spelling", "unscoped", "loose"]
Order: TypeAlias = Literal["whole", "window", "subsequence", "groups"]
Missing: TypeAlias = Literal[
    "absent", "other-grid", "other-gpu", "no-shape", "ambiguous", "in-graphs", "no-kernel"
]


class TimelineSource(Struct, frozen=True, kw_only=True):
    """The timeline's file; `lost_events` counts GPU work without usable times."""

    name: str
    sha256: str
    format: Literal["nsys-sqlite", "pytorch-trace"]
    producer: str | None = None
    gpus: list[str] = field(default_factory=list)
    complete: bool = True
    lost_events: int = 0
    notes: list[str] = field(default_factory=list)
    resolution: float


class TimelineTime(Struct, frozen=True, kw_only=True):
    """The time from the first work to the last, once for each GPU that worked.

    The parts add up to `end_to_end`: kernels; copies and memsets beside no kernel; graphs
    whose kernels were not traced; and nothing at all, in gaps with nothing queued
    (`host_bound`), in other gaps (`queued`), before the first kernel and after the last.
    """

    end_to_end: float
    kernels: float
    copies_not_overlapped: float
    graphs: float
    host_bound: float
    queued: float
    outside: float


class TimelineGaps(Struct, frozen=True, kw_only=True):
    """Holes between kernels; a late one was closed by a kernel launched after it began.

    `idle_pct` is of `window`, from the first kernel to the last. In `empty` and the times
    named after it no copy, memset or untraced graph ran either; of an `unknown` gap the file
    lacks the call that launched the closing kernel.
    """

    gaps: int
    total: float
    median: float | None
    p90: float | None
    longest: float | None
    over_5us: int
    over_5us_time: float
    late: int
    late_time: float
    late_over_5us: int
    late_over_5us_time: float
    window: float
    idle_pct: float | None
    empty: float | None = None
    late_empty: float | None = None
    unknown_empty: float | None = None
    over_5us_empty: float | None = None
    late_over_5us_empty: float | None = None
    unknown_over_5us_empty: float | None = None


class LongGap(Struct, frozen=True, kw_only=True):
    """A gap, when it began from the first work on, and the kernels around it.

    `copied` is the part in which copies, memsets or untraced graphs ran; `known` tells that
    the file has the call that launched the closing kernel.
    """

    begins: float
    duration: float
    late: bool
    before: str
    after: str
    copied: float = 0.0
    known: bool = True


class HostStretch(Struct, frozen=True, kw_only=True):
    """A part in which launch after launch came late; `begins` counts from the first work.

    `idle` is the time in its gaps in which nothing ran, no copy either.
    """

    gpu: int
    begins: float
    duration: float
    idle: float
    launches: int


class HostTime(Struct, frozen=True, kw_only=True):
    """What the host's thread did while nothing was queued; `after_wait` counts gaps.

    `launch_latency` is the median time from a launch call to its kernel in an empty queue.
    """

    wait: float
    copy: float
    allocate: float
    load: float
    other: float
    launch: float
    after_wait: int
    launch_latency: float | None
    stretches: list[HostStretch]


class TimelineLaunches(Struct, frozen=True, kw_only=True):
    """The launches and the launch-bound among them: those shorter than 10 µs.

    `short_pct` is of the launches, `short_time_pct` of the kernels' summed time. `in_graphs`
    counts those that the launch of a CUDA graph started.
    """

    launches: int
    streams: int
    kernels_summed: float
    short_pct: float | None
    short_time_pct: float | None
    call_to_start: float | None
    without_call: int
    in_graphs: int = 0


class TimelineCopy(Struct, frozen=True, kw_only=True):
    """All copies of one direction; `hidden` is what of their time lay behind kernels."""

    direction: str
    pageable: bool
    copies: int
    bytes: float
    time: float
    hidden: float


class AtMost(Struct, frozen=True, kw_only=True):
    """A bound on what a change could save; the share is of the end-to-end time."""

    seconds: float
    share_pct: float
    places: int
    launches: int


class SteadyPart(Struct, frozen=True, kw_only=True):
    """The program without the first repetition of the range that repeats."""

    name: str
    repetitions: int
    window: float
    idle_pct: float | None


class TimelineKernel(Struct, frozen=True, kw_only=True):
    """A kernel by name, whatever its shapes; the share is of the kernels' summed time."""

    name: str
    profiled: bool
    launches: int
    time: float
    share_pct: float


class MatchedKernel(Struct, frozen=True, kw_only=True):
    """A group of the report, and the launches of the timeline that are the same.

    `share_pct` is of the end-to-end time, `busy_pct` of the time in which kernels ran;
    `factor` is profiled over real time, `clock_ratio` what the clocks explain of it.
    """

    group: int
    name: str
    grid: Extent
    block: Extent
    found_by: FoundBy
    confidence: Confidence
    profiled: int
    launches: int
    time: float
    share_pct: float
    busy_pct: float
    median: float
    profiled_median: float | None = None
    factor: float | None = None
    clock_ratio: float | None = None
    remarks: list[str] = field(default_factory=list)


class UnmatchedKernel(Struct, frozen=True, kw_only=True):
    """A group of the report that the timeline does not hold, and why."""

    group: int
    name: str
    reason: Missing
    text: str


class Statement(Struct, frozen=True, kw_only=True):
    """What the numbers mean, in plain words, with what they rest on and what to do."""

    id: str
    text: str
    advice: str | None = None
    evidence: list[Evidence] = field(default_factory=list)


class Timeline(Struct, frozen=True, kw_only=True):
    """A timeline beside the report; `why_not` where the two are not comparable.

    Then nothing is joined: `matched` and `real_durations` are empty, and all but `unmatched`
    is of the timeline alone. `real_durations` has each launch, by its id, that has one
    certain counterpart. `profiled_pct` is what of the report's time was found,
    `profiled_time` how long a kernel that was found ran. `wall` is the time that passes from
    the first work to the last; `time.end_to_end` has it once for each GPU.
    """

    source: TimelineSource
    comparable: bool
    why_not: str | None = None
    confidence: Confidence = "low"
    order: Order = "groups"
    profiled_pct: float = 0.0
    wall: float | None = None
    profiled_time: float | None = None
    time: TimelineTime
    gaps: TimelineGaps
    longest_gaps: list[LongGap]
    host: HostTime
    launches: TimelineLaunches
    copies: list[TimelineCopy]
    graphs_save: AtMost
    fusion_saves: AtMost
    steady: SteadyPart | None
    kernels: list[TimelineKernel]
    matched: list[MatchedKernel] = field(default_factory=list)
    unmatched: list[UnmatchedKernel] = field(default_factory=list)
    real_durations: dict[str, float] = field(default_factory=dict)
    statements: list[Statement] = field(default_factory=list)

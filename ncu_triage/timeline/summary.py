"""A timeline in one object, alone and beside a report."""

from __future__ import annotations

from msgspec import Struct

from ncu_triage.model import Evidence, Priority
from ncu_triage.timeline.events import Gpu, TimelineSource
from ncu_triage.timeline.join.matched import Match
from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.measure.host import HostTime, Stretch
from ncu_triage.timeline.measure.part import Steady
from ncu_triage.timeline.measure.savings import Saving
from ncu_triage.timeline.measure.shares import CopyShare, KernelShare
from ncu_triage.timeline.measure.whole import EndToEnd


class LongGap(Struct, frozen=True, kw_only=True):
    """One of the longest gaps: when, from the first work on, and between which kernels.

    `known` tells that the file has the call that launched the closing kernel; `copied_ns`
    is the time in which copies, memsets or untraced graphs ran.
    """

    begins_ns: int
    length_ns: int
    late: bool
    known: bool
    copied_ns: int
    before: str
    after: str


class Sentence(Struct, frozen=True, kw_only=True):
    """A statement in plain words, the numbers it rests on, and what one may do about it."""

    id: str
    text: str
    evidence: tuple[Evidence, ...] = ()
    advice: str | None = None


class TimelineSummary(Struct, frozen=True, kw_only=True):
    """What a timeline amounts to; numbers that end in `_ns` are whole nanoseconds.

    The lists hold the most important entries only, `figures` counts all. `overhead_ns` is
    the time between first and last work in which the profiler held up a thread.
    """

    source: TimelineSource
    devices: tuple[Gpu, ...]
    resolution_ns: int
    figures: Figures
    whole: EndToEnd
    steady: Steady | None
    kernels: tuple[KernelShare, ...]
    collective_share: float
    copies: tuple[CopyShare, ...]
    host: HostTime
    stretches: tuple[Stretch, ...]
    longest_gaps: tuple[LongGap, ...]
    graphs_save: Saving
    fusion_saves: Saving
    overhead_ns: int
    sentences: tuple[Sentence, ...] = ()


class Beside(Struct, frozen=True, kw_only=True):
    """A timeline beside a report: what the one adds to the other."""

    timeline: TimelineSummary
    match: Match
    priorities: tuple[Priority, ...] = ()
    sentences: tuple[Sentence, ...] = ()

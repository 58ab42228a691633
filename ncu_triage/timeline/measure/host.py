"""What the host did while a GPU had nothing queued, and where that lasted."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

from msgspec import Struct

from ncu_triage.timeline.events import Blocking, Timeline
from ncu_triage.timeline.measure.figures import TYPICAL_GAP, extent
from ncu_triage.timeline.measure.gaps import Gap, Gaps, Host
from ncu_triage.timeline.measure.intervals import median

_A_STRETCH = 8  # late launches in a row that are no accident
_MOST_STRETCHES = 5


class HostTime(Struct, frozen=True, kw_only=True):
    """The time of the gaps that the host closed late, by what its thread did.

    In calls that wait for the GPU, that copy, that allocate, that load code; outside of
    such calls; and from the launch call to the kernel's start. `after_wait` counts the
    gaps that opened while the host waited for the GPU. The latency is that of the launches
    into an empty queue, the only ones for which it is a cost: no copy ran after the call.
    """

    gaps: int
    wait_ns: int
    copy_ns: int
    allocate_ns: int
    load_ns: int
    other_ns: int
    launch_ns: int
    after_wait: int
    latency_median_ns: int | None


class Stretch(Struct, frozen=True, kw_only=True):
    """A part in which launch after launch came late, from the first work on."""

    device: int
    begins_ns: int
    length_ns: int
    idle_ns: int
    kernels: int


def host_time(host: Host, found: Gaps) -> HostTime:
    """Add up what the host did in the gaps that it closed late."""
    kept: Counter[Blocking] = Counter()
    launching, latencies, total, waited = 0, array("q"), 0, 0
    gaps = 0
    for gap in found:
        if gap.late:
            kept.update(host.kept(gap))
            called = min(gap.end, gap.launched or 0)
            # A kernel that begins before its call tells of the clocks, not of a launch.
            if called < gap.end and not found.others(gap, called):
                latencies.append(gap.end - called)
            launching, gaps = launching + gap.end - called, gaps + 1
            total, waited = total + gap.length, waited + host.waited(gap)
    return HostTime(
        gaps=gaps,
        wait_ns=kept["wait"],
        copy_ns=kept["copy"],
        allocate_ns=kept["allocate"],
        load_ns=kept["load"],
        # A call may lie inside of another one, and is counted in both.
        other_ns=max(0, total - launching - kept.total()),
        launch_ns=launching,
        after_wait=waited,
        latency_median_ns=median(latencies),
    )


def stretches(timeline: Timeline, found: Gaps) -> list[Stretch]:
    """Return the parts in which the GPU waited for launch after launch, longest first."""
    first, _ = extent(timeline)
    made = [_stretch(run, first) for run in _runs(found)]
    return sorted(made, key=lambda one: (-one.idle_ns, one.begins_ns))[:_MOST_STRETCHES]


def _runs(found: Gaps) -> Iterator[list[Gap]]:
    """Yield late gaps in a row; one that hardly lasts does not end a row."""
    run: list[Gap] = []
    for gap in found:
        goes_on = bool(run) and run[-1].device == gap.device
        if gap.late and (goes_on or not run):
            run.append(gap)
        elif not goes_on or gap.length > TYPICAL_GAP:
            if len(run) >= _A_STRETCH:
                yield run
            run = [gap] if gap.late else []
    if len(run) >= _A_STRETCH:
        yield run


def _stretch(run: Sequence[Gap], first: int) -> Stretch:
    return Stretch(
        device=run[0].device,
        begins_ns=run[0].start - first,
        length_ns=run[-1].end - run[0].start,
        idle_ns=sum(gap.empty for gap in run),
        kernels=len(run),
    )

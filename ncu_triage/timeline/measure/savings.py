"""What CUDA graphs or fusion could save at most; both bounds are generous on purpose."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from msgspec import Struct

from ncu_triage.timeline.events import Kernels, Timeline
from ncu_triage.timeline.measure.figures import SHORT
from ncu_triage.timeline.measure.gaps import Gaps, Host
from ncu_triage.timeline.measure.intervals import union_of

# Beyond, a gap is not the cost of launching, not even from Python under a profiler: the
# host did something else, and no graph or fusion takes that away.
LAUNCH_GAP = 100_000


class Saving(Struct, frozen=True, kw_only=True):
    """The most that a change could save, and in how many places; share of the window."""

    at_most_ns: int
    places: int
    kernels: int
    share: float


def graphs_at_most(found: Gaps, host: Host, window: int) -> Saving:
    """Bound what CUDA graphs save: late gaps, without copies and what calls kept the host for.

    A gap that the launch of a graph ends is the cost of a graph, not of doing without.
    """
    late = (gap for gap in found if gap.late and not gap.in_graph and gap.empty <= LAUNCH_GAP)
    times = array("q", (host.free(gap, found) for gap in late))
    places = sum(time > 0 for time in times)
    return _saving(sum(time for time in times if time > 0), places, places, window)


def fusion_at_most(timeline: Timeline, found: Gaps, host: Host, window: int) -> Saving:
    """Bound what fusion saves: the gaps inside of chains of short kernels, and in each chain
    what neighbours of one launch shape take beyond the longest of them.

    Kernels of other shapes keep their time: one needs all of the other's results first.
    """
    own: dict[int, list[_Chain]] = defaultdict(list)
    for rows in _chains(timeline):
        chain = _chain(timeline, rows)
        own[timeline.streams[timeline.kernels.stream[rows[0]]].device].append(chain)
    chains = [chain for device in own.values() for chain in device]
    between = sum(chain.between for chain in chains)
    free = sum(host.free(gap, found) for gap in found if gap.empty <= LAUNCH_GAP)
    saved = min(between, free) + sum(chain.inside for chain in chains)
    kernels = sum(chain.kernels for chain in chains)
    return _saving(min(saved, sum(map(_passing, own.values()))), len(chains), kernels, window)


class _Chain(NamedTuple):
    """`between` is the time in its gaps, `inside` what one pass could save of its kernels'."""

    start: int
    end: int
    longest: int
    between: int
    inside: int
    kernels: int


def _chain(timeline: Timeline, rows: list[int]) -> _Chain:
    kernels = timeline.kernels
    start, end = kernels.start[rows[0]], kernels.end[rows[-1]]
    alike = [
        [kernels.end[row] - kernels.start[row] for row in own]
        for _, own in groupby(rows, key=lambda row: timeline.shapes[kernels.shape[row]][:2])
    ]
    time, longest = sum(map(sum, alike)), [max(own) for own in alike]
    return _Chain(
        start, end, max(longest), max(0, end - start - time), time - sum(longest), len(rows)
    )


def _passing(chains: list[_Chain]) -> int:
    """Return the time that passes for one GPU's chains, of which one kernel must stay.

    Chains of several streams may run side by side, and their time passes only once.
    """
    longest = max(chain.longest for chain in chains)
    return union_of((chain.start, chain.end) for chain in chains).length - longest


def _saving(time: int, places: int, kernels: int, window: int) -> Saving:
    share = min(1.0, time / window) if window else 0.0
    return Saving(at_most_ns=time, places=places, kernels=kernels, share=share)


def _chains(timeline: Timeline) -> Iterator[list[int]]:
    """Yield rows of short kernels that follow each other on one stream, two or more.

    A copy on the stream ends a chain: what it brings is not there before.
    """
    kernels = timeline.kernels
    growing: dict[int, list[int]] = defaultdict(list)
    for stream, row in _in_order(timeline):
        chain = growing[stream]
        short = row is not None and kernels.end[row] - kernels.start[row] < SHORT
        if row is not None and short and _near(kernels, chain, row):
            chain.append(row)
            continue
        if len(chain) > 1:
            yield chain
        growing[stream] = [row] if row is not None and short else []
    yield from (chain for chain in growing.values() if len(chain) > 1)


def _near(kernels: Kernels, chain: list[int], row: int) -> bool:
    """Tell whether a kernel goes on with a chain; the launch of a graph begins a new one."""
    if not chain:
        return True
    begins = kernels.in_graph[row] and kernels.launched[row] != kernels.launched[chain[-1]]
    return not begins and kernels.start[row] - kernels.end[chain[-1]] <= LAUNCH_GAP


def _in_order(timeline: Timeline) -> Iterator[tuple[int, int | None]]:
    """Yield the stream and row of all kernels by start, a copy with None for its row."""
    kernels, copies = timeline.kernels, timeline.copies
    place = 0
    for row, start in enumerate(kernels.start):
        while place < len(copies) and copies.start[place] <= start:
            yield copies.stream[place], None
            place += 1
        yield kernels.stream[row], row

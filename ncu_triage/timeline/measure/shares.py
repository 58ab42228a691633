"""Which kernels and which copies take the time."""

from __future__ import annotations

import re
from collections import defaultdict

from msgspec import Struct

from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.measure.figures import SHORT
from ncu_triage.timeline.measure.gaps import by_device, kernel_unions
from ncu_triage.timeline.measure.intervals import overlap, union

# Kernels that wait for other GPUs: their time is not all work of this one.
_COLLECTIVE = re.compile(r"(?:void )?(?:nccl|ncclDev|rccl|nvshmem)", re.IGNORECASE)


class KernelShare(Struct, frozen=True, kw_only=True):
    """All launches under one name; the share is of the sum over all kernels."""

    name: str
    calls: int
    time_ns: int
    share: float
    longest_ns: int
    short_calls: int
    collective: bool


class CopyShare(Struct, frozen=True, kw_only=True):
    """All copies of one kind; the time is that of their union on each GPU."""

    direction: str
    pageable: bool
    copies: int
    bytes: int
    time_ns: int
    hidden_ns: int


def by_name(timeline: Timeline) -> list[KernelShare]:
    """Return every kernel name with its time, most first."""
    lengths: dict[str, list[int]] = defaultdict(list)
    kernels = timeline.kernels
    full = [name.full for name in timeline.names]
    for start, end, name in zip(kernels.start, kernels.end, kernels.name, strict=True):
        lengths[full[name]].append(end - start)
    total = sum(map(sum, lengths.values())) or 1
    shares = [_share(name, own, total) for name, own in lengths.items()]
    return sorted(shares, key=lambda share: (-share.time_ns, share.name))


def _share(name: str, lengths: list[int], total: int) -> KernelShare:
    return KernelShare(
        name=name,
        calls=len(lengths),
        time_ns=sum(lengths),
        share=sum(lengths) / total,
        longest_ns=max(lengths),
        short_calls=sum(length < SHORT for length in lengths),
        collective=_COLLECTIVE.match(name) is not None,
    )


def by_direction(timeline: Timeline) -> list[CopyShare]:
    """Return every kind of copy with its time, most first."""
    rows: dict[int, list[int]] = defaultdict(list)
    for row, kind in enumerate(timeline.copies.kind):
        rows[kind].append(row)
    shares = [_copies(timeline, kind, own) for kind, own in rows.items()]
    return sorted(shares, key=lambda share: (-share.time_ns, share.direction))


def _copies(timeline: Timeline, kind: int, rows: list[int]) -> CopyShare:
    copies, time, hidden = timeline.copies, 0, 0
    busy = kernel_unions(timeline)
    own = by_device(timeline, [copies.stream[row] for row in rows])
    for device, places in own.items():
        moving = union(copies.start, copies.end, (rows[place] for place in places))
        time += moving.length
        hidden += overlap(moving, busy[device]) if device in busy else 0
    return CopyShare(
        direction=timeline.copy_kinds[kind].direction,
        pageable=timeline.copy_kinds[kind].pageable,
        copies=len(rows),
        bytes=sum(copies.bytes[row] for row in rows),
        time_ns=time,
        hidden_ns=hidden,
    )

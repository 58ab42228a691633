"""Where the time goes: by bottleneck, and by kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ncu_triage.model import Diagnosis, Group
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.clusters import Cluster, shape, share
from ncu_triage.view.shown import KernelTime, KernelTimes, TimeShare

_LONGEST = 8
# Of fewer launches than this the 99th percentile is the longest one.
ENOUGH_FOR_P99 = 100


def times(diagnosis: Diagnosis, found: Sequence[Cluster]) -> list[TimeShare]:
    """Return each bottleneck's part of the time, largest first."""
    total = diagnosis.totals.duration
    kernels: dict[str, int] = defaultdict(int)
    for cluster in found:
        for kind in cluster.kinds:
            kernels[kind] += 1
    parts = sorted(
        diagnosis.totals.time_by_bottleneck.items(), key=lambda item: (-item[1], item[0])
    )
    return [
        TimeShare(words.mark(kind), fill, percent(fill), show(seconds, "s"), kernels[kind])
        for kind, seconds in parts
        if (fill := share(seconds, total)) is not None
    ]


def kernel_times(found: Sequence[Cluster]) -> KernelTimes:
    """Return the longest kernels with their parts of the time, and the others as one."""
    timed = [c for c in found if c.share is not None and c.seconds is not None]
    longest, others = timed[:_LONGEST], timed[_LONGEST:]
    part = sum(c.share or 0.0 for c in others)
    seconds = sum(c.seconds or 0.0 for c in others)
    rest = f"{words.count(len(others), 'more kernel')}: {percent(part)}, {show(seconds, 's')}"
    return KernelTimes([_kernel_time(c) for c in longest], rest if others else None)


def tail_label(group: Group) -> str:
    """Name the high end of a group's durations: of few launches it is the longest."""
    return "P99" if group.launches >= ENOUGH_FOR_P99 else "Longest"


def _kernel_time(cluster: Cluster) -> KernelTime:
    part, seconds = cluster.share or 0.0, cluster.seconds or 0.0
    return KernelTime(
        name=cluster.name,
        shape=shape(cluster.group),
        mark=words.mark(cluster.speaker.bottleneck.kind),
        fill=part,
        share=percent(part),
        time=show(seconds, "s"),
    )

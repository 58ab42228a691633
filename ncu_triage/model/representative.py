"""Which launch speaks for a group of unlike ones: time decides, not number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model.verdict import KernelDiagnosis
from ncu_triage.model.words import BottleneckKind, Confidence

_NEARLY_ALL = 0.8
_MOST = 0.5


class KindTime(NamedTuple):
    """The launches of a group with one bottleneck, and their share (0-1) of its time.

    Where no launch has a time, the share is of the launches.
    """

    kind: BottleneckKind
    launches: Sequence[KernelDiagnosis]
    share: float


def by_kind(launches: Sequence[KernelDiagnosis]) -> list[KindTime]:
    """Return the bottlenecks of a group's launches, that of most time first."""
    members: dict[BottleneckKind, list[KernelDiagnosis]] = {}
    for launch in launches:
        members.setdefault(launch.bottleneck.kind, []).append(launch)
    total = sum(map(_seconds, launches))
    found = [
        KindTime(kind, of, sum(map(_seconds, of)) / total if total > 0 else len(of) / len(launches))
        for kind, of in members.items()
    ]
    return sorted(found, key=lambda one: (-one.share, -len(one.launches), one.kind))


def representative(launches: Sequence[KernelDiagnosis]) -> KernelDiagnosis:
    """Return the launch of (lower) median duration among those of the main bottleneck.

    The first of them, where none has a duration.
    """
    main = by_kind(launches)[0].launches
    timed = sorted((s, i) for i, one in enumerate(main) if (s := _seconds(one)) > 0)
    return main[timed[(len(timed) - 1) // 2][1]] if timed else main[0]


def confidence(launches: Sequence[KernelDiagnosis]) -> Confidence:
    """Return how sure the verdict on a group is: no surer than its launches agree."""
    own, share = representative(launches).bottleneck.confidence, by_kind(launches)[0].share
    if share >= _NEARLY_ALL or own == "low":
        return own
    return "medium" if share > _MOST else "low"


def _seconds(kernel: KernelDiagnosis) -> float:
    duration = kernel.quantities.get("duration")
    return duration if isinstance(duration, float) else 0.0

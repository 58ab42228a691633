"""Which kernels share a roofline: those of one GPU, precision and memory level, or of one GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ncu_triage.model import RooflinePoint
from ncu_triage.view.clusters import Cluster
from ncu_triage.view.roof_points import roof_share

ALL = "all"  # precisions: the chart in which each kernel appears once
_LEVEL = "DRAM"


class Key(NamedTuple):
    """A roofline's GPU, precision and memory level."""

    device: int | None
    precision: str
    level: str


class Placed(NamedTuple):
    """A kernel at one of its points."""

    cluster: Cluster
    point: RooflinePoint


def together(placed: Mapping[Key, Sequence[Placed]]) -> dict[Key, list[Placed]]:
    """Put the kernels of all floating-point precisions into one more chart a GPU.

    A kernel appears at the precision that comes closest to its roof. Where that is the same
    one for all kernels, the chart would show nothing new.
    """
    by_device: dict[int | None, list[Placed]] = defaultdict(list)
    for key, members in placed.items():
        if key.level == _LEVEL and "fp" in key.precision:
            by_device[key.device] += members
    made = {Key(device, ALL, _LEVEL): _closest(found) for device, found in by_device.items()}
    return {key: found for key, found in made.items() if len(precisions(key, found)) > 1}


def precisions(key: Key, members: Sequence[Placed]) -> list[str]:
    """Return the precisions whose compute roofs belong into a chart."""
    if key.precision != ALL:
        return [key.precision]
    return sorted({one.point.precision for one in members})


def _closest(members: Sequence[Placed]) -> list[Placed]:
    """Keep each kernel once, longest first, at the point that is closest to its roof."""
    best: dict[int, Placed] = {}
    for one in members:
        known = best.get(one.cluster.group.id)
        if known is None or _closeness(one) > _closeness(known):
            best[one.cluster.group.id] = one
    return sorted(best.values(), key=lambda one: -(one.cluster.seconds or 0.0))


def _closeness(one: Placed) -> tuple[float, float]:
    return roof_share(one.cluster.speaker, one.point) or 0.0, one.point.performance

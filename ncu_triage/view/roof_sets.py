"""Which kernels share a roofline: those of one GPU, precision and memory level, or of one GPU."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ncu_triage.model import RooflinePoint
from ncu_triage.view.clusters import Cluster
from ncu_triage.view.roof_points import ceilings

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


# The point at which a kernel of a GPU stands for itself, by device and group.
Main = Mapping[tuple[int | None, int], Placed]


def main_points(placed: Mapping[Key, Sequence[Placed]]) -> Main:
    """Find for each kernel the precision whose peak it comes closest to.

    Below the slanted roof every precision reaches the same share of its roof, so it is the
    flat one that tells which precision a kernel works in.
    """
    best: dict[tuple[int | None, int], Placed] = {}
    for key, members in placed.items():
        for one in members if key.level == _LEVEL and "fp" in key.precision else []:
            kernel = key.device, one.cluster.group.id
            if kernel not in best or _closeness(one) > _closeness(best[kernel]):
                best[kernel] = one
    return best


def together(main: Main) -> dict[Key, list[Placed]]:
    """Put the kernels of all floating-point precisions into one more chart a GPU.

    Each appears once. Where all work in the same precision, the chart would show nothing new.
    """
    made: dict[Key, list[Placed]] = defaultdict(list)
    for (device, _), one in main.items():
        made[Key(device, ALL, _LEVEL)].append(one)
    return {
        key: sorted(found, key=lambda one: -(one.cluster.seconds or 0.0))
        for key, found in made.items()
        if len(precisions(key, found)) > 1
    }


def main_seconds(key: Key, members: Sequence[Placed], main: Main) -> float:
    """Sum the time of the kernels whose main precision a chart shows."""
    mains = (main.get((key.device, one.cluster.group.id), one) for one in members)
    return sum(
        one.cluster.seconds or 0.0
        for one, chief in zip(members, mains, strict=True)
        if key.precision in (ALL, chief.point.precision)
    )


def precisions(key: Key, members: Sequence[Placed]) -> list[str]:
    """Return the precisions whose compute roofs belong into a chart."""
    if key.precision != ALL:
        return [key.precision]
    return sorted({one.point.precision for one in members})


def _closeness(one: Placed) -> tuple[float, float]:
    compute = ceilings(one.cluster.speaker, "compute", one.point.precision)
    return one.point.performance / compute[0].value if compute else 0.0, one.point.performance

"""Choose the ceilings among the launches that reached a wall, and refuse what does not fit."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import PurePath
from typing import NamedTuple

from ncu_triage.ceilings.file import COMPUTE, FORMAT, MEMORY, Ceilings, Gpu, Reached
from ncu_triage.ceilings.reference import Candidate, Refused, reached
from ncu_triage.errors import InputError
from ncu_triage.model import Device, Diagnosis

# Two launches that agree this far confirm each other.
AGREE = 0.02
_SAME_DRAM = 0.02


class Calibration(NamedTuple):
    """The ceilings that were found, and by report what is no reference."""

    ceilings: Ceilings
    refused: dict[str, list[Refused]]
    useless: list[str]


def calibrate(diagnoses: Sequence[tuple[str, Diagnosis]]) -> Calibration:
    """Take the ceilings from diagnosed reports, each given with its name.

    Raises InputError where the reports are of several GPUs, or hold no reference.
    """
    gpu = _one_gpu(diagnoses)
    found: list[Candidate] = []
    refused: dict[str, list[Refused]] = {}
    useless = []
    for name, diagnosis in diagnoses:
        shown = [reached(kernel, diagnosis.catalogue, name) for kernel in diagnosis.kernels]
        here = [one for one in shown if not isinstance(one, Refused)]
        found += [candidate for some in here for candidate in some]
        refused[name] = list(dict.fromkeys(one for one in shown if isinstance(one, Refused)))
        useless += [] if here else [name]
    ceilings = Ceilings(format=FORMAT, gpu=gpu, ceiling=_best(found))
    return Calibration(ceilings, refused, useless)


def same(gpu: Gpu, device: Device) -> bool:
    """Tell whether a GPU is of the kind that was measured, its memory included."""
    if bare(gpu.name) != bare(device.name) or gpu.sm_count != device.sm_count:
        return False
    if gpu.compute_capability != device.compute_capability:
        return False
    ours, theirs = gpu.dram_nominal, device.dram_peak_bandwidth
    return not ours or not theirs or abs(theirs / ours - 1) <= _SAME_DRAM


class Taken(NamedTuple):
    """The value that stands for a kernel's launches, and in words how it was taken."""

    value: float
    how: str


def taken(values: Sequence[float]) -> Taken:
    """Choose among what the launches of a kernel reached: the highest that another confirms.

    A single wild measurement counts for nothing: the value is the second of the highest
    two that agree within 2 %. Where none do, it is the median.
    """
    if len(values) == 1:
        return Taken(values[0], "one launch, unconfirmed: profile several")
    ordered = sorted(values, reverse=True)
    among = f"of {len(values)} launches"
    for high, low in pairwise(ordered):
        if low >= high * (1 - AGREE):
            return Taken(low, f"the highest {among} that another confirms within 2 %")
    middle = statistics.median_low(ordered)
    return Taken(middle, f"the median {among}, which differ by more than 2 %")


def highest(rows: Iterable[Reached]) -> list[Reached]:
    """Take of each roof, and each mix of DRAM traffic, the ceiling of the highest share.

    What one kernel reached can be reached, whatever another one did.
    """
    best: dict[tuple[str, str | None], Reached] = {}
    for one in rows:
        known = best.get((one.unit, one.mix))
        if known is None or one.share > known.share:
            best[one.unit, one.mix] = one
    return list(best.values())


def _one_gpu(diagnoses: Iterable[tuple[str, Diagnosis]]) -> Gpu:
    """Return the GPU of all reports. Raises InputError where there are several, or none."""
    seen: dict[Gpu, str] = {}
    for name, diagnosis in diagnoses:
        for device in diagnosis.devices:
            gpu = _gpu(device)
            if gpu and not any(same(known, device) for known in seen):
                seen[gpu] = name
    if len(seen) > 1:
        which = ", ".join(f"{gpu.name} with {gpu.sm_count} SMs ({at})" for gpu, at in seen.items())
        raise InputError(f"the reports are of {len(seen)} GPUs: {which}; calibrate each by itself")
    if not seen:
        raise InputError("no report tells which GPU it is of, so nothing can be calibrated")
    return next(iter(seen))


def _gpu(device: Device) -> Gpu | None:
    if device.sm_count is None:
        return None
    return Gpu(
        name=device.name,
        compute_capability=device.compute_capability,
        sm_count=device.sm_count,
        dram_nominal=device.dram_peak_bandwidth,
    )


def _best(found: Sequence[Candidate]) -> list[Reached]:
    """Take for each wall, and each mix of DRAM traffic, the kernel that reached most.

    Also where that was seen once: a lower one that was seen twice would be no ceiling.
    """
    walls: dict[tuple[str, str | None], dict[object, list[Candidate]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for one in found:
        walls[one.unit, one.mix][one.shape].append(one)
    best = [
        max((_reached(launches) for launches in kernels.values()), key=lambda one: one.share)
        for kernels in walls.values()
    ]
    return sorted(best, key=_order)


def _reached(launches: Sequence[Candidate]) -> Reached:
    """Choose among the launches of one kernel; by share, since their clocks may differ."""
    share, how = taken([one.share_pct for one in launches])
    chosen = next(one for one in launches if one.share_pct == share)
    return Reached(
        unit=chosen.unit,
        mix=chosen.mix,
        value=chosen.value,
        nominal=chosen.nominal,
        share_pct=share,
        busy_pct=chosen.busy_pct,
        sm_clock=chosen.sm_clock,
        kernel=chosen.kernel,
        report=PurePath(chosen.report).name,
        launches=len(launches),
        how=how,
    )


def _order(one: Reached) -> tuple[int, str, str]:
    known = (*MEMORY, *COMPUTE)
    return (known.index(one.unit) if one.unit in known else len(known), one.unit, one.mix or "")


def bare(name: str) -> str:
    """Drop the maker, which older drivers leave out."""
    return name.strip().removeprefix("NVIDIA ")

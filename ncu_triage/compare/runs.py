"""The launches of a report put together by kernel and shape, and picked by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from msgspec.structs import replace

from ncu_triage.compare.names import base, called
from ncu_triage.errors import InputError
from ncu_triage.model import Device, Diagnosis, KernelDiagnosis


class Run(NamedTuple):
    """Launches of one kernel with one shape, in order; the median one speaks for all."""

    launches: Sequence[KernelDiagnosis]
    speaker: KernelDiagnosis
    device: str


def runs(diagnosis: Diagnosis) -> list[Run]:
    """Return the kernels of a report in the order of their first launches."""
    members: dict[int, list[KernelDiagnosis]] = {}
    for kernel in diagnosis.kernels:
        members.setdefault(kernel.group, []).append(kernel)
    return [
        Run(launches, _median(launches), device_name(diagnosis, launches[0]))
        for launches in members.values()
    ]


def only(diagnosis: Diagnosis, pattern: re.Pattern[str]) -> Diagnosis:
    """Keep the launches whose name, in full or as printed, matches; or whose id is the text.

    Raises InputError where none is left.
    """
    kept = [
        kernel
        for kernel in diagnosis.kernels
        if kernel.id == pattern.pattern
        or any(map(pattern.search, _spellings(kernel.demangled or kernel.name, kernel.name)))
    ]
    if not kept:
        had = len(diagnosis.kernels)
        many = "is 1 launch" if had == 1 else f"are {had:,} launches"
        raise InputError(f"no kernel matches {pattern.pattern!r}; there {many}")
    return replace(diagnosis, kernels=kept)


@lru_cache(maxsize=4096)
def _spellings(full: str, plain: str) -> tuple[str, ...]:
    """Return the ways in which a name is written: in full, and as it is printed."""
    return full, plain, full.removeprefix("void "), called(full), base(full)


# Seconds and cycles of a launch lie between by far.
_LEAST, _MOST = 1e-15, 1e15


def number(kernel: KernelDiagnosis, id: str) -> float | None:
    """Return a quantity's number, or None where it is absent or no number."""
    value = kernel.quantities.get(id)
    return float(value) if isinstance(value, int | float) else None


def numbers(launches: Sequence[KernelDiagnosis], id: str) -> list[float] | None:
    """Return a positive quantity of every launch, or None where one lacks it.

    A number that no launch can have is one that it lacks.
    """
    found = [value for kernel in launches if (value := number(kernel, id))]
    possible = all(_LEAST < value < _MOST for value in found)
    return found if possible and len(found) == len(launches) else None


def device_name(diagnosis: Diagnosis, kernel: KernelDiagnosis) -> str:
    """Name the GPU that a launch ran on, with its SMs: a part of a GPU is another one."""
    if kernel.device is None or not 0 <= kernel.device < len(diagnosis.devices):
        return ""
    return gpu_name(diagnosis.devices[kernel.device])


def gpu_name(device: Device) -> str:
    """Name a GPU with its SMs."""
    sms = f", {device.sm_count} SMs" if device.sm_count else ""
    return f"{device.name} (compute capability {device.compute_capability}{sms})"


def _median(launches: Sequence[KernelDiagnosis]) -> KernelDiagnosis:
    """Return the launch of (lower) median duration, the first one where none has any."""
    timed = [(seconds, i) for i, k in enumerate(launches) if (seconds := number(k, "duration"))]
    if not timed:
        return launches[0]
    return launches[sorted(timed)[(len(timed) - 1) // 2][1]]

"""Boil a kernel's launches in one report down to what is recorded of them."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

import msgspec

from ncu_triage.model import Diagnosis, Extent, KernelDiagnosis
from ncu_triage.model.representative import representative
from ncu_triage.summary import seconds

# With fewer launches their scatter says nothing.
_LEAST_LAUNCHES = 5
# Median absolute deviation to standard deviation, and from there to that of a median.
_MAD = 1.4826
_MEDIAN = math.sqrt(math.pi / 2)


class Identity(NamedTuple):
    """What makes two measurements ones of the same kernel."""

    benchmark: str
    demangled: str
    workload: str
    grid: str | None
    block: str | None
    device: str

    @property
    def fingerprint(self) -> str:
        """A short stand-in, for a database's index."""
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


class Measured(NamedTuple):
    """A kernel in one report."""

    identity: Identity
    speaker: KernelDiagnosis
    launches: int
    duration: float | None
    spread: float | None
    fastest: float | None
    slowest: float | None
    total: float | None
    cycles: float | None


def measured(diagnosis: Diagnosis, benchmark: str) -> list[Measured]:
    """Return the kernels of a report, in the order in which any program takes them."""
    members: dict[Identity, list[KernelDiagnosis]] = defaultdict(list)
    for kernel in diagnosis.kernels:
        members[_identity(kernel, diagnosis, benchmark)].append(kernel)
    found = [_measured(identity, launches) for identity, launches in members.items()]
    return sorted(found, key=lambda one: one.identity.fingerprint)


def _measured(identity: Identity, launches: list[KernelDiagnosis]) -> Measured:
    times = [d for kernel in launches if (d := seconds(kernel)) is not None and d > 0]
    return Measured(
        identity=identity,
        speaker=representative(launches),
        launches=len(launches),
        duration=median(times) if times else None,
        spread=_spread(times),
        fastest=min(times, default=None),
        slowest=max(times, default=None),
        total=sum(times) if times else None,
        cycles=median(cycles) if (cycles := list(_cycles(launches))) else None,
    )


def _spread(times: list[float]) -> float | None:
    """Return the median's standard error, as a part of it."""
    if len(times) < _LEAST_LAUNCHES:
        return None
    middle = median(times)
    deviation = _MAD * median(abs(time - middle) for time in times)
    return _MEDIAN * deviation / math.sqrt(len(times)) / middle


def _cycles(launches: list[KernelDiagnosis]) -> Iterator[float]:
    for kernel in launches:
        value = kernel.quantities.get("elapsed_cycles")
        if isinstance(value, float):
            yield value


def _identity(kernel: KernelDiagnosis, diagnosis: Diagnosis, benchmark: str) -> Identity:
    device = diagnosis.devices[kernel.device].name if kernel.device is not None else ""
    demangled = kernel.demangled or kernel.name
    grid, block = _extent(kernel.grid), _extent(kernel.block)
    names = storable(benchmark), storable(demangled)
    return Identity(*names, kernel.workload, grid, block, storable(device))


def _extent(extent: Extent | None) -> str | None:
    return "x".join(map(str, extent)) if extent else None


def storable(text: str) -> str:
    """Replace what PostgreSQL takes in no text."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")

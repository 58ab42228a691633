"""What the themes have in common: the launches, and the form of what they find."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from ncu_triage.model import CatalogueEntry, Kernel, KernelDiagnosis

ALL_TIME = "time in all launches"


class Case(NamedTuple):
    """Some launches of which a finding speaks, and what it says of them.

    `numbers` go by the names of the report's numbers. `sequence` says that the launches
    follow each other; `against` is the launch that they are held against.
    """

    kernels: list[str]
    seconds: float
    numbers: Mapping[str, float] = MappingProxyType({})
    sequence: bool = False
    against: str | None = None


class Theme(NamedTuple):
    """The numbers of one theme, and the launches behind them, most time first."""

    numbers: Mapping[str, float] = MappingProxyType({})
    cases: Sequence[Case] = ()


class Whole(NamedTuple):
    """Everything that was profiled, the kernels among it, and the time in all of it.

    A range, a graph or a command list is none of the `kernels`: it has neither a shape nor
    a duration that says anything of one launch.
    """

    everything: Sequence[KernelDiagnosis]
    kernels: Sequence[KernelDiagnosis]
    seconds: float

    def share(self, seconds: float) -> float:
        """Return a time in percent of the time in all launches; of no time, nothing."""
        return 100 * seconds / self.seconds if 0 < self.seconds < inf else 0.0


def whole(kernels: Sequence[KernelDiagnosis]) -> Whole:
    """Take a report's launches together."""
    launches = [k for k in kernels if k.workload == "kernel"]
    return Whole(kernels, launches, sum(map(seconds, kernels)))


def seconds(kernel: Kernel) -> float:
    """Return a launch's duration for a sum; one that is unknown adds nothing."""
    return number(kernel, "duration") or 0.0


def number(kernel: Kernel, quantity: str) -> float | None:
    """Return a quantity's number, or None where it is absent or no number."""
    value = kernel.quantities.get(quantity)
    return value if isinstance(value, float) else None


def median(kernels: Iterable[Kernel], quantity: str) -> float | None:
    """Return the median of a quantity over the launches that have it."""
    found = [value for kernel in kernels if (value := number(kernel, quantity)) is not None]
    return middle(found) if found else None


def middle(values: Iterable[float]) -> float:
    """Return the median; of an even number of values the mean of the two in the middle."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def by_name(kernels: Iterable[KernelDiagnosis]) -> dict[tuple[str, int | None], list[Kernel]]:
    """Put the launches of one kernel on one GPU together, whatever their shape."""
    found: dict[tuple[str, int | None], list[Kernel]] = defaultdict(list)
    for kernel in kernels:
        found[kernel.demangled, kernel.device].append(kernel)
    return found


def case(kernels: Sequence[Kernel], **numbers: float) -> Case:
    """Make a case of some launches."""
    return Case([k.id for k in kernels], sum(map(seconds, kernels)), numbers)


def ranked(cases: Iterable[Case]) -> list[Case]:
    """Put the cases of the most time first."""
    return sorted(cases, key=lambda one: (-one.seconds, one.kernels))


def entry(unit: str, label: str, formula: str, basis: str | None = None) -> CatalogueEntry:
    """Describe a number."""
    return CatalogueEntry(unit=unit, label=label, formula=formula, basis=basis)


def guess(unit: str, label: str, formula: str, basis: str | None = None) -> CatalogueEntry:
    """Describe a number that is an estimate."""
    return CatalogueEntry(unit=unit, label=label, formula=formula, basis=basis, estimated=True)

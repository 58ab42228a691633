"""How much longer a kernel takes under the profiler, and how much of that clocks explain."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.model import KernelDiagnosis
from ncu_triage.timeline.events import Gpu
from ncu_triage.units import digits

# Where the factor over the clocks' ratio lies outside, more than clocks is at work; far
# outside, the two runs hardly did the same.
NEAR, FAR = 1.4, 3.0
_COLD = 20_000  # ns: so short a kernel spends much of its time on filling the caches


class Factor(NamedTuple):
    """Times in ns; `clocks` is the timeline's highest clock over the profile's."""

    profiled_median: float | None
    value: float | None = None
    clocks: float | None = None

    @property
    def unexplained(self) -> float | None:
        """How far off the factor is from what the clocks explain, 1 and more."""
        if not self.value:
            return None
        ratio = self.value / (self.clocks or 1)
        return max(ratio, 1 / ratio)


def factor(
    launches: Sequence[KernelDiagnosis], real: Mapping[str, int], median: int, gpu: Gpu
) -> Factor:
    """Hold the profiled times against the real ones: launch by launch where certain.

    There is no factor over a time of zero: the timeline's clock is too coarse for the kernel.
    """
    profiled = {one.id: ns for one in launches if (ns := nanoseconds(one))}
    if not profiled:
        return Factor(None)
    middle = statistics.median_low(profiled.values())
    paired = {id: real[id] for id in profiled if id in real}
    if len(paired) == len(profiled):
        taken, real_time = sum(profiled.values()), sum(paired.values())
    else:
        taken, real_time = middle, median
    value = taken / real_time if real_time else None
    return Factor(middle, value, _clocks(launches, gpu))


def nanoseconds(kernel: KernelDiagnosis) -> float | None:
    """Return a launch's profiled time, None where the report has none."""
    duration = kernel.quantities.get("duration")
    return duration * 1e9 if isinstance(duration, float) and duration > 0 else None


def _clocks(launches: Sequence[KernelDiagnosis], gpu: Gpu) -> float | None:
    ratios = []
    for one in launches:
        clock, highest = one.quantities.get("sm_clock"), one.quantities.get("sm_clock_maximum")
        top = gpu.clock or (highest if isinstance(highest, float) else None)
        if isinstance(clock, float) and clock > 0 and top:
            ratios.append(top / clock)
    return statistics.median_low(ratios) if ratios else None


def remarks(found: Factor, median: int) -> Iterator[str]:
    """Say in words what the factor means."""
    if found.value is None or found.unexplained is None:
        return
    taken = f"profiling took {digits(found.value)} times as long as the real launches"
    if not found.clocks:
        yield f"{taken}; the clocks of the two runs are not known"
        return
    explained = f"{taken}; the lower clock explains up to {digits(found.clocks)}"
    if found.unexplained <= NEAR:
        yield explained
    elif found.value < found.clocks:
        yield (
            f"{explained}: in the program the kernel is slower than alone, beside other work"
            " or with other data"
        )
    elif median < _COLD:
        yield f"{explained}, and short kernels suffer most from the caches being emptied"
    else:
        yield f"{explained}: the rest is emptied caches, or other data than in the timeline"

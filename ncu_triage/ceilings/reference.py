"""Which walls a kernel stands at, so that what it reaches is what can be reached; or why none.

Only the judgement with the usual assumptions is asked: a kernel that another unit, latency
or an empty GPU holds back says nothing about what DRAM or a pipe could do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ncu_triage.ceilings.file import LEAST_PCT, Mix
from ncu_triage.model import CatalogueEntry, Extent, KernelDiagnosis
from ncu_triage.units import percent, show

SHORTEST = 20e-6
_ONE_WAY = 0.9
_CACHE_SECTION = "--section SpeedOfLight_HierarchicalSingleRooflineChart"
# Where the FMA pipe's peak is the issue rate, a good product fills the issue slots first.
_COMPUTE_KINDS = ("compute-pipe", "issue-bound", "l1-shared-bandwidth")
# Warnings of the measurement after which none of the launch's counters is to be trusted.
_FAILED = ("not a number", "an earlier launch")
_PIPE_OF = {
    "fp64": "pipe_fp64_pct",
    "fp32": "pipe_fma_pct",
    "fp16": "pipe_fp16_pct",
    "tensor": "pipe_tensor_pct",
}
_KINDS = {
    "l2-bandwidth": "L2 bandwidth",
    "l1-shared-bandwidth": "L1 and shared memory",
    "compute-pipe": "a math pipe",
    "issue-bound": "issue slots",
    "latency": "latency",
    "underfilled": "too few blocks",
    "launch-dominated": "its launch",
}


class Candidate(NamedTuple):
    """What one launch reached of one roof."""

    unit: str
    mix: Mix | None
    value: float
    nominal: float
    busy_pct: float | None
    sm_clock: float | None
    kernel: str
    shape: tuple[str, Extent | None, Extent | None]
    report: str

    @property
    def share_pct(self) -> float:
        """Return the percentage of the nominal value."""
        return 100 * self.value / self.nominal


class Refused(NamedTuple):
    """A kernel that is no reference, and why in a few words."""

    kernel: str
    why: str


def reached(
    kernel: KernelDiagnosis, catalogue: Mapping[str, CatalogueEntry], report: str
) -> list[Candidate] | Refused:
    """Return what a launch shows of the walls it stands at."""
    numbers = _Numbers(kernel, catalogue)
    why = _unfit(kernel, numbers)
    if why is None:
        tried = _tried(kernel, numbers)
        found = [one for one in tried if not isinstance(one, str)]
        if found:
            return [_candidate(one, kernel, report) for one in found]
        why = next((one for one in tried if isinstance(one, str)), _elsewhere(kernel))
        if tried and kernel.bottleneck.kind == "issue-bound":
            why = f"limited by issue slots, {why}"
    return Refused(kernel.name, why)


class _Wall(NamedTuple):
    """A roof with what was reached of it."""

    unit: str
    value: float
    nominal: float
    busy_pct: float | None
    mix: Mix | None = None


class _Numbers(NamedTuple):
    """A kernel's quantities, with which of them are estimates."""

    kernel: KernelDiagnosis
    catalogue: Mapping[str, CatalogueEntry]

    def get(self, name: str) -> float | None:
        """Return a number, None where it is missing."""
        value = self.kernel.quantities.get(name)
        return value if isinstance(value, float) else None

    def counted(self, name: str) -> float | None:
        """Return a number that rests on counters; an estimate is none."""
        origin = self.kernel.provenance.get(name) or self.catalogue.get(name)
        return None if origin is None or origin.estimated else self.get(name)


def _unfit(kernel: KernelDiagnosis, numbers: _Numbers) -> str | None:
    """Say why a launch measures nothing at all."""
    duration = numbers.get("duration")
    failed = next((w.warning for w in kernel.measurement for f in _FAILED if f in w.warning), None)
    if failed:
        return f"the measurement is suspect: {failed}"
    if kernel.workload != "kernel":
        return f"a {kernel.workload} of several kernels"
    if duration is None:
        return "its duration was not measured"
    if duration < SHORTEST:
        return f"runs for less than {show(SHORTEST, 's')}: too short to be measured well"
    above = [name for name, value in kernel.quantities.items() if _impossible(name, value)]
    if above:
        return f"the measurement is suspect: {above[0]} is above 100 %"
    return None


def _impossible(name: str, value: object) -> bool:
    return name.endswith("_throughput_pct") and isinstance(value, float) and value > 100.5


def _tried(kernel: KernelDiagnosis, numbers: _Numbers) -> list[_Wall | str]:
    """Measure each wall that the judgement names; a text where it is not reached."""
    kind = kernel.bottleneck.kind
    tried: list[_Wall | str] = []
    if kind == "dram-bandwidth":
        tried.append(_dram(numbers))
    if kind == "l2-bandwidth":
        tried.append(_cache(numbers, "L2", "l2_throughput_pct"))
    if kind == "l1-shared-bandwidth":
        tried.append(_cache(numbers, "L1", "l1_throughput_active_pct"))
    if kind in _COMPUTE_KINDS:
        tried += _compute(numbers, kind)
    return tried


def _dram(numbers: _Numbers) -> _Wall | str:
    moved, nominal = numbers.counted("dram_bandwidth"), numbers.get("dram_peak_nominal")
    read, written = numbers.get("dram_bytes_read"), numbers.get("dram_bytes_written")
    if moved is None or read is None or written is None or not read + written:
        return "its DRAM bytes were not counted; add --set full"
    if not nominal:
        return "the report does not tell the memory's nominal bandwidth"
    share = read / (read + written)
    mix: Mix = "read" if share >= _ONE_WAY else "write" if share <= 1 - _ONE_WAY else "copy"
    return _at_wall(_Wall("DRAM", moved, nominal, numbers.get("dram_throughput_pct"), mix))


def _cache(numbers: _Numbers, level: str, busy: str) -> _Wall | str:
    moved = numbers.get(f"{level.lower()}_bandwidth")
    nominal = numbers.get(f"{level.lower()}_peak_bandwidth")
    if not moved or not nominal:
        return f"the bytes of {level} or their peak were not counted; add {_CACHE_SECTION}"
    return _at_wall(_Wall(level, moved, nominal, numbers.get(busy)))


def _compute(numbers: _Numbers, kind: str) -> list[_Wall | str]:
    """Measure each precision; beside a busy L1 only one whose pipe is busier still."""
    l1 = numbers.get("l1_throughput_active_pct") or 0.0
    found: list[_Wall | str] = []
    for precision, pipe in _PIPE_OF.items():
        work, peak = numbers.get(f"flops_{precision}"), numbers.get(f"peak_flops_{precision}")
        busy = numbers.get(pipe)
        if work and peak and (kind != "l1-shared-bandwidth" or (busy or 0.0) > l1):
            unit = precision
            if precision == "tensor":
                unit = f"tensor_{numbers.kernel.quantities.get('tensor_precision')}"
            found.append(_at_wall(_Wall(unit, work, peak, busy)))
    if found or kind == "l1-shared-bandwidth":
        return found
    return ["its floating-point work was not counted; add --set full"]


def _at_wall(wall: _Wall) -> _Wall | str:
    share = 100 * wall.value / wall.nominal
    if share > 100:
        return f"{wall.unit} at {percent(share)} of nominal: the counter or the peak is wrong"
    if share < LEAST_PCT:
        return f"{wall.unit} at {percent(share)} of nominal: far from its wall"
    return wall


def _candidate(wall: _Wall, kernel: KernelDiagnosis, report: str) -> Candidate:
    clock = kernel.quantities.get("sm_clock")
    return Candidate(
        unit=wall.unit,
        mix=wall.mix,
        value=wall.value,
        nominal=wall.nominal,
        busy_pct=wall.busy_pct,
        sm_clock=clock if isinstance(clock, float) else None,
        kernel=kernel.name,
        shape=(kernel.demangled, kernel.grid, kernel.block),
        report=report,
    )


def _elsewhere(kernel: KernelDiagnosis) -> str:
    """Say what holds a kernel back that stands at no wall."""
    limit = _KINDS.get(kernel.bottleneck.kind)
    return f"limited by {limit}: far from any wall" if limit else "too few numbers to judge it"

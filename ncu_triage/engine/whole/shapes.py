"""One kernel in several shapes: those that take longer for the same work, and L2 cliffs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Case,
    Theme,
    Whole,
    entry,
    guess,
    median,
    ranked,
    seconds,
)
from ncu_triage.model import UNNAMED, Kernel, KernelDiagnosis

# Below this a launch's start and end are part of its time.
_LEAST_SECONDS = 1e-5
# Below this a launch does not reach the bandwidth that it would hold.
_LEAST_FOR_PACE = 2e-5
# A grid that does not fill the GPU has a rule of its own.
_OTHER_REASONS = ("underfilled", "launch-dominated")
_MEMORY = ("dram-bandwidth", "l2-bandwidth")
_COMPUTE = ("compute-pipe", "issue-bound")
# A shape is slow from here on, over the best one.
_SLOW = 1.5
# Beyond this an equal number of threads has other work to do, rather than a slow shape.
_OTHER_WORK = 8.0
# So much more of the traffic comes from DRAM where a working set has left L2.
_REFETCH = 1.5
_SAME_THREADS = 0.01


class _Shape(NamedTuple):
    """The launches of a kernel in one shape, by their medians.

    `traffic` are the bytes between L2 and the SMs, `fetched` those of DRAM: with caches
    flushed before each launch, about the working set while L2 holds it.
    """

    launches: Sequence[Kernel]
    time: float
    threads: float
    traffic: float | None
    fetched: float | None
    l2: float | None
    memory_bound: bool
    computes: bool

    @property
    def paced(self) -> bool:
        """Tell whether the time for a byte says how quickly data come."""
        return bool(self.traffic) and not self.computes and self.time >= _LEAST_FOR_PACE

    @property
    def fits(self) -> bool | None:
        """Tell whether the working set stays in L2; None where that is not known."""
        return None if self.fetched is None or not self.l2 else self.fetched <= self.l2


class _Slow(NamedTuple):
    """A slow shape beside the best one, with its time over that one's for the same work."""

    shape: _Shape
    best: _Shape
    ratio: float

    @property
    def extra(self) -> float:
        """What all launches of the shape would save at the best one's pace."""
        return sum(map(seconds, self.shape.launches)) * (1 - 1 / self.ratio)


def slow_shapes(whole: Whole) -> Theme:
    """Find shapes of a kernel that take longer for the same work than its best shape.

    The work is told by the bytes, where memory limits the kernel in its best shape, and
    else by the number of threads, where that is the same.
    """
    if not whole.seconds:
        return Theme()
    names = [shapes for shapes in _by_name(whole.kernels) if len(shapes) > 1]
    by_bytes = [slow for shapes in names for slow in _by_bytes(shapes)]
    known = {id(slow.shape) for slow in by_bytes} | {id(slow.best) for slow in by_bytes}
    found = [
        slow for shapes in names for slow in _by_threads(shapes) if id(slow.shape) not in known
    ]
    numbers = _numbers("slow_shape", [*by_bytes, *found], whole)
    if found:
        numbers["slow_shapes_by_threads"] = float(len(found))
    return Theme(numbers, ranked(_case("slow_shape", slow) for slow in [*by_bytes, *found]))


def l2_cliff(whole: Whole) -> Theme:
    """Find shapes whose time for a byte jumps where the working set leaves L2."""
    if not whole.seconds:
        return Theme()
    names = [shapes for shapes in _by_name(whole.kernels) if len(shapes) > 1]
    limited = [shapes for shapes in names if any(s.memory_bound for s in shapes)]
    if limited and not any(s.traffic and s.fits is not None for ss in limited for s in ss):
        return Theme()
    found = [slow for shapes in names for slow in _beyond_l2(shapes)]
    return Theme(
        _numbers("l2_cliff", found, whole),
        ranked(_case("l2_cliff", slow) for slow in found),
    )


def _by_name(kernels: Iterable[KernelDiagnosis]) -> list[list[_Shape]]:
    """Return the shapes of each kernel; those that are slow for other reasons are left out.

    Kernels whose names a table has lost are not taken for one.
    """
    groups: dict[int, list[KernelDiagnosis]] = defaultdict(list)
    for kernel in kernels:
        if kernel.demangled not in ("", UNNAMED):
            groups[kernel.group].append(kernel)
    found: dict[tuple[str, int | None], list[_Shape]] = defaultdict(list)
    for launches in groups.values():
        shape = _shape(launches)
        if shape:
            found[launches[0].demangled, launches[0].device].append(shape)
    return list(found.values())


def _shape(launches: Sequence[KernelDiagnosis]) -> _Shape | None:
    time = median(launches, "duration")
    kinds = {k.bottleneck.kind for k in launches}
    if time is None or time < _LEAST_SECONDS or kinds & set(_OTHER_REASONS):
        return None
    bandwidth = median(launches, "l2_bandwidth")
    blocks, block = median(launches, "grid_size"), median(launches, "block_size")
    return _Shape(
        launches=launches,
        time=time,
        threads=(blocks or 0.0) * (block or 0.0),
        traffic=bandwidth * time if bandwidth else None,
        fetched=median(launches, "dram_bytes"),
        l2=median(launches, "l2_size"),
        memory_bound=bool(kinds & set(_MEMORY)),
        computes=bool(kinds & set(_COMPUTE)),
    )


def _by_bytes(shapes: Sequence[_Shape]) -> list[_Slow]:
    """Hold the time for a byte against that of the best shape on the same side of L2's size.

    Bytes tell the work only if memory is what the best shape waits for.
    """
    found = []
    for side in (True, False):
        alike = [s for s in shapes if s.fits is side and s.paced]
        best = min(alike, key=_pace, default=None)
        if best is not None and best.memory_bound:
            slow = (_Slow(s, best, _pace(s) / _pace(best)) for s in alike)
            found += [one for one in slow if one.ratio >= _SLOW]
    return found


def _by_threads(shapes: Sequence[_Shape]) -> list[_Slow]:
    """Hold the time against that of the best shape with the same number of threads."""
    found = []
    for shape in shapes:
        alike = [s for s in shapes if shape.threads and _near(s.threads, shape.threads)]
        best = min(alike, key=lambda s: s.time, default=shape)
        if _SLOW * best.time <= shape.time <= _OTHER_WORK * best.time:
            found.append(_Slow(shape, best, shape.time / best.time))
    return found


def _beyond_l2(shapes: Sequence[_Shape]) -> list[_Slow]:
    """Hold shapes beyond L2's size against the best one within, by time for a byte."""
    inside = min((s for s in shapes if s.fits and s.paced), key=_pace, default=None)
    if inside is None:
        return []
    outside = [s for s in shapes if s.fits is False and s.paced]
    slow = [_Slow(s, inside, _pace(s) / _pace(inside)) for s in outside]
    return [
        one
        for one in slow
        if one.ratio >= _SLOW and _fetched_share(one.shape) >= _REFETCH * _fetched_share(inside)
    ]


def _pace(shape: _Shape) -> float:
    """Return the seconds for a byte that the SMs ask L2 for."""
    return shape.time / (shape.traffic or 1.0)


def _fetched_share(shape: _Shape) -> float:
    return (shape.fetched or 0.0) / (shape.traffic or 1.0)


def _near(value: float, to: float) -> bool:
    return abs(value - to) <= _SAME_THREADS * to


def _numbers(prefix: str, found: Sequence[_Slow], whole: Whole) -> dict[str, float]:
    extra = sum(slow.extra for slow in found)
    numbers = {
        f"{prefix}s": float(len(found)),
        f"{prefix}_time": extra,
        f"{prefix}_time_pct": whole.share(extra),
    }
    if found:
        numbers[f"{prefix}_ratio"] = max(slow.ratio for slow in found)
    return numbers


def _case(prefix: str, slow: _Slow) -> Case:
    numbers = {f"{prefix}_ratio": slow.ratio, f"{prefix}_time": slow.extra}
    if prefix == "l2_cliff":
        numbers |= {"working_set": slow.shape.fetched or 0.0, "l2_size": slow.shape.l2 or 0.0}
    launches = slow.shape.launches
    time = sum(map(seconds, launches))
    against = min(slow.best.launches, key=lambda k: abs(seconds(k) - slow.best.time)).id
    return Case([k.id for k in launches], time, numbers, against=against)


_PACE = "median duration / (l2_bandwidth * duration)"
ENTRIES = {
    "slow_shapes": entry("shape", "Slow shapes", "shapes at 1.5 times the best one's time or more"),
    "slow_shape_ratio": entry(
        "", "Time over the best shape's for the same work", f"{_PACE}, or duration at equal threads"
    ),
    "slow_shape_time": guess(
        "s", "Time lost against the best shape", "sum of duration * (1 - 1 / slow_shape_ratio)"
    ),
    "slow_shape_time_pct": guess(
        "%", "Time lost against the best shape", "100 * slow_shape_time / total_duration", ALL_TIME
    ),
    "slow_shapes_by_threads": entry(
        "shape",
        "Of these, told by equal numbers of threads",
        "count, where bytes do not tell the work",
    ),
    "l2_cliffs": entry("shape", "Shapes beyond L2", "shapes whose dram_bytes exceed l2_size"),
    "l2_cliff_ratio": entry("", "Time for a byte, over a shape that fits", _PACE),
    "l2_cliff_time": guess(
        "s", "Time lost beyond L2", "sum of duration * (1 - 1 / l2_cliff_ratio)"
    ),
    "l2_cliff_time_pct": guess(
        "%", "Time lost beyond L2", "100 * l2_cliff_time / total_duration", ALL_TIME
    ),
    "working_set": guess("byte", "Bytes from DRAM", "dram_bytes, more than the working set"),
}

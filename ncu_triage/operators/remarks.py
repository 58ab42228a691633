"""What the numbers of an operator mean, said once for every output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ncu_triage.model import KernelDiagnosis, OperatorBest, OperatorMeasured
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.match import Matched
from ncu_triage.operators.theory import Theory
from ncu_triage.units import digits, percent, show

MUCH, LITTLE = 1.25, 0.95  # traffic, in least bytes
_MORE_WORK, _LESS_WORK = 1.1, 0.9  # FLOPs counted, in FLOPs of the shape
_TOO_FAST = 0.98  # time, in best times
# Before a launch L2 may hold inputs, and after it outputs that are not written back yet.
_L2_TWICE = 2


class Case(NamedTuple):
    """An operator's numbers together, as far as there are any."""

    matched: Matched
    theory: Theory
    measured: OperatorMeasured
    best: list[OperatorBest]
    l2_bytes: float | None

    @property
    def kind(self) -> Kind:
        """What the operator is."""
        return self.matched.entry.kind

    @property
    def traffic(self) -> float | None:
        """DRAM bytes over least bytes."""
        moved = self.measured.dram_bytes
        return None if moved is None else moved / self.theory.bytes

    @property
    def work(self) -> float | None:
        """FLOPs counted over FLOPs in theory."""
        counted = self.measured.flops
        return counted / self.theory.flops if counted is not None and self.theory.flops else None

    @property
    def over_best(self) -> float | None:
        """The time over the best that can be achieved."""
        if self.measured.duration is None or not self.best:
            return None
        return self.measured.duration / self.best[-1].time


def remarks(case: Case) -> list[str]:
    """Say what a reader should know before believing the numbers, and what they point at."""
    return [*_calls(case), *_traffic(case), *_work(case), *_time(case), *padding(case.theory)]


def _calls(case: Case) -> Iterator[str]:
    found = case.matched
    launches, calls = len(found.launches), found.calls
    each = launches / calls
    if found.counted and each > 1:
        yield (
            f"Its {launches:,} launches are taken for {_count(calls, 'call')} of "
            f"{digits(each)} launches each, because every kernel has a multiple of {calls:,}; "
            "`calls:` sets another number."
        )
    if each > 1:
        yield "What passes from one launch of a call to the next counts as traffic, too."
    shapes = _shapes(found.launches)
    if shapes > 1:
        yield (
            f"Launches of one kernel with {shapes} different grids are among them: if they work "
            "on different shapes, describe each with `grid:`."
        )
    gpus = len({kernel.device for kernel in found.launches})
    if gpus > 1:
        yield f"It ran on {gpus} GPUs; the roofs are those of the longest launch."


def _shapes(launches: list[KernelDiagnosis]) -> int:
    """Return the most grids that one kernel has."""
    grids: dict[str, set[object]] = {}
    for kernel in launches:
        grids.setdefault(kernel.demangled, set()).add((kernel.grid, kernel.block))
    return max((len(found) for found in grids.values()), default=0)


def _traffic(case: Case) -> Iterator[str]:
    traffic, moved = case.traffic, case.measured.dram_bytes
    if traffic is None or moved is None:
        return
    if traffic >= MUCH and case.kind.amplified:
        yield case.kind.amplified
    if traffic < LITTLE:
        missing = case.theory.bytes - moved
        what = f"DRAM moved {show(missing, 'byte')} less than the least"
        l2 = case.l2_bytes
        if l2 is None:
            yield f"{what}: L2 held that, or the shape or the number of calls is not right."
        elif missing <= _L2_TWICE * l2:
            yield (
                f"{what}: L2 ({show(l2, 'byte')}) had a part of the inputs before, or has "
                "outputs that are not written back yet. That is no error."
            )
        else:
            yield (
                f"{what}, which is more than L2 ({show(l2, 'byte')}) can hold: check the shape, "
                "the type and the number of calls."
            )


def _work(case: Case) -> Iterator[str]:
    """Compare the FLOPs only of matrix work: others are counted by convention."""
    work = case.work
    if work is None or case.kind.math != "tensor":
        return
    if work > _MORE_WORK:
        yield (
            f"{digits(work)} times the FLOPs of this shape were counted: padding to the kernel's "
            "tile, work done twice, or a larger shape than is given here."
        )
    if work < _LESS_WORK:
        yield (
            f"Only {digits(work)} times the FLOPs of this shape were counted: check the shape "
            "and the calls, and whether all launches are matched."
        )


def _time(case: Case) -> Iterator[str]:
    over = case.over_best
    if over is None or over >= _TOO_FAST:
        return
    if case.traffic is not None and case.traffic < LITTLE and case.best[-1].limited_by == "dram":
        yield "It took less than the roofline's best, because not everything came from DRAM."
    else:
        yield (
            f"It took {digits(over)} times the roofline's best, which cannot be: check the shape, "
            "the type and the number of calls."
        )


def padding(theory: Theory) -> Iterator[str]:
    """Say what padding there is, and what it costs."""
    useful = theory.useful_pct
    sizes = ", ".join(
        f"{name} {theory.shape[name]:,.0f} to {size:,.0f}"
        for name, size in theory.padded.items()
        if size != theory.shape[name]
    )
    if sizes and useful is not None:
        yield f"Padding of {sizes} is {percent(100 - useful)} of the work."


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")

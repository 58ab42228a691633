"""What the numbers of an operator mean, said once for every output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ncu_triage.model import KernelDiagnosis, OperatorBest, OperatorMeasured
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.match import Matched
from ncu_triage.operators.theory import Theory
from ncu_triage.units import digits, show

MUCH, LITTLE = 1.25, 0.95  # traffic, in least bytes
_MORE_WORK, _LESS_WORK = 1.1, 0.9  # FLOPs counted, in FLOPs of the shape
_TOO_FAST = 0.98  # time, in best times
# Before a launch L2 may hold inputs, and after it outputs that are not written back yet.
_L2_TWICE = 2


NOT_COLLECTED = "not collected"
_COLLECT = (
    ("dram_bytes", "DRAM bytes", "--section MemoryWorkloadAnalysis"),
    ("flops", "FLOPs", "--section SpeedOfLight_RooflineChart"),
)


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
    """Say what speaks against the numbers first, then how they were got and what they point at."""
    doubts = [*_missing_traffic(case), *_time(case), *_work(case), *_launches(case)]
    return [*doubts, *_calls(case), *_more_traffic(case)]


def collect(case: Case, absent: Mapping[str, str]) -> Iterator[str]:
    """Say what would collect the numbers that are missing, and would say something."""
    for quantity, what, section in _COLLECT:
        if quantity == "flops" and not case.theory.flops:
            continue
        if absent.get(quantity, "").startswith(NOT_COLLECTED):
            yield f"{what} were not collected: add `{section}`."


def _calls(case: Case) -> Iterator[str]:
    found = case.matched
    launches, calls = len(found.launches), found.calls
    if launches <= calls:
        return
    if found.counted:
        taken = f"{calls:,} calls of {launches // calls:,} each" if calls > 1 else "one call"
        yield f"Its {launches:,} launches are taken for {taken}; `calls:` sets another number."
    yield "What passes from one launch of a call to the next counts as traffic, too."


def _launches(case: Case) -> Iterator[str]:
    found = case.matched
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


def _more_traffic(case: Case) -> Iterator[str]:
    if case.traffic is not None and case.traffic >= MUCH and case.kind.amplified:
        yield f"Why more bytes move than have to, usually: {case.kind.amplified}"


def _missing_traffic(case: Case) -> Iterator[str]:
    """Say why less moved than the least: what L2 held, or a shape that is not right."""
    moved = case.measured.dram_bytes
    if moved is None or moved >= LITTLE * case.theory.bytes:
        return
    missing, l2 = case.theory.bytes - moved, case.l2_bytes
    what = f"DRAM moved {show(missing, 'byte')} less than the least"
    if l2 is None:
        yield f"{what}: L2 held that, or the shape or the number of calls is not right."
    elif missing <= _L2_TWICE * l2:
        yield (
            f"{what}: L2 ({show(l2, 'byte')}) had a part of the inputs before, or has outputs "
            "that are not written back yet. That is no error."
        )
    else:
        yield (
            f"{what}, which is more than L2 ({show(l2, 'byte')}) can hold: check the shape, the "
            "type and the number of calls."
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
    over, time = case.over_best, case.measured.duration
    if over is None or time is None or over >= _TOO_FAST:
        return
    nominal = case.best[0]
    if case.traffic is not None and case.traffic < LITTLE and nominal.limited_by == "dram":
        yield "It took less than the roofline's best, because not everything came from DRAM."
    elif time >= _TOO_FAST * nominal.time:
        yield (
            "It is faster than the best from experience: what such a GPU usually reaches of its "
            f"bandwidth. At the nominal bandwidth {show(nominal.time, 's')} would be the best."
        )
    else:
        yield (
            f"It took {digits(time / nominal.time)} times the best at nominal peak, which cannot "
            "be: check the shape, the type and the number of calls."
        )

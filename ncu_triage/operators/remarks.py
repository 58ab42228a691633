"""What the numbers of an operator mean, said once for every output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncu_triage.model import KernelDiagnosis
from ncu_triage.operators.case import Case
from ncu_triage.operators.doubts import LESS_WORK, LITTLE, MORE_WORK, TOO_FAST, doubts, in_l2
from ncu_triage.units import digits, show

MUCH = 1.25  # traffic, in least bytes
_CHECK = "Check the shape, the type and the number of calls."
NOT_COLLECTED = "not collected"
_COLLECT = (
    ("dram_bytes", "DRAM bytes", "--section MemoryWorkloadAnalysis"),
    ("flops", "FLOPs", "--section SpeedOfLight_RooflineChart"),
)


def remarks(case: Case) -> list[str]:
    """Say what speaks against the numbers first, then how they were got and what they point at.

    Where they cannot be right, nothing is explained by them.
    """
    doubtful = doubts(case)
    if doubtful:
        return [" ".join([*doubtful, _CHECK]), *_launches(case), *_calls(case)]
    told = [*_missing_traffic(case), *_time(case), *_work(case), *_launches(case)]
    return [*told, *_calls(case), *_more_traffic(case)]


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
    """Say why less moved than the least, where L2 can have held it."""
    moved, l2, work = case.measured.dram_bytes, case.l2_bytes, case.compared_work
    if moved is None or moved >= LITTLE * case.theory.bytes:
        return
    what = f"DRAM moved {show(case.theory.bytes - moved, 'byte')} less than the least"
    if l2 is None or (work is not None and work < LESS_WORK):
        yield f"{what}: L2 held that, or the shape or the number of calls is not right."
    else:
        yield (
            f"{what}: L2 ({show(l2, 'byte')}) had a part of the inputs before, or has outputs "
            "that are not written back yet. That is no error."
        )


def _work(case: Case) -> Iterator[str]:
    """Compare the FLOPs only of matrix work: others are counted by convention."""
    work = case.compared_work
    if work is None:
        return
    if work > MORE_WORK:
        yield (
            f"{digits(work)} times the FLOPs of this shape were counted: padding to the kernel's "
            "tile, work done twice, or a larger shape than is given here."
        )
    if work < LESS_WORK:
        yield (
            f"Only {digits(work)} times the FLOPs of this shape were counted: check the shape "
            "and the calls, and whether all launches are matched."
        )


def _time(case: Case) -> Iterator[str]:
    """Say why it took less than the best: data that was in L2, or a roof that is too low."""
    over = case.over_best
    if over is None or over >= TOO_FAST:
        return
    if over >= TOO_FAST * (1 - in_l2(case)):
        why = "because" if case.traffic is not None else "perhaps because"  # bytes unknown
        yield f"It took less than the roofline's best, {why} not everything came from DRAM."
        return
    nominal = f"At the nominal bandwidth {show(case.best[0].time, 's')} would be the best."
    # A measured ceiling that a launch exceeds is not applied to it.
    yield (
        "It is faster than the best from experience: what such a GPU usually reaches of its "
        f"bandwidth. {nominal}"
    )

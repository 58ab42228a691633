"""What speaks against a shape, a type or a number of calls: numbers that cannot be so.

One place decides it, so that no remark explains away what another one calls impossible.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.operators.case import Case
from ncu_triage.units import digits, show

LITTLE = 0.95  # traffic, in least bytes
MORE_WORK, LESS_WORK = 1.1, 0.9  # FLOPs counted, in FLOPs of the shape
TOO_FAST = 0.98  # time, in best times
# Before a launch L2 may hold inputs, and after it outputs that are not written back yet.
L2_TWICE = 2
_FITS = 0.5  # of L2: below, nothing has to be read again from DRAM


def doubts(case: Case) -> list[str]:
    """Return sentences on what cannot be with the shape that was given; none: nothing."""
    found = [*_too_little_traffic(case), *_too_fast(case), *_too_much_traffic(case)]
    return [*found, *_other_work(case)] if found else []


def in_l2(case: Case) -> float:
    """Return the share (0-1) of the least bytes that may have come from L2, not from DRAM."""
    if case.traffic is not None:
        return max(0.0, 1 - case.traffic)
    return min(1.0, L2_TWICE * (case.l2_bytes or 0.0) / case.theory.bytes)


def _too_little_traffic(case: Case) -> Iterator[str]:
    moved, l2 = case.measured.dram_bytes, case.l2_bytes
    if moved is None or l2 is None or case.theory.bytes - moved <= L2_TWICE * l2:
        return
    if moved < LITTLE * case.theory.bytes:
        missing = show(case.theory.bytes - moved, "byte")
        yield (
            f"DRAM moved {missing} less than the least, which is more than L2"
            f" ({show(l2, 'byte')}) can hold."
        )


def _too_fast(case: Case) -> Iterator[str]:
    """Hold the time against nominal peaks: DRAM's for what moved through it, and compute's."""
    time = case.measured.duration
    if time is None or not case.best or time >= TOO_FAST * _fastest(case):
        return
    nominal = case.best[0].time
    yield f"It took {digits(time / nominal)} times the best at nominal peak, which cannot be."


def _fastest(case: Case) -> float:
    nominal, theory = case.best[0], case.theory
    # What L2 cannot have held has no excuse.
    held = 0.0 if any(_too_little_traffic(case)) else in_l2(case)
    memory = (1 - held) * theory.bytes / nominal.bandwidth if nominal.bandwidth else 0.0
    return max(memory, theory.flops / nominal.compute if nominal.compute else 0.0)


def _too_much_traffic(case: Case) -> Iterator[str]:
    """Tell a larger shape from data that is read again: what fits in L2 is read again there.

    Launches of one call may pass more than that to each other.
    """
    moved, l2, least = case.measured.dram_bytes, case.l2_bytes, case.theory.bytes
    several = len(case.matched.launches) > case.matched.calls
    counted = case.compared_work
    if moved is None or l2 is None or several or (counted is not None and counted <= MORE_WORK):
        return
    if least <= _FITS * l2 and moved - least > l2:
        yield (
            f"All its tensors ({show(least, 'byte')}) fit in L2 ({show(l2, 'byte')}), yet DRAM"
            f" moved {show(moved - least, 'byte')} more, which reading them again does not do: a"
            " larger shape than is given, or a workspace in memory."
        )


def _other_work(case: Case) -> Iterator[str]:
    work = case.compared_work
    if work is not None and work > MORE_WORK:
        yield f"{digits(work)} times the FLOPs of this shape were counted."
    if work is not None and work < LESS_WORK:
        yield f"Only {digits(work)} times the FLOPs of this shape were counted."

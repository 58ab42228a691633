"""The numbers that both kernels have with one meaning, and a few that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ncu_triage.compare.match import Pair
from ncu_triage.compare.meaning import Meanings
from ncu_triage.compare.runs import number
from ncu_triage.model import KernelDiagnosis, Stalls

# Amounts of work: a rate times the time it was kept up. A rate alone rises when the
# same work takes less time, which explains nothing.
_AMOUNTS = (
    ("fp64_operations", "flops_fp64", "FLOP", "Double-precision operations"),
    ("fp32_operations", "flops_fp32", "FLOP", "Single-precision operations"),
    ("tensor_operations", "flops_tensor", "FLOP", "Tensor operations"),
    ("l2_bytes", "l2_bandwidth", "byte", "Bytes from L2 to the SMs"),
)
# The same of the units, where no counter says what they were busy with: the set "basic".
_BUSY = (
    ("l1_busy_cycles", "l1_throughput_elapsed_pct", "Cycles in which L1 was busy"),
    ("l2_busy_cycles", "l2_throughput_pct", "Cycles in which L2 was busy"),
    ("sm_busy_cycles", "sm_throughput_pct", "Cycles in which the SMs were busy"),
)
_COUNTED = "instructions"
_OF_STATES = "warp states"


class Number(NamedTuple):
    """A quantity's values before and after, and what it is."""

    before: float
    after: float
    id: str
    label: str
    unit: str
    basis: str | None


def numbers_of(pair: Pair, meanings: Meanings) -> dict[str, Number]:
    """Return every number that may be held against its other side."""
    before, after = pair.before.speaker, pair.after.speaker
    found = [*_quantities(before, after, meanings), *_amounts(before, after, meanings)]
    found += _stalls(before.stalls, after.stalls)
    numbers = {one.id: one for one in found}
    if _COUNTED not in numbers:
        numbers |= {one.id: one for one in _busy(numbers)}
    return numbers


def _quantities(
    before: KernelDiagnosis, after: KernelDiagnosis, meanings: Meanings
) -> Iterator[Number]:
    for id in before.quantities:
        mine, yours = number(before, id), number(after, id)
        if mine is None or yours is None or not meanings.same(before, after, id):
            continue
        entry = meanings.entry(id)
        yield Number(mine, yours, id, entry.label or id, entry.unit, entry.basis)


def _amounts(
    before: KernelDiagnosis, after: KernelDiagnosis, meanings: Meanings
) -> Iterator[Number]:
    for id, rate, unit, label in _AMOUNTS:
        if not meanings.same(before, after, rate):
            continue
        mine, yours = _amount(before, rate), _amount(after, rate)
        if mine is not None and yours is not None:
            yield Number(mine, yours, id, label, unit, None)


def _amount(kernel: KernelDiagnosis, rate: str) -> float | None:
    value, seconds = number(kernel, rate), number(kernel, "duration")
    return value * seconds if value is not None and seconds else None


def _busy(numbers: Mapping[str, Number]) -> Iterator[Number]:
    """Yield the cycles of work that a unit had: its utilisation times the time."""
    cycles = numbers.get("elapsed_cycles")
    for id, share, label in _BUSY:
        if cycles and (part := numbers.get(share)):
            before, after = part.before * cycles.before / 100, part.after * cycles.after / 100
            yield Number(before, after, id, label, "cycle", None)


def _stalls(before: Stalls | None, after: Stalls | None) -> Iterator[Number]:
    """Yield the shares of warp states, if both sides counted them in one way."""
    if before is None or after is None or before.source != after.source:
        return
    for state in before.fractions.keys() | after.fractions.keys():
        mine, yours = (100 * one.fractions.get(state, 0.0) for one in (before, after))
        label = f"Warps in state {state.replace('_', ' ')}"
        yield Number(mine, yours, f"stall_{state}_pct", label, "%", _OF_STATES)

"""Whether two kernels do the same work: another shape may be another problem."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncu_triage.compare.comparison import FindingChange
from ncu_triage.compare.match import Pair
from ncu_triage.compare.numbers import Number
from ncu_triage.compare.runs import Run
from ncu_triage.model import Extent
from ncu_triage.units import show

_SAME = 0.02  # work that differs by less is the same
_COUNTED = ("fp64_operations", "fp32_operations", "tensor_operations", "ideal_global_bytes")


def notes(pair: Pair, numbers: Mapping[str, Number]) -> list[str]:
    """Say what a reader must know of how the kernel is launched before comparing times."""
    return list(_notes(pair, numbers))


def _notes(pair: Pair, numbers: Mapping[str, Number]) -> Iterator[str]:
    before, after = pair.before.speaker, pair.after.speaker
    if (before.grid, before.block) != (after.grid, after.block):
        mine, yours = _threads(before.grid, before.block), _threads(after.grid, after.block)
        if mine == yours:
            yield "Launched with another shape, and as many threads."
        elif mine and yours:
            yield f"Launched with {yours:,} threads after {mine:,}: is it the same problem?"
        yield from _work([numbers[id] for id in _COUNTED if id in numbers])
    kinds = {kernel.bottleneck.kind for kernel in pair.after.launches}
    if len(kinds) > 1:
        yield f"Its launches have different bottlenecks: {', '.join(sorted(kinds))}."


def rarely(run: Run, findings: Sequence[FindingChange]) -> Iterator[str]:
    """Say which rules fired on fewer than half of the launches, worth a line or more."""
    for one in findings:
        if one.after in (None, "info"):
            continue
        count = sum(any(f.rule == one.rule for f in kernel.findings) for kernel in run.launches)
        yield f"In {count} of {len(run.launches)} launches: {one.title} ({one.fate})."


def _work(counted: list[Number]) -> Iterator[str]:
    """Hold the amounts of work against each other, those that either side has."""
    for one in counted:
        if not one.before and not one.after:
            continue
        same = abs(one.after - one.before) <= _SAME * max(one.before, one.after)
        text = f"{show(one.before, one.unit)} before, {show(one.after, one.unit)} after"
        yield f"{one.label}: the same." if same else f"{one.label}: {text}."


def _threads(grid: Extent | None, block: Extent | None) -> int | None:
    if grid is None or block is None:
        return None
    sizes = [*grid, *block]
    product = 1
    for size in sizes:
        product *= size
    return product

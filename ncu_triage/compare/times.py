"""The time and the cycles of a kernel before and after, and which of them to judge by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.compare.comparison import Change, Measure, Totals
from ncu_triage.compare.match import Pair
from ncu_triage.compare.runs import Run, number, numbers
from ncu_triage.compare.spread import change, whole, with_rest
from ncu_triage.model import KernelDiagnosis

CLOCKS_MOVED = 0.03
# Cycles and time come from different passes: below this, their ratio is no steady clock.
_STEADY_FROM = 20e-6
_NO_STEP = 0.0


class Timed(NamedTuple):
    """A pair's changes; seconds and cycles are over as many launches as both sides have."""

    time: Change | None
    cycles: Change | None
    measure: Measure | None
    paired: int
    seconds: tuple[float, float] | None
    counted: tuple[float, float] | None


def timed(pair: Pair) -> Timed:
    """Measure a pair of kernels."""
    before, after = pair.before, pair.after
    time = _change(before, after, "duration")
    cycles = _change(before, after, "elapsed_cycles", step=_NO_STEP)
    return Timed(
        time=time,
        cycles=cycles,
        measure=_measure(time, cycles, moved=_follows_clock(pair)),
        paired=min(len(before.launches), len(after.launches)),
        seconds=_like_for_like(before, after, "duration"),
        counted=_like_for_like(before, after, "elapsed_cycles"),
    )


def clock_moved(pair: Pair, id: str) -> tuple[float, float] | None:
    """Return a clock before and after where it moved too far to compare times."""
    before, after = number(pair.before.speaker, id), number(pair.after.speaker, id)
    if not before or not after or abs(after / before - 1) <= CLOCKS_MOVED:
        return None
    return before, after


def steady(pair: Pair) -> bool:
    """Say whether a kernel lasts long enough for its clock to be read."""
    speakers = pair.before.speaker, pair.after.speaker
    return min(number(kernel, "duration") or 0.0 for kernel in speakers) >= _STEADY_FROM


class Spent(NamedTuple):
    """What all launches of one side took, as far as it is known; and whether all say so."""

    seconds: float
    cycles: float
    all_timed: bool
    all_counted: bool

    @classmethod
    def of(cls, runs: Sequence[Run]) -> Spent:
        """Add up the launches of one side."""
        times = [numbers(run.launches, "duration") for run in runs]
        cycles = [numbers(run.launches, "elapsed_cycles") for run in runs]
        return cls(
            sum(seconds(run.launches) for run in runs),
            sum(sum(found) for found in cycles if found),
            all(found is not None for found in times),
            all(found is not None for found in cycles),
        )


def totals(all_timed: Sequence[Timed], spent: tuple[Spent, Spent]) -> Totals:
    """Add the pairs up; `spent` is what all launches of either side took."""
    times = [(*t.seconds, t.time) for t in all_timed if t.seconds and t.time]
    cycles = [(*t.counted, t.cycles) for t in all_timed if t.counted and t.cycles]
    time = whole(times)
    # Cycles of some kernels only would be another whole than the time is of.
    counted = whole(cycles) if len(cycles) >= len(times) else None
    measure = _whole_measure(all_timed, time, counted)
    return Totals(
        measure=measure,
        time=time,
        cycles=counted,
        launches=sum(t.paired for t in all_timed if t.time),
        unmatched_before=_rest(spent[0].seconds, [before for before, _, _ in times]),
        unmatched_after=_rest(spent[1].seconds, [after for _, after, _ in times]),
        overall=_overall(time, [side.seconds for side in spent if side.all_timed])
        if measure == "time"
        else _overall(counted, [side.cycles for side in spent if side.all_counted]),
    )


def _overall(paired: Change | None, spent: Sequence[float]) -> Change | None:
    """Return the change of all launches; None where that is the change of the pairs."""
    if paired is None or len(spent) < 2:
        return None
    rest = [
        _rest(all_, [own]) for all_, own in zip(spent, (paired.before, paired.after), strict=True)
    ]
    return with_rest(paired, rest[0], rest[1]) if any(rest) else None


def seconds(launches: Sequence[KernelDiagnosis]) -> float:
    """Add up the launches' durations, as far as they are known."""
    return sum(number(kernel, "duration") or 0.0 for kernel in launches)


def _rest(spent: float, matched: Sequence[float]) -> float:
    """Return what is left; a remainder of rounding is nothing."""
    left = spent - sum(matched)
    return left if left > 1e-9 * spent else 0.0


def _change(before: Run, after: Run, id: str, **step: float) -> Change | None:
    mine, yours = numbers(before.launches, id), numbers(after.launches, id)
    return change(mine, yours, **step) if mine and yours else None


def _like_for_like(before: Run, after: Run, id: str) -> tuple[float, float] | None:
    """Add up the first launches, as many as both sides have."""
    mine, yours = numbers(before.launches, id), numbers(after.launches, id)
    if not mine or not yours:
        return None
    count = min(len(mine), len(yours))
    return sum(mine[:count]), sum(yours[:count])


def _follows_clock(pair: Pair) -> bool:
    """Say whether an SM clock that moved took the time with it: not where DRAM limits."""
    kinds = {pair.before.speaker.bottleneck.kind, pair.after.speaker.bottleneck.kind}
    return kinds != {"dram-bandwidth"} and clock_moved(pair, "sm_clock") is not None


def _measure(time: Change | None, cycles: Change | None, *, moved: bool) -> Measure | None:
    """Choose cycles where the clocks moved, or where there is no time."""
    if cycles and (moved or not time):
        return "cycles"
    return "time" if time else None


def _whole_measure(
    all_timed: Sequence[Timed], time: Change | None, cycles: Change | None
) -> Measure | None:
    """Judge the whole by what most of its time is judged by."""
    if not time or not cycles:
        return "time" if time else "cycles" if cycles else None
    weights = {"time": 0.0, "cycles": 0.0}
    for one in all_timed:
        if one.measure and one.seconds:
            weights[one.measure] += one.seconds[0]
    return "cycles" if weights["cycles"] > weights["time"] else "time"

"""The first launch of a kernel against its later ones: warm-up, and new shapes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Case,
    Theme,
    Whole,
    entry,
    median,
    middle,
    number,
    ranked,
    seconds,
)
from ncu_triage.model import Kernel, KernelDiagnosis

# Fewer later launches have no spread to hold the first one against.
_LEAST_LATER = 3
# The first one is slow if it is beyond the spread of the later ones by this factor ...
_SPREADS = 6.0
_TO_SIGMA = 1.4826  # of a normal distribution, over the median deviation
# ... and by this much of their median, and by more than the clock's steps.
_SLOWER = 1.2
_LEAST_SECONDS = 2e-6
# So much may the work differ that counts as the same.
_SAME_WORK = 0.05


class _Slow(NamedTuple):
    """A slow first launch beside the later ones of its kernel and shape."""

    first: Kernel
    later: Sequence[Kernel]
    usual: float

    @property
    def extra(self) -> float:
        """What the first launch took beyond the usual."""
        return seconds(self.first) - self.usual


def slow_first(whole: Whole) -> Theme:
    """Find kernels whose first launch takes longer than the later ones for the same work.

    Work is counted by instructions. Nothing is said where a slow first launch has no such
    count: it may simply have had more to do.
    """
    slower = [slow for ks in _repeated(whole.kernels) if (slow := _slow(ks[0], ks[1:]))]
    found = [slow for slow in slower if _same_work(slow)]
    if not whole.seconds or (not found and any(_same_work(slow) is None for slow in slower)):
        return Theme()
    return Theme(_numbers(found, whole), ranked(map(_case, found)))


def _numbers(found: Sequence[_Slow], whole: Whole) -> dict[str, float]:
    extra = sum(slow.extra for slow in found)
    numbers = {
        "slow_first_kernels": float(len(found)),
        "slow_first_time": extra,
        "slow_first_time_pct": whole.share(extra),
    }
    if found:
        numbers["slow_first_ratio"] = max(seconds(s.first) / s.usual for s in found)
    shapes = Counter(slow.first.demangled for slow in found)
    again = sum(count for count in shapes.values() if count > 1)
    return numbers | ({"slow_first_shapes": float(again)} if again else {})


def _repeated(kernels: Iterable[KernelDiagnosis]) -> list[list[KernelDiagnosis]]:
    """Return the launches of each kernel and shape in a file, in their order."""
    found: dict[tuple[str, int], list[KernelDiagnosis]] = defaultdict(list)
    for kernel in kernels:
        if seconds(kernel):
            found[kernel.id.partition("/")[0], kernel.group].append(kernel)
    return [launches for launches in found.values() if len(launches) > _LEAST_LATER]


def _slow(first: Kernel, later: Sequence[Kernel]) -> _Slow | None:
    usual = middle(map(seconds, later))
    deviation = middle(abs(seconds(k) - usual) for k in later)
    beyond = seconds(first) - usual
    least = max(_LEAST_SECONDS, (_SLOWER - 1) * usual, _SPREADS * _TO_SIGMA * deviation)
    return _Slow(first, later, usual) if beyond > least else None


def _same_work(slow: _Slow) -> bool | None:
    """Tell whether the first launch did what the later ones do; None where no count tells."""
    own, usual = number(slow.first, "instructions"), median(slow.later, "instructions")
    return abs(own - usual) <= _SAME_WORK * usual if own and usual else None


def _case(slow: _Slow) -> Case:
    time = seconds(slow.first)
    numbers = {
        "slow_first_ratio": time / slow.usual,
        "later_median": slow.usual,
        "later_longest": max(map(seconds, slow.later)),
        "later_launches": float(len(slow.later)),
    }
    return Case([slow.first.id], time, numbers)


ENTRIES = {
    "slow_first_kernels": entry(
        "kernel",
        "Kernels with a slow first launch",
        "first launch over 1.2 * later_median and beyond 6 sigma of the later ones, with the"
        " same number of instructions",
    ),
    "slow_first_ratio": entry("", "First launch over the later ones", "duration / later_median"),
    "slow_first_time": entry("s", "Time lost in them", "sum of duration - later_median"),
    "slow_first_time_pct": entry(
        "%", "Time lost in them", "100 * slow_first_time / total_duration", ALL_TIME
    ),
    "slow_first_shapes": entry(
        "shape",
        "Of these, another shape of the same kernel",
        "count of slow first launches of kernels that have more than one",
    ),
    "later_median": entry("s", "Median of the later launches", "median of duration"),
    "later_longest": entry("s", "Longest of the later launches", "max of duration"),
    "later_launches": entry("launch", "Later launches", "count"),
}

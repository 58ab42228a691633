"""Small kernels that memory limits: none matters alone, together they may."""

from __future__ import annotations

from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Theme,
    Whole,
    by_name,
    case,
    entry,
    ranked,
    seconds,
)
from ncu_triage.model import KernelDiagnosis

# A kernel of less than this share of the time, in percent, is none that one would look at.
SMALL = 10.0
_MEMORY = ("dram-bandwidth", "l2-bandwidth")
_UNKNOWN = "insufficient-data"


def small_memory(whole: Whole) -> Theme:
    """Add up the kernels that memory limits and that take less than a tenth of the time each.

    A kernel's launches of all shapes count together. Nothing is said where no launch's
    limit is known.
    """
    if not any(_known(k) for k in whole.kernels):
        return Theme()
    names = by_name(whole.kernels)
    small = {key for key, ks in names.items() if whole.share(sum(map(seconds, ks))) < SMALL}
    limited = by_name(k for k in whole.kernels if k.bottleneck.kind in _MEMORY)
    cases = ranked(case(ks) for key, ks in limited.items() if key in small)
    time = sum(one.seconds for one in cases)
    return Theme(
        {
            "small_memory_kernels": float(len(cases)),
            "small_memory_launches": float(sum(len(one.kernels) for one in cases)),
            "small_memory_time": time,
            "small_memory_time_pct": whole.share(time),
            "small_memory_largest_pct": whole.share(max((c.seconds for c in cases), default=0.0)),
        },
        cases,
    )


def _known(kernel: KernelDiagnosis) -> bool:
    return kernel.bottleneck.kind != _UNKNOWN and seconds(kernel) > 0


_WHICH = "kernels below 10 % of the time that DRAM or L2 bandwidth limits"
ENTRIES = {
    "small_memory_kernels": entry("kernel", "Small memory-bound kernels", f"count of {_WHICH}"),
    "small_memory_launches": entry("launch", "Their launches", f"launches of {_WHICH}"),
    "small_memory_time": entry("s", "Time in them", f"sum of duration of {_WHICH}"),
    "small_memory_time_pct": entry(
        "%", "Time in them", "100 * small_memory_time / total_duration", ALL_TIME
    ),
    "small_memory_largest_pct": entry(
        "%", "Time in the largest of them", "100 * max of their time / total_duration", ALL_TIME
    ),
}

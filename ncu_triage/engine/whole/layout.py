"""Copies and changes of layout: launches that only move data, and the bytes they move."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Case,
    Theme,
    Whole,
    by_name,
    entry,
    number,
    ranked,
    seconds,
)
from ncu_triage.model import Kernel, KernelDiagnosis

# The rule `layout-copy` goes by the same words. The library's word for a copy may stand in
# a template argument; everything else there speaks of operands, not of what is done.
NAMES = (
    "(?i)transpos|permut|im2col|col2im|n[cdhw]{2,3}_?(to|2)_?n[cdhw]{2,3}"
    "|contiguous|_copy|copy_|copykernel|batchedcopy|memcpy|reorder|repack"
)
FUNCTORS = "direct_copy_kernel"
WORK = (
    "(?i)gemm|gemv|matmul|conv($|[^e])|[fdw]prop|[dw]grad|softmax|norm|pool|attention|sort|scan"
    "|reduc|fft|upsample|randperm|stencil"
)
_NAMES, _FUNCTORS, _WORK = (re.compile(text) for text in (NAMES, FUNCTORS, WORK))
# More floating-point operations than this, each second, are work.
_MOST_FLOPS = 1e9
_MOST_TENSOR = 1.0  # percent
# A copy reads what it writes: so alike both are where the traffic bears the name out.
_ALIKE = 1.25
# So different they are where it cannot be one, once both are more than caches hold.
_UNLIKE = 5.0
_PAST_CACHES = 2.0
_LEAST_BYTES = 1e6


def layout(whole: Whole) -> Theme:
    """Add up the launches that are copies by their name, and not anything else by traffic."""
    if not whole.seconds:
        return Theme()
    found = by_name(k for k in whole.kernels if is_layout_copy(k))
    copies = [k for ks in found.values() for k in ks]
    return Theme(_numbers(copies, whole), ranked(_case(ks, whole) for ks in found.values()))


def is_layout_copy(kernel: KernelDiagnosis) -> bool:
    """Tell whether a launch only moves data: its name says so, and no counter objects."""
    named = _NAMES.search(kernel.name) or _FUNCTORS.search(kernel.demangled)
    if not named or _WORK.search(kernel.name) or kernel.bottleneck.kind == "compute-pipe":
        return False
    works = (number(kernel, "flops") or 0.0) > _MOST_FLOPS
    works |= (number(kernel, "pipe_tensor_pct") or 0.0) > _MOST_TENSOR
    past_caches = max(_LEAST_BYTES, _PAST_CACHES * (number(kernel, "l2_size") or 0.0))
    return not works and (_imbalance(kernel, past_caches) or 1.0) <= _UNLIKE


def _numbers(copies: Sequence[Kernel], whole: Whole) -> dict[str, float]:
    time = sum(map(seconds, copies))
    moved = [b for k in copies if (b := number(k, "dram_bytes")) is not None]
    alike = [k for k in copies if (_imbalance(k, _LEAST_BYTES) or _UNLIKE) <= _ALIKE]
    found = {
        "layout_launches": float(len(copies)),
        "layout_time": time,
        "layout_time_pct": whole.share(time),
        "layout_alike": float(len(alike)),
    }
    # Of some launches only, the sum would say too little.
    return found | ({"layout_bytes": sum(moved)} if len(moved) == len(copies) else {})


def _case(copies: Sequence[Kernel], whole: Whole) -> Case:
    numbers = _numbers(copies, whole)
    shown = {id: value for id, value in numbers.items() if id in ("layout_bytes", "layout_alike")}
    return Case([k.id for k in copies], sum(map(seconds, copies)), shown)


def _imbalance(kernel: Kernel, least: float) -> float | None:
    """Return how many times as much a launch reads as it writes, or the other way round.

    None where they were not counted apart or are not more than `least` bytes.
    """
    read, written = number(kernel, "dram_bytes_read"), number(kernel, "dram_bytes_written")
    if read is None or written is None or read + written <= least:
        return None
    return max(read, written) / max(min(read, written), 1.0)


ENTRIES = {
    "layout_launches": entry(
        "launch", "Copies and changes of layout", "launches with such a name that do no other work"
    ),
    "layout_time": entry("s", "Time in them", "sum of duration"),
    "layout_time_pct": entry("%", "Time in them", "100 * layout_time / total_duration", ALL_TIME),
    "layout_bytes": entry("byte", "DRAM bytes they move", "sum of dram_bytes"),
    "layout_alike": entry(
        "launch",
        "Of these, read as much as they write",
        "count of dram_bytes_read within 25 % of dram_bytes_written, both being counted",
    ),
}

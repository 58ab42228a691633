"""Chains of launches that hand data on through DRAM: candidates for one fused kernel."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ncu_triage.engine.owner import owner
from ncu_triage.model import Kernel

# What is written and what is read next agree this well where it is the same data.
_ALIKE = 0.10
# Two versions of one kernel on the same data move equal amounts, but for noise.
_EQUAL = 0.03
# Small arrays stay in L2, and their traffic costs little.
_LEAST_BYTES = 1e6
# What runs for less than this hands little on, however fast DRAM is.
_LEAST_SECONDS = 5e-6
# Below this DRAM is not what a kernel waits for, in percent.
_BUSY = 50.0
# Kernels with more work per byte than this have a reason to stand alone.
_MOST_INTENSITY = 5.0
# Where the work was not counted, a name may tell that there is some.
_WORKS = re.compile(r"(?i)gemm|gemv|matmul|conv|attention|fft|sort|wgrad|dgrad|fprop")
# OpenACC and OpenMP name a kernel by its function and line: equal words are other loops.
_LINE = re.compile(r"_\d+_+gpu$|_F\d+L\d+|_l\d+")
_FIRST_WORD = re.compile(r"[A-Z]?[a-z]{4,}")


class Chain(NamedTuple):
    """Consecutive launches, the bytes between them, and the time those take."""

    members: tuple[Kernel, ...]
    bytes_between: float
    seconds: float


def chains(kernels: Iterable[Kernel]) -> list[Chain]:
    """Find chains of memory-bound launches in which each reads what the last one wrote.

    The members follow each other on one stream, in the order in which the profiler lists
    them, which is the order in which they ran. What a chain saves when fused are the bytes
    between its members, written once and read once; their time is taken at the bandwidth
    that the members reached.
    """
    return [chain for launches in _streams(kernels) for chain in _along(launches)]


def may_hide_chains(kernels: Iterable[Kernel]) -> bool:
    """Tell whether two launches could be a chain, had their reads and writes been counted."""
    return any(
        _uncounted(one) and _uncounted(next) and one.demangled != next.demangled
        for launches in _streams(kernels)
        for one, next in pairwise(launches)
    )


def _streams(kernels: Iterable[Kernel]) -> Iterable[list[Kernel]]:
    """Return the launches of each stream in their order.

    What runs in a range, a graph or a command list is not known, so nothing follows what
    lies before one.
    """
    streams: dict[tuple[object, ...], list[Kernel]] = defaultdict(list)
    others = 0
    for kernel in kernels:
        others += kernel.workload != "kernel"
        profile = kernel.id.rpartition("/")[0]  # a file, and a part of it
        place = (profile, kernel.device, kernel.context_name, kernel.stream, others)
        if kernel.workload == "kernel":
            streams[place].append(kernel)
    return streams.values()


def _uncounted(kernel: Kernel) -> bool:
    """Tell whether a launch may be memory-bound whose reads and writes were not counted."""
    busy = kernel.quantities.get("dram_throughput_pct", _BUSY)
    long = _number(kernel, "duration") >= _LEAST_SECONDS
    return long and not _counted(kernel) and isinstance(busy, float) and busy >= _BUSY


def _counted(kernel: Kernel) -> bool:
    return all(q in kernel.quantities for q in ("dram_bytes_read", "dram_bytes_written"))


def _along(launches: Iterable[Kernel]) -> list[Chain]:
    """Cut a stream's launches wherever one does not hand on to the next."""
    found: list[Chain] = []
    members: list[Kernel] = []
    for kernel in launches:
        # A kernel that comes again begins a loop anew rather than carrying a chain on.
        again = any(kernel.demangled == one.demangled for one in members)
        if members and (again or not _hands_on(members[-1], kernel)):
            found += _chain(members)
            members = []
        members = [*members, kernel] if _light(kernel) else []
    return found + _chain(members)


def _chain(members: Sequence[Kernel]) -> list[Chain]:
    if len(members) < 2:
        return []
    between = sum(_number(k, "dram_bytes_written") for k in members[:-1])
    moved = sum(_number(k, "dram_bytes_read") + _number(k, "dram_bytes_written") for k in members)
    seconds = sum(_number(k, "duration") for k in members)
    return [Chain(tuple(members), between, 2 * between / moved * seconds)]


def _hands_on(before: Kernel, after: Kernel) -> bool:
    """Tell whether a launch reads about as much as the one before it wrote."""
    if not _light(after) or _versions(before, after):
        return False
    written = _number(before, "dram_bytes_written")
    return written >= _LEAST_BYTES and _near(_number(after, "dram_bytes_read"), written, _ALIKE)


def _versions(before: Kernel, after: Kernel) -> bool:
    """Tell whether two kernels look like two versions of one, run on the same data.

    Names say so: one begins with the other, they differ in digits alone, or in what
    follows the first word while both move equal amounts. Libraries and compilers give
    one name to kernels that do different things.
    """
    if owner(before.demangled).kind in ("library", "generated") or _LINE.search(before.name):
        return False
    one, other = (re.sub(r"\d", "", k.name).strip("_") for k in (before, after))
    if one.startswith(other) or other.startswith(one):
        return True
    words = [match[0] for name in (one, other) if (match := _FIRST_WORD.match(name))]
    return len(words) == 2 and words[0] == words[1] and _equal_amounts(before, after)


def _equal_amounts(before: Kernel, after: Kernel) -> bool:
    return all(
        _near(_number(before, q), _number(after, q), _EQUAL)
        for q in ("dram_bytes_read", "dram_bytes_written")
    )


def _near(value: float, to: float, by: float) -> bool:
    return abs(value - to) <= by * to


def _light(kernel: Kernel) -> bool:
    """Tell whether a launch mostly moves data and its bytes were counted."""
    busy = _number(kernel, "dram_throughput_pct") >= _BUSY
    return busy and _counted(kernel) and not _works(kernel) and _number(kernel, "duration") > 0


def _works(kernel: Kernel) -> bool:
    """Tell whether a launch has much work to do for each byte; else by its name."""
    if "arithmetic_intensity" in kernel.quantities:
        return _number(kernel, "arithmetic_intensity") > _MOST_INTENSITY
    return _WORKS.search(kernel.name) is not None


def _number(kernel: Kernel, quantity: str) -> float:
    value = kernel.quantities.get(quantity)
    return value if isinstance(value, float) else 0.0

"""Chains of launches that hand data on through DRAM: candidates for one fused kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model import Kernel

# What is written and what is read next agree this well where it is the same data.
_ALIKE = 0.10
# Small arrays stay in L2, and their traffic costs little.
_LEAST_BYTES = 1e6
# Below this DRAM is not what a kernel waits for, in percent.
_BUSY = 50.0
# Kernels with more work per byte than this have a reason to stand alone.
_MOST_INTENSITY = 5.0


class Chain(NamedTuple):
    """Consecutive launches, the bytes between them, and the time those take."""

    kernels: list[str]
    bytes_between: float
    seconds: float


def chains(kernels: Sequence[Kernel]) -> list[Chain]:
    """Find chains of memory-bound launches in which each reads what the last one wrote.

    What a chain saves when fused are the bytes between its members, written once and read
    once; their time is taken at the bandwidth that the members reached.
    """
    found: list[Chain] = []
    members: list[Kernel] = []
    for kernel in kernels:
        if members and not _hands_on(members[-1], kernel):
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
    return [Chain([k.id for k in members], between, 2 * between / moved * seconds)]


def _hands_on(before: Kernel, after: Kernel) -> bool:
    """Tell whether a launch reads about as much as the one before it wrote.

    The same kernel twice is more often a repetition than a step that hands data on.
    """
    if (before.device, before.stream) != (after.device, after.stream) or not _light(after):
        return False
    if before.demangled == after.demangled:
        return False
    written, read = _number(before, "dram_bytes_written"), _number(after, "dram_bytes_read")
    return written >= _LEAST_BYTES and abs(read / written - 1) <= _ALIKE


def _light(kernel: Kernel) -> bool:
    """Tell whether a launch mostly moves data and its bytes were counted."""
    busy = _number(kernel, "dram_throughput_pct") >= _BUSY
    counted = all(q in kernel.quantities for q in ("dram_bytes_read", "dram_bytes_written"))
    intensity = kernel.quantities.get("arithmetic_intensity", 0.0)
    light = isinstance(intensity, float) and intensity <= _MOST_INTENSITY
    return busy and counted and light and _number(kernel, "duration") > 0


def _number(kernel: Kernel, quantity: str) -> float:
    value = kernel.quantities.get(quantity)
    return value if isinstance(value, float) else 0.0

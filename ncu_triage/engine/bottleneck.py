"""Decide what limits a kernel: exactly one kind, its confidence, and a sentence.

The order is that of a good diagnosis. A kernel of a few microseconds is mostly start
and end. Then the units that the whole chip shares, DRAM and L2: if one of them is near
what it can do, nothing else matters. Then whether the chip was filled at all, then the
units inside an SM over the cycles in which it worked, and what is left is latency.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ncu_triage.engine.numbers import PIPES, UNITS, busiest, numbers
from ncu_triage.engine.waiting import waiting_for
from ncu_triage.model import Bottleneck, BottleneckKind, Confidence, Kernel
from ncu_triage.units import show

# From these percentages on a unit counts as the limit. Kernels reach 85-95 % of a
# nominal peak at best, so three quarters already lean on it. Issue slots and pipes
# saturate earlier, since warps never line up perfectly.
NEAR_BANDWIDTH = 72.0
AT_BANDWIDTH = 80.0
NEAR_PIPE = 66.0
NEAR_ISSUE = 62.0
# From Ampere's consumer parts on the FMA pipe's peak equals the issue rate: if four
# fifths of what is issued is its math, the pipe is the limit and not the overhead.
MATH_SHARE = 0.8
SHORT = 8e-6
FEW_WAVES = 0.5
L1_FULL = 85.0
SM_IDLE = 75.0


class Verdict(NamedTuple):
    """A kind with the words for it."""

    kind: BottleneckKind
    confidence: Confidence
    cause: str
    sentence: str


def bottleneck(kernel: Kernel) -> Bottleneck:
    """Name the one thing that limits a kernel."""
    n = numbers(kernel)
    verdict = next(v for step in _STEPS if (v := step(kernel, n)))
    return Bottleneck(
        kind=verdict.kind,
        confidence=_trusted(kernel, verdict),
        cause=verdict.cause,
        sentence=verdict.sentence,
    )


def _trusted(kernel: Kernel, verdict: Verdict) -> Confidence:
    """Lower the confidence where the measurement itself is in doubt."""
    doubt = any("not a number" in w.warning or "runs for" in w.warning for w in kernel.measurement)
    if not doubt or verdict.kind == "launch-dominated":
        return verdict.confidence
    return "medium" if verdict.confidence == "high" else "low"


def _launch_dominated(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    duration = n.get("duration")
    if duration is None or duration >= SHORT:
        return None
    confidence: Confidence = "high" if duration < SHORT / 2 else "medium"
    return Verdict(
        "launch-dominated",
        confidence,
        "too little work for one launch",
        f"The kernel runs for {show(duration, 's')}: starting and ending it takes about as"
        " long as its work.",
    )


def _no_data(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    if any(unit in n for unit in UNITS):
        return None
    return Verdict(
        "insufficient-data",
        "high",
        "no unit's utilisation was collected",
        "The report does not say how busy any unit was, so nothing can be said about a limit.",
    )


def _shared_bandwidth(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    """DRAM, then L2: the units that all SMs share."""
    dram = n.get("dram_throughput_pct", 0.0)
    l2 = n.get("l2_throughput_pct", 0.0)
    l1 = n.get("l1_throughput_active_pct", 0.0)
    if dram >= AT_BANDWIDTH or (dram >= NEAR_BANDWIDTH and dram >= max(l1, l2)):
        return _bandwidth(kernel, n, "dram-bandwidth", "dram_throughput_pct")
    if l2 >= NEAR_BANDWIDTH and l2 >= l1:
        return _bandwidth(kernel, n, "l2-bandwidth", "l2_throughput_pct")
    return None


def _bandwidth(kernel: Kernel, n: dict[str, float], kind: BottleneckKind, unit: str) -> Verdict:
    value = n[unit]
    near = _next(n, unit)
    clear = value >= AT_BANDWIDTH and (near is None or n[near] <= value - 5)
    achieved, peak = n.get("dram_bandwidth"), n.get("dram_peak_bandwidth")
    amount = ""
    if kind == "dram-bandwidth" and achieved and peak:
        amount = f" ({show(achieved, 'byte/s')} of {show(peak, 'byte/s')})"
    verb = "runs at" if value >= AT_BANDWIDTH else "leans on its limit at"
    return Verdict(
        kind,
        "high" if clear else "medium",
        f"{UNITS[unit]} bandwidth",
        f"{UNITS[unit]} {verb} {show(value, '%')} of its peak{amount}{_rest(n, near)}.",
    )


def _rest(n: dict[str, float], near: str | None) -> str:
    return f"; next is {UNITS[near]} at {show(n[near], '%')}" if near else ""


def _next(n: dict[str, float], *without: str) -> str | None:
    """Return the busiest unit beside those named."""
    return busiest(n, [unit for unit in UNITS if unit not in without])


def _underfilled(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    waves, l1 = n.get("waves_per_sm"), n.get("l1_throughput_active_pct", 0.0)
    if waves is None or waves >= FEW_WAVES or l1 >= L1_FULL:
        return None
    blocks, sms = n.get("grid_size"), n.get("sm_count")
    size = f"{show(blocks, 'block')} on {sms:.0f} SMs" if blocks and sms else "the grid"
    return Verdict(
        "underfilled",
        "high" if waves < FEW_WAVES / 2 else "medium",
        "too few blocks for the GPU",
        f"{size[:1].upper() + size[1:]} fill {show(100 * waves, '%')} of one wave, so most of"
        f" the GPU has nothing to do{_rest(n, _next(n))}.",
    )


def _inside_sm(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    """L1 and shared memory, the math pipes, the issue slots: over active cycles."""
    l1, issue = n.get("l1_throughput_active_pct", 0.0), n.get("issue_active_pct", 0.0)
    if l1 >= NEAR_BANDWIDTH:
        return _bandwidth(kernel, n, "l1-shared-bandwidth", "l1_throughput_active_pct")
    pipe = busiest(n, PIPES)
    if pipe and n[pipe] >= NEAR_PIPE and n[pipe] >= MATH_SHARE * issue:
        return _busy(n, "compute-pipe", pipe, 80.0)
    if issue >= NEAR_ISSUE:
        return _busy(n, "issue-bound", "issue_active_pct", 75.0)
    return None


def _busy(n: dict[str, float], kind: BottleneckKind, unit: str, sure: float) -> Verdict:
    near = _next(n, unit)
    return Verdict(
        kind,
        "high" if n[unit] >= sure else "medium",
        UNITS[unit].removeprefix("the "),
        f"{UNITS[unit][:1].upper() + UNITS[unit][1:]} is busy in {show(n[unit], '%')} of the"
        f" SMs' active cycles{_rest(n, near)}.",
    )


def _idle_sms(kernel: Kernel, n: dict[str, float]) -> Verdict | None:
    active = n.get("sm_active_pct")
    if active is None or active >= SM_IDLE:
        return None
    waves = n.get("waves_per_sm")
    few = f" ({show(waves, '')} waves)" if waves is not None and waves < 2 else ""
    return Verdict(
        "underfilled",
        "medium",
        "SMs without work for part of the time",
        f"The SMs have work in {show(active, '%')} of the time only{few}: blocks are too few or"
        f" too unequal{_rest(n, _next(n))}.",
    )


def _latency(kernel: Kernel, n: dict[str, float]) -> Verdict:
    near = _next(n)
    top = f"no unit is above {show(n[near], '%')} ({UNITS[near]})" if near else "no unit is busy"
    cause = waiting_for(n)
    why = f"warps wait {cause}" if cause else "this report has no stall data to say for what"
    close = near is not None and n[near] >= 60
    return Verdict(
        "latency",
        "medium" if close or not cause else "high",
        cause or "cannot be told from this report",
        f"Nothing is near its limit: {top}; {why}.",
    )


_STEPS: tuple[Callable[[Kernel, dict[str, float]], Verdict | None], ...] = (
    _launch_dominated,
    _no_data,
    _shared_bandwidth,
    _underfilled,
    _inside_sm,
    _idle_sms,
    _latency,
)

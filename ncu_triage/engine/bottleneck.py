"""Decide what limits a kernel: exactly one kind, its confidence, and a sentence.

The order is that of a good diagnosis. A kernel of a few microseconds is mostly start
and end. Then the units that the whole chip shares, DRAM and L2: if one of them is near
what it can do, nothing else matters. Then whether the chip was filled at all, then the
units inside an SM over the cycles in which it worked, and what is left is latency. That
nothing is near its limit can only be said where the units were measured.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ncu_triage.engine.gain import ASSUMED, CEILING, Achievable
from ncu_triage.engine.loads import Load, loads, next_to, unmeasured
from ncu_triage.engine.numbers import PIPES, UNITS, numbers, rough
from ncu_triage.engine.waiting import waiting_for
from ncu_triage.engine.workload import about
from ncu_triage.model import Bottleneck, BottleneckKind, Confidence, Kernel
from ncu_triage.units import show

# From these percentages on a unit counts as the limit. Kernels reach 85-95 % of a
# nominal peak at best, so three quarters already lean on it. Issue slots and pipes
# saturate earlier, since warps never line up perfectly.
NEAR_BANDWIDTH = 72.0
AT_BANDWIDTH = 80.0
NEAR_PIPE = 66.0
NEAR_ISSUE = 62.0
AT_PIPE = 80.0
AT_ISSUE = 75.0
# Two units that differ by no more than this are as close to their limits as each other.
BESIDE = 5.0
# From Ampere's consumer parts on the FMA pipe's peak equals the issue rate: if four
# fifths of what is issued is its math, the pipe is the limit and not the overhead.
MATH_SHARE = 0.8
SHORT = 8e-6
FEW_WAVES = 0.5
L1_FULL = 85.0
SM_IDLE = 75.0
CLOSE = 60.0
# Of DRAM, L2, L1 and issue; with so many of them unknown nobody can say that none is busy.
MOST_UNITS = 2
# Further apart than this, the busiest DRAM counter and the bytes are two statements.
SAME = 3.0

_WHOLE = ("sm_throughput_pct", "memory_throughput_pct")
_DRAM, _L2, _L1 = "dram_throughput_pct", "l2_throughput_pct", "l1_throughput_active_pct"


class Facts(NamedTuple):
    """A kernel's numbers and its units' loads."""

    n: dict[str, float]
    loads: dict[str, Load]
    workload: str = "kernel"

    def elapsed(self, unit: str) -> float:
        """Return a unit's reach over elapsed time; 0 where it was not measured.

        Only for asking whether another unit is busier: it never makes a verdict.
        """
        return self.loads[unit].reach_elapsed if unit in self.loads else 0.0

    def reach(self, unit: str) -> float:
        """Return how near a unit is to what it can reach; 0 where it was not measured."""
        return self.loads[unit].reach if unit in self.loads else 0.0

    @property
    def guessed(self) -> bool:
        """Tell whether DRAM's load is only an estimate."""
        return _DRAM in self.loads and self.loads[_DRAM].rough


class Verdict(NamedTuple):
    """A kind with the words for it."""

    kind: BottleneckKind
    confidence: Confidence
    cause: str
    sentence: str


_FAILED = Verdict(
    "insufficient-data",
    "low",
    "its counters failed",
    "Its counters failed (a replay pass failed or was interrupted), so nothing can be said"
    " about a limit.",
)


def bottleneck(kernel: Kernel, achievable: Achievable = ASSUMED) -> Bottleneck:
    """Name the one thing that limits a kernel, by what its units can reach."""
    n = numbers(kernel)
    facts = Facts(n, loads(n, achievable, rough(kernel)), kernel.workload)
    failed = _FAILED if not facts.loads and _failed(kernel) else None
    verdict = failed or next(v for step in _STEPS if (v := step(facts)))
    return Bottleneck(
        kind=verdict.kind,
        confidence=_trusted(kernel, verdict, facts.guessed),
        cause=verdict.cause,
        sentence=about(verdict.sentence, kernel.workload),
    )


def _failed(kernel: Kernel) -> bool:
    """Tell whether what was collected of the units came back as no numbers."""
    return any(kernel.absent.get(unit) == "nan" for unit in (_DRAM, _L2, _L1, *_WHOLE))


def _trusted(kernel: Kernel, verdict: Verdict, guessed: bool) -> Confidence:
    """Lower the confidence where the measurement itself is in doubt, or DRAM was not counted."""
    doubt = any("not a number" in w.warning or "runs for" in w.warning for w in kernel.measurement)
    suspect = any(kernel.absent.get(one) == "suspect" for one in ("duration", *UNITS, *_WHOLE))
    if not (doubt or guessed or suspect) or verdict.kind == "launch-dominated":
        return verdict.confidence
    return "medium" if verdict.confidence == "high" else "low"


def _launch_dominated(facts: Facts) -> Verdict | None:
    duration = facts.n.get("duration")
    if duration is None or duration >= SHORT:
        return None
    return Verdict(
        "launch-dominated",
        "high" if duration < SHORT / 2 else "medium",
        "too little work for one launch",
        f"The kernel runs for {show(duration, 's')}: starting and ending it takes about as"
        " long as its work.",
    )


def _no_data(facts: Facts) -> Verdict | None:
    if facts.loads:
        return None
    return Verdict(
        "insufficient-data",
        "low",
        "no unit's utilisation was collected",
        "The report does not say how busy any unit was, so nothing can be said about a limit.",
    )


def _dram(facts: Facts) -> Verdict | None:
    reach = facts.n.get("dram_reach_pct", facts.n.get(_DRAM))
    others = max(facts.elapsed(_L1), facts.elapsed(_L2))
    if reach is None or reach < (NEAR_BANDWIDTH if reach >= others else AT_BANDWIDTH):
        return None
    near = next_to(facts.loads, _DRAM)
    clear = reach >= AT_BANDWIDTH and (near is None or near.reach_elapsed <= reach - BESIDE)
    return Verdict(
        "dram-bandwidth",
        "high" if clear else "medium",
        "DRAM bandwidth",
        f"DRAM {_dram_words(facts, reach)}{_dram_measured(facts, reach)}"
        f"{_second(near, reach, reach >= AT_BANDWIDTH)}.",
    )


def _dram_measured(facts: Facts, reach: float) -> str:
    """Say what part of a measured ceiling DRAM is at; by bytes, where they were counted."""
    if _DRAM not in facts.loads or not facts.loads[_DRAM].measured:
        return ""
    return f", {show(reach / CEILING, '%')} of what was measured to be achievable"


def _dram_words(facts: Facts, reach: float) -> str:
    """Say how busy DRAM is, by its busiest counter and by bytes where they differ."""
    n = facts.n
    verb = "runs at" if reach >= AT_BANDWIDTH else "leans on its limit at"
    verb += " an estimated" if facts.guessed else ""
    headline, moved, peak = n.get(_DRAM), n.get("dram_bandwidth"), n.get("dram_peak_bandwidth")
    if headline is None or not moved or not peak:
        return f"{verb} {show(reach, '%')} of its peak"
    by_bytes = 100 * moved / peak
    amount = f"{show(moved, 'byte/s')} of {show(peak, 'byte/s')}"
    if abs(by_bytes - headline) <= SAME:
        return f"{verb} {show(headline, '%')} of its peak ({amount})"
    return (
        f"{verb} {show(headline, '%')} of elapsed time ({amount}, {show(by_bytes, '%')} by bytes)"
    )


def _l2(facts: Facts) -> Verdict | None:
    if facts.elapsed(_L2) < max(NEAR_BANDWIDTH, facts.elapsed(_L1)):
        return None
    return _bandwidth(facts, "l2-bandwidth", facts.loads[_L2])


def _bandwidth(facts: Facts, kind: BottleneckKind, unit: Load) -> Verdict:
    near = next_to(facts.loads, unit.quantity)
    full, beside = unit.reach >= AT_BANDWIDTH, unit.reach_elapsed - BESIDE
    clear = full and (near is None or near.reach_elapsed <= beside)
    verb = "runs at" if full else "leans on its limit at"
    return Verdict(
        kind,
        "high" if clear else "medium",
        f"{unit.name} bandwidth",
        f"{unit.name} {verb} {unit.text}{unit.of_measured}"
        f"{_second(near, unit.reach_elapsed, full)}.",
    )


def _rest(near: Load | None) -> str:
    return f"; next is {near.name} at {near.text}" if near else ""


def _second(near: Load | None, reach: float, full: bool) -> str:
    """Tell of the unit beside the limit: it can be as close to its own limit, or closer.

    `reach` is that of the limit over elapsed time; `full` says that it is at its limit.
    """
    if near is None or not _as_close(near, reach):
        return _rest(near)
    if near.reach < _limits(near)[1]:
        return f"; {near.name} leans on its limit as well, at {near.text}"
    if not full:
        return f"; {near.name} is at its limit as well, at {near.text}"
    return f", and {near.name} runs at {near.text}: both are at their limits"


def _as_close(near: Load, reach: float) -> bool:
    return near.reach >= _limits(near)[0] and near.reach_elapsed > reach - BESIDE


def _limits(unit: Load) -> tuple[float, float]:
    """Return from where on a unit leans on its limit, and is at it."""
    if unit.quantity in (_DRAM, _L2, _L1):
        return NEAR_BANDWIDTH, AT_BANDWIDTH
    if unit.quantity == "issue_active_pct":
        return NEAR_ISSUE, AT_ISSUE
    return NEAR_PIPE, AT_PIPE


def _not_told_apart(facts: Facts) -> Verdict | None:
    """See what was not measured of the memory, by the highest of it: that is one of those."""
    n, memory = facts.n, (_DRAM, _L2, _L1)
    top, missing = n.get("memory_throughput_pct"), [q for q in memory if q not in facts.loads]
    known = next_to({q: facts.loads[q] for q in memory if q in facts.loads})
    if top is None or top < NEAR_BANDWIDTH or not missing:
        return None
    if known is not None and known.elapsed >= top - SAME:
        return None
    names = " or ".join(UNITS[quantity] for quantity in missing)
    return Verdict(
        "insufficient-data",
        "low",
        f"{names} not measured",
        f"The memory runs at {show(top, '%')} of elapsed time. That is {names}, which"
        f" {'was' if len(missing) == 1 else 'were'} not measured{_beside(known)}.",
    )


def _beside(known: Load | None) -> str:
    return f"; {known.name} is at {known.text}" if known else ""


def _underfilled(facts: Facts) -> Verdict | None:
    """Too few blocks: SMs stay empty, or have work for a part of the time."""
    n = facts.n
    waves, blocks, sms = n.get("waves_per_sm"), n.get("grid_size"), n.get("sm_count")
    if waves is None or waves >= FEW_WAVES or facts.reach(_L1) >= L1_FULL or not blocks or not sms:
        return None
    active = n.get("sm_active_pct", 100 * min(1.0, blocks / sms))
    if active >= SM_IDLE:
        return None
    return Verdict(
        "underfilled",
        "high" if active < SM_IDLE / 2 else "medium",
        "too few blocks for the GPU",
        f"{show(blocks, 'block')} on {sms:.0f} SMs: {_work(n, blocks, sms)}"
        f"{_busiest(next_to(facts.loads))}.",
    )


def _work(n: dict[str, float], blocks: float, sms: float) -> str:
    """Say how long the SMs have work, as measured; else how many can have any."""
    if "sm_active_pct" in n:
        return f"the SMs have work in {show(n['sm_active_pct'], '%')} of the time"
    return f"at most {min(blocks, sms):.0f} of them have work"


def _busiest(near: Load | None) -> str:
    # No "next": a share of active cycles does not compare with how long SMs are active.
    return f"; the busiest unit is {near.name} at {near.text}" if near else ""


def _inside_sm(facts: Facts) -> Verdict | None:
    """L1 and shared memory, the math pipes, the issue slots: over active cycles."""
    n = facts.n
    issue = n.get("issue_active_pct", 0.0)
    if facts.reach(_L1) >= NEAR_BANDWIDTH:
        return _bandwidth(facts, "l1-shared-bandwidth", facts.loads[_L1])
    pipe = max((p for p in PIPES if p in n), key=facts.reach, default=None)
    if pipe and facts.reach(pipe) >= NEAR_PIPE and n[pipe] >= MATH_SHARE * issue:
        return _busy(facts, "compute-pipe", pipe)
    if issue >= NEAR_ISSUE:
        return _busy(facts, "issue-bound", "issue_active_pct")
    return None


def _busy(facts: Facts, kind: BottleneckKind, unit: str) -> Verdict:
    load, near = facts.loads[unit], next_to(facts.loads, unit)
    full = load.reach >= _limits(load)[1]
    alone = near is None or not _as_close(near, load.reach_elapsed)
    return Verdict(
        kind,
        "high" if full and alone else "medium",
        load.name.removeprefix("the "),
        f"{load.name[:1].upper() + load.name[1:]} is busy in {show(load.value, '%')} of the"
        f" SMs' active cycles{load.of_measured}{_second(near, load.reach_elapsed, full)}.",
    )


def _idle_sms(facts: Facts) -> Verdict | None:
    active = facts.n.get("sm_active_pct")
    if active is None or active >= SM_IDLE:
        return None
    waves = facts.n.get("waves_per_sm")
    few = f" ({show(waves, '')} waves)" if waves is not None and waves < 2 else ""
    return Verdict(
        "underfilled",
        "medium",
        "SMs without work for part of the time",
        f"The SMs have work in {show(active, '%')} of the time only{few}: {_idle_why(facts)}"
        f"{_rest(next_to(facts.loads))}.",
    )


def _idle_why(facts: Facts) -> str:
    if facts.workload == "kernel":
        return "blocks are too few or too unequal"
    return "its kernels are small, or there is time between them"


def _unknown(facts: Facts) -> Verdict | None:
    """Refuse a verdict of latency where the memory path, or most of the units, were not seen."""
    missing = unmeasured(facts.n)
    if UNITS[_DRAM] not in missing and len(missing) < MOST_UNITS:
        return None
    near = next_to(facts.loads)
    seen = f"; of what was, {near.name} is the busiest at {near.text}" if near else ""
    return Verdict(
        "insufficient-data",
        "low",
        f"{', '.join(missing)} not measured",
        f"{_not_measured(missing)} and could be the limit{seen}.",
    )


def _not_measured(missing: list[str]) -> str:
    return f"{', '.join(missing)} {'was' if len(missing) == 1 else 'were'} not measured"


def _latency(facts: Facts) -> Verdict:
    near, missing = next_to(facts.loads), unmeasured(facts.n)
    cause = waiting_for(facts.n)
    why = f"warps wait {cause}" if cause else "this report has no stall data to say for what"
    close = near is not None and near.value >= CLOSE
    top = f"{near.name} comes closest at {near.text}" if near else "no unit is busy"
    gap = f" {_not_measured(missing)}." if missing else ""
    gap += " DRAM may be far busier than the estimate." if facts.guessed else ""
    confidence: Confidence = "medium" if close or not cause else "high"
    return Verdict(
        "latency",
        "low" if missing or facts.guessed else confidence,
        cause or "cannot be told from this report",
        f"No unit{' that was measured' if missing else ''} is at its limit: {top}; {why}.{gap}",
    )


_STEPS: tuple[Callable[[Facts], Verdict | None], ...] = (
    _launch_dominated,
    _no_data,
    _dram,
    _l2,
    _not_told_apart,
    _underfilled,
    _inside_sm,
    _idle_sms,
    _unknown,
    _latency,
)

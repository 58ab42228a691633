"""Rank what to fix by the time that a program really spends there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec.structs import replace

from ncu_triage.model import Diagnosis, Gain, InProgram, KernelDiagnosis, Priority, TimeSaved
from ncu_triage.timeline.join.matched import Match


def real_seconds(match: Match, diagnosis: Diagnosis) -> dict[str, float]:
    """Return for each profiled launch the seconds of the program that it stands for.

    All launches of its group in the timeline, shared evenly among those profiled.
    """
    profiled = Counter(kernel.group for kernel in diagnosis.kernels)
    real = {one.group: one.time_ns / 1e9 / profiled[one.group] for one in match.groups}
    return {k.id: real[k.group] for k in diagnosis.kernels if k.group in real}


def rank(match: Match, diagnosis: Diagnosis) -> list[Priority]:
    """Return the priorities by the seconds that each could save of the whole program.

    A gain is a share of a kernel's time, and is taken of its real time here: seconds under
    the profiler are never carried over. Behind them come those of which the timeline holds
    no launch, in the report's order.
    """
    seconds = real_seconds(match, diagnosis)
    kernels = {kernel.id: kernel for kernel in diagnosis.kernels}
    whole = match.end_to_end_ns / 1e9
    ranked = [
        replace(one, in_program=_in_program(one, kernels, seconds, whole))
        for one in diagnosis.priorities
    ]
    return sorted(ranked, key=lambda one: -_expected(one))


def _expected(one: Priority) -> float:
    return one.in_program.time_saved.expected if one.in_program else -1.0


def _in_program(
    one: Priority,
    kernels: Mapping[str, KernelDiagnosis],
    seconds: Mapping[str, float],
    whole: float,
) -> InProgram | None:
    known = [(seconds[id], _gain(kernels[id], one.rule)) for id in one.kernels if id in seconds]
    if not known:
        return None
    expected = sum(time * gain.expected_pct / 100 for time, gain in known if gain)
    at_most = sum(time * gain.at_most_pct / 100 for time, gain in known if gain)
    return InProgram(
        time_saved=TimeSaved(expected=expected, at_most=at_most),
        share_pct=100 * expected / whole if whole else 0.0,
        launches_unmatched=len(one.kernels) - len(known),
    )


def _gain(kernel: KernelDiagnosis, rule: str) -> Gain | None:
    return next((f.gain for f in kernel.findings if f.rule == rule and f.gain), None)

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

    A gain is a share of a kernel's time, or of that of the launches that a rule about the
    whole report names, and is taken of their real time here: seconds under the profiler are
    never carried over. Behind them come those of which the timeline holds no launch, in the
    report's order.
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
    whole_gain = _of_whole(one, kernels, seconds)
    known = [
        (seconds[id], _gain(kernels[id], one.rule) or whole_gain)
        for id in one.kernels
        if id in seconds
    ]
    if not any(gain for _, gain in known):
        return None
    expected = sum(time * gain.expected_pct / 100 for time, gain in known if gain)
    at_most = sum(time * gain.at_most_pct / 100 for time, gain in known if gain)
    return InProgram(
        time_saved=TimeSaved(expected=expected, at_most=at_most),
        share_pct=100 * expected / whole if whole else 0.0,
        launches_unmatched=len(one.kernels) - len(known),
    )


def _of_whole(
    one: Priority, kernels: Mapping[str, KernelDiagnosis], seconds: Mapping[str, float]
) -> Gain | None:
    """Return what a rule about the whole report saves of the time of its launches.

    It speaks of what lies between them, so the program must run all of them.
    """
    if any(_gain(kernels[id], one.rule) or id not in seconds for id in one.kernels):
        return None
    times = (kernels[id].quantities.get("duration") for id in one.kernels)
    time = sum(t for t in times if isinstance(t, float))
    if not time:
        return None
    saved = one.time_saved
    return Gain(
        expected_pct=100 * saved.expected / time,
        at_most_pct=100 * saved.at_most / time,
        limited_by="",
    )


def _gain(kernel: KernelDiagnosis, rule: str) -> Gain | None:
    return next((f.gain for f in kernel.findings if f.rule == rule and f.gain), None)

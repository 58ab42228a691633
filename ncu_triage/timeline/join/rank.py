"""Rank what to fix by the time that a program really spends there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from msgspec import Struct

from ncu_triage.model import Diagnosis, Gain, KernelDiagnosis, Priority
from ncu_triage.timeline.join.matched import Match


class RealPriority(Struct, frozen=True, kw_only=True):
    """A priority of the report in seconds of the program; shares are of its whole time.

    `unknown` counts launches of the priority that have no counterpart in the timeline.
    """

    rule: str
    title: str
    expected: float
    at_most: float
    share: float
    unknown: int


def real_seconds(match: Match, diagnosis: Diagnosis) -> dict[str, float]:
    """Return for each profiled launch the seconds of the program that it stands for.

    All launches of its group in the timeline, shared evenly among those profiled.
    """
    profiled = Counter(kernel.group for kernel in diagnosis.kernels)
    real = {one.group: one.time_ns * 1e-9 / profiled[one.group] for one in match.groups}
    return {k.id: real[k.group] for k in diagnosis.kernels if k.group in real}


def rank(match: Match, diagnosis: Diagnosis) -> list[RealPriority]:
    """Return the priorities by the seconds that each could save of the whole program.

    A gain is a share of a kernel's time, and is taken of its real time here: seconds under
    the profiler are never carried over.
    """
    seconds = real_seconds(match, diagnosis)
    kernels = {kernel.id: kernel for kernel in diagnosis.kernels}
    ranked = [
        _real(one, kernels, seconds, match.end_to_end_ns * 1e-9) for one in diagnosis.priorities
    ]
    return sorted(
        (one for one in ranked if one.expected > 0), key=lambda one: (-one.expected, one.rule)
    )


def _real(
    one: Priority,
    kernels: Mapping[str, KernelDiagnosis],
    seconds: Mapping[str, float],
    whole: float,
) -> RealPriority:
    gains = [(seconds[id], _gain(kernels[id], one.rule)) for id in one.kernels if id in seconds]
    known = [(time, gain) for time, gain in gains if gain]
    expected = sum(time * gain.expected_pct / 100 for time, gain in known)
    return RealPriority(
        rule=one.rule,
        title=one.title,
        expected=expected,
        at_most=sum(time * gain.at_most_pct / 100 for time, gain in known),
        share=expected / whole if whole else 0.0,
        unknown=len(one.kernels) - len(gains),
    )


def _gain(kernel: KernelDiagnosis, rule: str) -> Gain | None:
    return next((f.gain for f in kernel.findings if f.rule == rule and f.gain), None)

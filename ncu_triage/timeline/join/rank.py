"""Rank what to fix by the time that a program really spends there."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from ncu_triage.model import (
    Confidence,
    Diagnosis,
    Gain,
    InProgram,
    KernelDiagnosis,
    Priority,
    TimeSaved,
)
from ncu_triage.timeline.join.matched import LEVELS, WEIGHTY, Match, MatchedGroup
from ncu_triage.timeline.measure.intervals import Union, joined


def real_seconds(match: Match, diagnosis: Diagnosis) -> dict[str, float]:
    """Return for each profiled launch the seconds of the program that it stands for.

    All launches of its group in the timeline, shared evenly among those profiled. Where
    kernels run side by side, each moment counts once, in equal parts.
    """
    return _for_each(diagnosis, {one.group: one.shared_ns / 1e9 for one in match.groups})


def _for_each(diagnosis: Diagnosis, groups: Mapping[int, float]) -> dict[str, float]:
    profiled = Counter(kernel.group for kernel in diagnosis.kernels)
    return {
        one.id: groups[one.group] / profiled[one.group]
        for one in diagnosis.kernels
        if one.group in groups
    }


def rank(match: Match, diagnosis: Diagnosis) -> list[Priority]:
    """Return the priorities by the seconds that each could save of the whole program.

    A gain is a share of a kernel's time, or of that of the launches that a rule about the
    whole report names, and is taken of their real time here: seconds under the profiler are
    never carried over. Beside other kernels the expected saving is of the kernel's part of
    the time, and the most is of all the time in which it ran. Behind them come those of which
    the timeline holds no launch, in the report's order.
    """
    program = _Program(
        kernels={kernel.id: kernel for kernel in diagnosis.kernels},
        seconds=real_seconds(match, diagnosis),
        covered=_for_each(diagnosis, {one.group: one.covered_ns / 1e9 for one in match.groups}),
        groups={one.group: one for one in match.groups},
        whole=match.end_to_end_ns / 1e9,
    )
    ranked = [replace(one, in_program=_in_program(one, program)) for one in diagnosis.priorities]
    return sorted(ranked, key=lambda one: -_expected(one))


def _expected(one: Priority) -> float:
    return one.in_program.time_saved.expected if one.in_program else -1.0


class _Program(NamedTuple):
    """What a timeline holds of a report, in seconds; both times are those of each launch."""

    kernels: Mapping[str, KernelDiagnosis]
    seconds: Mapping[str, float]
    covered: Mapping[str, float]
    groups: Mapping[int, MatchedGroup]
    whole: float


def _in_program(one: Priority, program: _Program) -> InProgram | None:
    whole_gain = _of_whole(one, program.kernels, program.seconds)
    there = [id for id in one.kernels if id in program.seconds]
    gains = {
        id: gain for id in there if (gain := _gain(program.kernels[id], one.rule) or whole_gain)
    }
    if not gains:
        return None
    expected = {id: program.seconds[id] * gain.expected_pct / 100 for id, gain in gains.items()}
    saved = sum(expected.values())
    return InProgram(
        time_saved=TimeSaved(expected=saved, at_most=max(saved, _at_most(gains, program))),
        share_pct=100 * saved / program.whole if program.whole else 0.0,
        launches_unmatched=len(one.kernels) - len(there),
        confidence=_confidence(one, expected, program),
    )


def _at_most(gains: Mapping[str, Gain], program: _Program) -> float:
    """Bound what gains save: launches that run side by side pass their time only once."""
    apart = sum(program.covered[id] * gain.at_most_pct / 100 for id, gain in gains.items())
    passing = ran_ns(program.groups[program.kernels[id].group] for id in gains) / 1e9
    return min(apart, passing * max(gain.at_most_pct for gain in gains.values()) / 100)


def ran_ns(groups: Iterable[MatchedGroup]) -> int:
    """Return the time in which a kernel of any of these groups ran, summed over GPUs."""
    own: dict[int, dict[int, Union]] = defaultdict(dict)
    for group in groups:
        for device, union in group.ran.items():
            own[device][group.group] = union
    return sum(joined(unions.values()).length for unions in own.values())


def _confidence(one: Priority, expected: Mapping[str, float], program: _Program) -> Confidence:
    """Return the priority's own confidence, or that of the matches it rests on where less."""
    weight: dict[int, float] = defaultdict(float)
    for id, saved in expected.items():
        weight[program.kernels[id].group] += saved
    least = WEIGHTY * sum(weight.values())
    matches = (program.groups[id].confidence for id, saved in weight.items() if saved >= least)
    return min((one.confidence, *matches), key=LEVELS.index)


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

"""Why a kernel's time moved: the quantities that moved with it, by what they are about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.compare.comparison import FindingChange, Movement, Theme, Verdict
from ncu_triage.compare.numbers import Number
from ncu_triage.compare.themes import PIPES, SAME_THEME, THEMES, UNITS, Subject

_MOST_THEMES, _MOST_MOVEMENTS = 5, 3
# What is worth a line: so many points of a percentage, or so large a part of a count.
_POINTS, _PART = 2.0, 0.08
_FOURFOLD = math.log(4)
# Beside points of a percentage, which say more; and a stall is a symptom.
_OF_A_COUNT, _OF_A_STALL = 0.6, 0.5
_NEUTRAL = 0.6  # what is neither better nor worse explains less
# A grave rule that went or came says more than any number.
_FIRED = {"high": 1.0, "medium": 0.7, "low": 0.3, "info": 0.0}
_SIGNS = {"+": 1, "-": -1, ".": 0}


class _Told(NamedTuple):
    strength: float
    theme: Theme


def explanation(
    numbers: Mapping[str, Number], findings: Sequence[FindingChange], verdict: Verdict | None
) -> list[Theme]:
    """Return the themes that moved most; those that fit the verdict come first."""
    fired = _fired(findings)
    told = [
        _Told(strength + fired.get(id, 0.0), theme)
        for id, subject in THEMES.items()
        for strength, theme in _theme(id, subject, numbers)
    ]
    told.sort(key=lambda one: (-one.strength * _fits(one.theme, verdict), one.theme.id))
    return [one.theme for one in told[:_MOST_THEMES]]


def units(numbers: Mapping[str, Number]) -> list[Movement]:
    """Return how busy each unit was and is; of the math pipes the busiest of either side."""
    pipes = [numbers[id] for id in PIPES if id in numbers]
    busiest = [
        max(pipes, key=lambda pipe: pipe.before, default=None),
        max(pipes, key=lambda pipe: pipe.after, default=None),
    ]
    wanted = [numbers.get(id) for id in UNITS] + busiest
    return [_movement(number, 0) for number in dict.fromkeys(wanted) if number]


def _fired(findings: Sequence[FindingChange]) -> dict[str, float]:
    """Weigh each theme by the gravest of its rules that went or came."""
    weights: dict[str, float] = {}
    for finding in findings:
        if finding.fate in ("gone", "new"):
            theme = SAME_THEME.get(finding.rule, finding.rule)
            weight = _FIRED[finding.before or finding.after or "info"]
            weights[theme] = max(weights.get(theme, 0.0), weight)
    return weights


def _fits(theme: Theme, verdict: Verdict | None) -> float:
    """Weigh a theme: what got better explains no slowdown."""
    if theme.helps is None or verdict in (None, "same"):
        return 0.8
    return 1.0 if theme.helps == (verdict == "faster") else 0.4


def _theme(
    id: str, subject: Subject, numbers: Mapping[str, Number]
) -> Iterator[tuple[float, Theme]]:
    """Yield a theme with its strength, if anything in it moved."""
    moved = []
    for signed in subject.quantities:
        number = numbers.get(signed[1:])
        strength = _strength(number) if number else 0.0
        if number and strength:
            sign = _SIGNS[signed[0]]
            moved.append((strength * (1.0 if sign else _NEUTRAL), _movement(number, sign)))
    if not moved:
        return
    moved.sort(key=lambda one: -one[0])
    told = [movement for _, movement in moved[:_MOST_MOVEMENTS]]
    yield moved[0][0], Theme(id=id, label=subject.label, helps=_helps(told), movements=told)


def _helps(movements: Sequence[Movement]) -> bool | None:
    return next((one.helps for one in movements if one.helps is not None), None)


def _strength(number: Number) -> float:
    """Measure how far a quantity moved, from 0 (not worth a line) to 1."""
    before, after = number.before, number.after
    if number.unit == "%":
        points = abs(after - before)
        weight = _OF_A_STALL if number.id.startswith("stall_") else 1.0
        return weight * min(1.0, points / 100) if points >= _POINTS else 0.0
    if before <= 0 or after <= 0:
        return _OF_A_COUNT if before != after else 0.0
    apart = abs(math.log(after) - math.log(before))
    return _OF_A_COUNT * min(1.0, apart / _FOURFOLD) if apart >= _PART else 0.0


def _movement(number: Number, sign: int) -> Movement:
    up = number.after > number.before
    return Movement(
        quantity=number.id,
        label=number.label,
        unit=number.unit,
        basis=number.basis,
        before=number.before,
        after=number.after,
        helps=None if not sign or number.after == number.before else up == (sign > 0),
    )

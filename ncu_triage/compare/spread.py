"""Tell a change from noise: how far a kernel's launches lie apart when nothing changed.

One launch says nothing about its spread, so one is assumed then. The figures are those of
launches repeated within real reports: the middle kernel scatters by 1.8 %, kernels with
the same work each time by 0.1 to 2 %, and times come in steps of about 32 ns.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from ncu_triage.compare.comparison import Change, Verdict

ENOUGH = 4  # launches from which a spread is measured
SIGMAS = 3.0  # what a change must exceed to be one
PRACTICAL_PCT = 1.0  # and what it must be at least for anyone to care
_ASSUMED, _STEP = 0.02, 32e-9
_RUN_TO_RUN = 0.005  # a second run differs even where launches of one agree
_NORMAL = 1.4826  # median absolute deviation to standard deviation
_WEIGHT = 5  # launches that the assumption counts for: four that agree may do so by chance
_OF_MEDIAN = math.sqrt(math.pi / 2)  # a median scatters more than a mean


def spread(values: Sequence[float]) -> float | None:
    """Return the relative spread of one kernel's launches; None where they are too few."""
    if len(values) < ENOUGH:
        return None
    middle = statistics.median(values)
    return _NORMAL * statistics.median(abs(value - middle) for value in values) / middle


def change(before: Sequence[float], after: Sequence[float], *, step: float = _STEP) -> Change:
    """Hold launches against launches: one by one where both sides have as many.

    Launches of different work (the levels of a search) lie far apart, but each has its
    partner; then the spread of the ratios is what noise amounts to.
    """
    paired = len(before) == len(after)
    mine, yours = statistics.median(before), statistics.median(after)
    tick = math.hypot(step / mine, step / yours) / 2
    if paired and len(before) >= ENOUGH:
        logs = [math.log(b / a) for a, b in zip(before, after, strict=True)]
        centre = statistics.median(logs)
        each = _NORMAL * statistics.median(abs(x - centre) for x in logs)
        # The ratio of two launches scatters by two of them.
        each = _cautious(each, len(logs), tick, assumed=_ASSUMED * math.sqrt(2))
        noise = _OF_MEDIAN * each / math.sqrt(len(logs))
        return judged((mine, yours), centre, noise, measured=True)
    noise, measured = _unpaired(before, after, tick)
    return judged((mine, yours), math.log(yours / mine), noise, measured=measured)


def whole(parts: Sequence[tuple[float, float, Change]]) -> Change | None:
    """Add up kernels' (before, after, change) to the change of the whole."""
    before, after = sum(b for b, _, _ in parts), sum(a for _, a, _ in parts)
    if not before or not after:
        return None
    error = math.hypot(*(a * change.noise_pct / 100 for _, a, change in parts))
    measured = all(change.spread == "measured" for _, _, change in parts)
    return judged((before, after), math.log(after / before), error / after, measured=measured)


def with_rest(paired: Change, before: float, after: float) -> Change:
    """Return the change of a whole to which launches of only one side are added."""
    sides = paired.before + before, paired.after + after
    parts = paired.after * paired.noise_pct / 100, _ASSUMED * after, _ASSUMED * before
    noise = math.hypot(*parts) / sides[1]
    return judged(sides, math.log(sides[1] / sides[0]), noise, measured=False)


def _unpaired(before: Sequence[float], after: Sequence[float], tick: float) -> tuple[float, bool]:
    """Return the relative noise of a ratio of medians, and whether it was measured."""
    sides = (before, after)
    known = [
        _cautious(value, len(side), tick) for side in sides if (value := spread(side)) is not None
    ]
    # A side of few launches scatters as its other side does.
    each = max(known, default=max(_ASSUMED, tick))
    per_side = known if len(known) == len(sides) else [each, each]
    errors = [_error(one, len(side)) for one, side in zip(per_side, sides, strict=True)]
    return math.hypot(*errors), bool(known)


def _cautious(measured: float, launches: int, tick: float, assumed: float = _ASSUMED) -> float:
    """Draw a spread of few launches towards what is usual; never below the clock's step."""
    weighed = launches * measured**2 + _WEIGHT * assumed**2
    return max(math.sqrt(weighed / (launches + _WEIGHT)), tick)


def _error(each: float, launches: int) -> float:
    """Return the relative error of a median of so many launches."""
    return each * (_OF_MEDIAN if launches > 2 else 1.0) / math.sqrt(launches)


def judged(sides: tuple[float, float], log: float, noise: float, *, measured: bool) -> Change:
    """Judge a change by the logarithm of its ratio and the relative noise of that."""
    noise = math.hypot(noise, _RUN_TO_RUN)
    percent = 100 * math.expm1(log)
    return Change(
        before=sides[0],
        after=sides[1],
        change_pct=percent,
        noise_pct=100 * noise,
        sigmas=abs(log) / noise,
        spread="measured" if measured else "assumed",
        verdict=_verdict(percent, abs(log) / noise),
    )


def _verdict(percent: float, sigmas: float) -> Verdict:
    if sigmas < SIGMAS or abs(percent) < PRACTICAL_PCT:
        return "same"
    return "faster" if percent < 0 else "slower"

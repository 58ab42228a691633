"""What the roofline allows a kernel after one step, in sentences."""

from __future__ import annotations

from ncu_triage.model import KernelDiagnosis, WhatIf
from ncu_triage.units import percent, show
from ncu_triage.view.book import number
from ncu_triage.view.roof_points import units

_NOTHING = 0.05  # percent: what rounds to none
_SAME = 0.05
_STEPS = {
    "intensity-doubled": "Twice the work per byte",
    "bytes-halved": "Half the bytes",
}
_HOW = {
    "intensity-doubled": "as by fusing two such steps",
    "bytes-halved": "as with a type half as wide",
}
# Whose time no unit sets: then neither bytes nor work per byte shorten it.
_WHY_NOT = {
    "latency": "the kernel waits, so fewer bytes or more work per byte would not shorten it",
    "underfilled": "the GPU is not filled, and that sets the time",
    "launch-dominated": "starting and ending the kernel sets the time",
    "insufficient-data": "what limits the kernel is not known",
}
_OUT_OF_THE_WAY = {
    "dram-bandwidth": "With the data from L2 instead of DRAM",
    "l2-bandwidth": "With the data from L1 instead of L2",
    "l1-shared-bandwidth": "Without the load on L1 and shared memory",
    "issue-bound": "Without the instructions that fill the issue slots",
}


def what_if(kernel: KernelDiagnosis) -> list[str]:
    """Say what each step allows, or why nothing is said."""
    if not kernel.what_if:
        return [_why_not(kernel)]
    fewer = [one for one in kernel.what_if if one.step in _STEPS]
    if len(fewer) == 2 and abs(fewer[0].saved_pct - fewer[1].saved_pct) < _SAME:
        lines = [_fewer_bytes(kernel, fewer)]
    else:
        lines = [_fewer_bytes(kernel, [one]) for one in fewer]
    last = (one for one in kernel.what_if if one.step == "next-limiter")
    return [*lines, *(_next_limiter(kernel, one) for one in last)]


def _why_not(kernel: KernelDiagnosis) -> str:
    why = _WHY_NOT.get(kernel.bottleneck.kind)
    if why is None and not kernel.roofline.placed:
        why = "the kernel has no place under the roofs"
    return f"Not worked out: {why or 'not every unit on the way was measured'}."


def _fewer_bytes(kernel: KernelDiagnosis, steps: list[WhatIf]) -> str:
    """Tell of twice the intensity and half the bytes, together where they come to the same."""
    what = " or ".join(_STEPS[one.step] for one in steps).replace(" or Half", " or half")
    if steps[0].saved_pct < _NOTHING:
        return f"{what}: no gain, {_unmoved(steps[0])}."
    how = ", ".join(_HOW[one.step] for one in steps).replace(", as with", ", or")
    work = "".join(map(_reached, steps))
    return f"{what} ({how}): {_time(kernel, steps[0])}{work}. {_then(steps[0])}."


def _unmoved(one: WhatIf) -> str:
    """Say why less traffic gains nothing: its limit is elsewhere, or a unit is as full."""
    if " at " in one.limited_by:
        return f"{one.limited_by} is at its limit as well"
    return f"that takes nothing off {one.limited_by}"


def _time(kernel: KernelDiagnosis, one: WhatIf) -> str:
    """Print the time for the same work: "61 µs instead of 122 µs, 50 % less"."""
    seconds = number(kernel, "duration")
    less = f"{percent(one.saved_pct)} less"
    if seconds is None:
        return less
    left = seconds * (1 - one.saved_pct / 100)
    return f"{show(left, 's')} instead of {show(seconds, 's')} for the same work, {less}"


def _reached(one: WhatIf) -> str:
    """Print what such a kernel would reach: ", 138 GFLOP/s at 0.26 FLOP/byte"."""
    if one.performance is None or one.intensity is None or one.precision is None:
        return ""
    unit = units(one.precision)
    return f", {show(one.performance, unit.y)} at {show(one.intensity, unit.x)}"


def _then(one: WhatIf) -> str:
    unit = one.limited_by
    if " at " in unit or one.rule is not None:
        return f"Then the limit is {unit}"
    return f"{unit[:1].upper()}{unit[1:]} stays the limit, at the same share of its peak"


def _next_limiter(kernel: KernelDiagnosis, one: WhatIf) -> str:
    judged = kernel.bottleneck
    if one.rule is not None:
        return f"{_fixed(kernel, one)}. {_then(one)}."
    start = _OUT_OF_THE_WAY.get(judged.kind, f"Without the work of the {judged.cause}")
    if one.saved_pct < _NOTHING:
        return f"{start}: no gain, {one.limited_by} is as close to its limit."
    return f"{start}: {_time(kernel, one)}. {_then(one)}."


def _fixed(kernel: KernelDiagnosis, one: WhatIf) -> str:
    """Tell of the finding that goes furthest, with both of its numbers."""
    found = next((f for f in kernel.findings if f.rule == one.rule), None)
    title = found.title if found else one.rule
    most = found.gain.at_most_pct if found and found.gain else one.saved_pct
    beyond = f", at most {percent(most)}" if most - one.saved_pct >= _SAME else ""
    return f"With the finding “{title}” fixed: {_time(kernel, one)} expected{beyond}"

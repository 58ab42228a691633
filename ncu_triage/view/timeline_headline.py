"""A timeline in one sentence, which stands beside the verdict."""

from __future__ import annotations

from ncu_triage.model.timeline import Timeline
from ncu_triage.units import percent, show

_FIRST = "the first GPU work to the last"
_ALL = 0.9995  # of the busy time: what is missing would not show


def headline(one: Timeline) -> str:
    """Say how much of the end-to-end time kernels ran, and the profiled ones."""
    whole = one.time.end_to_end
    if not whole:
        return "The timeline holds no GPU work."
    busy = 100 * one.time.kernels / whole
    doubts = "".join(f" {each.text}" for each in one.statements if each.id == "launching")
    text = f"On the timeline, kernels ran for {percent(busy)} of the {end_to_end(one)}"
    return f"{text}{_profiled(one, busy)}.{doubts}"


def end_to_end(one: Timeline) -> str:
    """Name the time that shares are of: that of one GPU, or of several together."""
    gpus, whole = len(one.source.gpus), show(one.time.end_to_end, "s")
    if gpus < 2:
        return f"{whole} from {_FIRST}"
    each = f" ({show(one.wall, 's')} each, from {_FIRST})" if one.wall is not None else ""
    return f"{whole} of {gpus} GPUs together{each}"


def _profiled(one: Timeline, busy: float) -> str:
    if not one.comparable:
        return ""
    part = min(busy, sum(kernel.share_pct for kernel in one.matched))
    if one.profiled_time is not None:
        part = 100 * one.profiled_time / one.time.end_to_end
    return (
        ", all in profiled ones" if part >= _ALL * busy else f"; profiled ones for {percent(part)}"
    )

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
    gpus = len(one.source.gpus)
    of = f"{show(whole, 's')} from {_FIRST}" + (f", over {gpus} GPUs" if gpus > 1 else "")
    return f"On the timeline, kernels ran for {percent(busy)} of the {of}{_profiled(one, busy)}."


def _profiled(one: Timeline, busy: float) -> str:
    if not one.comparable:
        return ""
    part = min(busy, sum(kernel.share_pct for kernel in one.matched))
    return (
        ", all in profiled ones" if part >= _ALL * busy else f"; profiled ones for {percent(part)}"
    )

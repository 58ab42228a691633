"""What the numbers of a timeline mean, in plain words; most important first."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.timeline.say import cautions, idle, work
from ncu_triage.timeline.summary import Sentence, TimelineSummary


def sentences(one: TimelineSummary) -> Iterator[Sentence]:
    """Yield what is worth saying about a timeline."""
    kernels = one.figures.kernels.kernels
    if not kernels:
        yield cautions.nothing(one)
    elif kernels == 1:
        yield idle.only(one)
        yield from idle.any_work(one)
    else:
        yield from idle.idle(one)
        yield from idle.gaps(one)
        yield from idle.host(one)
        yield from idle.stretches(one)
        yield from work.short(one.figures)
        yield from work.launches(one)
    yield from work.graphs(one)
    yield from work.copies(one)
    yield from work.savings(one)
    yield from cautions.cautions(one)

"""What must be known before a timeline's numbers are believed."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.timeline.say.words import count, number, percentage, seconds, share, time
from ncu_triage.timeline.summary import Sentence, TimelineSummary

_WORTH = 0.02
_OVERLAP = 1.02
_COARSE = 32  # ns: a clock whose steps show in the numbers


def nothing(one: TimelineSummary) -> Sentence:
    """Say that there is no kernel, and what there is instead."""
    copies = one.figures.copies.copies_and_sets
    rest = f", only {count(copies, 'copy or memset', 'copies and memsets')}" if copies else ""
    return Sentence(
        id="no-kernels",
        text=f"The timeline holds no GPU kernel{rest}: CUDA was not traced, or the program"
        " launched none while it was recorded.",
        evidence=(number("kernels", 0),),
    )


def cautions(one: TimelineSummary) -> Iterator[Sentence]:
    """Yield what weakens the numbers."""
    yield from _file(one)
    yield from _graphs(one)
    yield from _overlap(one)
    yield from _launches(one)
    yield from _clock(one)


def _file(one: TimelineSummary) -> Iterator[Sentence]:
    if one.source.notes:
        start = "" if one.source.complete else "The timeline is incomplete: "
        text = start + "; ".join(one.source.notes)
        yield Sentence(id="file", text=f"{text[0].upper()}{text[1:]}.")


def _graphs(one: TimelineSummary) -> Iterator[Sentence]:
    if one.figures.graph_rows:
        yield Sentence(
            id="graphs-untraced",
            text=f"{count(one.figures.graph_rows, 'graph launch', 'graph launches')}"
            f" ({time(one.figures.graph_ns)}) stand for kernels that were not traced, and count"
            " as no kernel here.",
            evidence=(seconds("graph_time", one.figures.graph_ns),),
            advice="Record again with 'nsys profile --cuda-graph-trace=node'.",
        )


def _overlap(one: TimelineSummary) -> Iterator[Sentence]:
    kernels = one.figures.kernels
    if kernels.busy_ns and kernels.kernel_sum_ns > _OVERLAP * kernels.busy_ns:
        yield Sentence(
            id="overlap",
            text=f"Kernels ran side by side: {time(kernels.kernel_sum_ns)} of kernels within"
            f" {time(kernels.busy_ns)}. A profile of each alone says less about them.",
            evidence=(seconds("kernel_sum", kernels.kernel_sum_ns),),
        )
    if one.collective_share >= _WORTH:
        yield Sentence(
            id="collectives",
            text=f"{share(one.collective_share)} of the kernels' time are collectives (NCCL), part"
            " of which is waiting for other GPUs.",
            evidence=(percentage("collective_share", one.collective_share, "sum over kernels"),),
        )


def _launches(one: TimelineSummary) -> Iterator[Sentence]:
    kernels, launches = one.figures.kernels.kernels, one.figures.launches
    if missing := kernels - launches.launches_matched:
        yield Sentence(
            id="no-launch-call",
            text=f"The file has no launch call for {missing:,} of {kernels:,} kernels: they were"
            " launched before it begins, or calls or their ids were lost. No gap before"
            " them counts as late.",
            evidence=(number("kernels_without_call", missing),),
        )
    if launches.launch_negative:
        yield Sentence(
            id="clock-skew",
            text=f"{count(launches.launch_negative, 'kernel starts', 'kernels start')} before the"
            " launch call: the clocks of host and GPU are apart, and launch times not exact.",
            evidence=(number("launch_negative", launches.launch_negative),),
        )


def _clock(one: TimelineSummary) -> Iterator[Sentence]:
    if one.resolution_ns >= _COARSE:
        yield Sentence(
            id="clock-steps",
            text=f"The times move in steps of {time(one.resolution_ns)}: kernels and gaps below"
            f" {time(3 * one.resolution_ns)} are not exact.",
            evidence=(seconds("resolution", one.resolution_ns),),
        )
    span = one.figures.gpu_span_ns
    if span and one.overhead_ns >= _WORTH * span:
        yield Sentence(
            id="profiler-overhead",
            text=f"The profiler itself held up threads of the host for"
            f" {share(one.overhead_ns / span)} of the time: gaps are longer here than without it.",
            evidence=(percentage("overhead_share", one.overhead_ns / span, "first to last work"),),
        )

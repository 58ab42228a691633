"""What the launches and copies are like, and what could be saved."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.timeline.measure.figures import Figures
from ncu_triage.timeline.measure.savings import Saving
from ncu_triage.timeline.say.words import count, number, percentage, seconds, share, time
from ncu_triage.timeline.summary import Sentence, TimelineSummary
from ncu_triage.units import show

_WORTH, _MANY_SHORT = 0.01, 0.25
_FEW_LAUNCHES = 8
# Time from call to start by which the host runs ahead of the GPU: in ns, and over the
# time that a launch takes where nothing is queued.
_AHEAD, _FAR_AHEAD = 1_000_000, 5


def short(figures: Figures) -> Iterator[Sentence]:
    """Say how many kernels are so short that launching them weighs."""
    launches, of_time = figures.kernels.share_count_lt_10us, figures.kernels.share_time_lt_10us
    few = figures.kernels.kernels < _FEW_LAUNCHES
    if few or launches is None or of_time is None or launches < _MANY_SHORT:
        return
    yield Sentence(
        id="short-kernels",
        text=f"{share(launches)} of the launches took less than 10 µs; they are"
        f" {share(of_time)} of the kernels' time.",
        evidence=(
            percentage("short_launches", launches, "launches"),
            percentage("short_time", of_time, "sum over kernels"),
        ),
    )


def launches(one: TimelineSummary) -> Iterator[Sentence]:
    """Say what a launch costs, and whether the host runs ahead of the GPU."""
    median, latency = one.figures.launches.launch_median_ns, one.host.latency_median_ns
    if latency is not None and one.host.gaps >= _FEW_LAUNCHES:
        yield Sentence(
            id="launch-latency",
            text=f"A launch into an empty queue took {time(latency)} from the call to the"
            " kernel's start (median).",
            evidence=(seconds("launch_latency", latency, "late launches"),),
        )
    # Where launches take long even into an empty queue, a long time says nothing good.
    if median is not None and median > max(_AHEAD, _FAR_AHEAD * (latency or 0)):
        yield Sentence(
            id="runs-ahead",
            text=f"Half of the kernels started {time(median)} or more after their launch call:"
            " the host ran ahead of the GPU there, which is good.",
            evidence=(seconds("launch_median", median, "all launches"),),
        )


def graphs(one: TimelineSummary) -> Iterator[Sentence]:
    """Say what CUDA graphs launch already."""
    launched, kernels = one.figures.launches.graph_launched, one.figures.kernels.kernels
    if launched:
        yield Sentence(
            id="in-graphs",
            text=f"CUDA graphs launch {launched:,} of {kernels:,} kernels already: the gaps before"
            " these launches are not counted as what graphs could save.",
            evidence=(number("kernels_in_graphs", launched),),
        )


def copies(one: TimelineSummary) -> Iterator[Sentence]:
    """Say what was copied, how much of it behind kernels, and what kept the host."""
    copies = one.figures.copies
    if not copies.copy_set_union_ns:
        return
    hidden = copies.copy_hidden_ns / copies.copy_set_union_ns
    pageable = [kind for kind in one.copies if kind.pageable]
    slow = sum(kind.time_ns for kind in pageable)
    matters = slow >= _WORTH * one.figures.gpu_span_ns
    text = (
        f"{count(copies.copies_and_sets, 'copy or memset', 'copies and memsets')} moved"
        f" {show(copies.copy_set_bytes, 'byte')} in {time(copies.copy_set_union_ns)};"
        f" {share(hidden) if hidden else 'none'} of that time lay behind kernels."
    )
    if matters:
        copied = count(sum(kind.copies for kind in pageable), "copy", "copies")
        text += f" {copied} ({time(slow)}) used pageable host memory, which keeps the host waiting."
    yield Sentence(
        id="copies",
        text=text,
        evidence=(
            seconds("copy_time", copies.copy_set_union_ns),
            percentage("copy_hidden", hidden, "copy time"),
            number("copy_bytes", copies.copy_set_bytes, "byte"),
        ),
        advice="Copy from pinned memory on a stream of its own." if matters else None,
    )


def savings(one: TimelineSummary) -> Iterator[Sentence]:
    """Bound what CUDA graphs or fusion could save."""

    def said(id: str, saving: Saving, text: str) -> Iterator[Sentence]:
        if saving.share >= _WORTH:
            yield Sentence(
                id=id,
                text=text.format(time(saving.at_most_ns), share(saving.share)),
                evidence=(seconds(id, saving.at_most_ns, "at most"),),
            )

    graphs, fused = one.graphs_save, one.fusion_saves
    yield from said(
        "graphs-save",
        graphs,
        "CUDA graphs could save at most {} ({} of the time from first to last kernel): the gaps"
        f" before {count(graphs.kernels, 'late launch', 'late launches')}, without copies.",
    )
    yield from said(
        "fusion-saves",
        fused,
        "Fusion could save at most {} ({}): the gaps in"
        f" {count(fused.places, 'chain')} of short kernels, and of neighbours of one shape all"
        " but the longest.",
    )

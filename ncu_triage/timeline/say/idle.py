"""How long the GPU had nothing to do, and why."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.timeline.say.words import (
    count,
    name,
    number,
    percentage,
    range_name,
    seconds,
    share,
    time,
)
from ncu_triage.timeline.summary import Sentence, TimelineSummary

# Shares of the time from first to last kernel from which a thing is worth a sentence.
_WORTH, _A_PART, _LONG_GAP = 0.01, 0.05, 0.1
_OFTEN = 8  # gaps that are no accident


def only(one: TimelineSummary) -> Sentence:
    """Name the kernel of a timeline that has but one."""
    kernels = one.figures.kernels
    return Sentence(
        id="one-kernel",
        text=f"The timeline holds a single kernel, {name(one.kernels[0].name)}, of"
        f" {time(kernels.kernel_sum_ns)}.",
        evidence=(seconds("busy", kernels.busy_ns),),
    )


def idle(one: TimelineSummary) -> Iterator[Sentence]:
    """Say how much of the time no kernel ran: of all, of any work, once running."""
    kernels = one.figures.kernels
    if kernels.idle_share is None:
        return
    who, its = ("The GPU was", "its") if kernels.devices == 1 else (
        f"The {kernels.devices} GPUs together were", "their"
    )  # fmt: skip
    gaps, window = one.figures.gaps, kernels.window_ns
    copied = gaps.gap_total_ns - gaps.gap_empty_ns
    only = f"; {share(copied / window)} had {_other(one)} and no kernel" if copied else ""
    yield Sentence(
        id="idle",
        text=f"{who} idle {share(gaps.gap_empty_ns / window)} of {time(window)},"
        f" from {its} first kernel to {its} last{only}.",
        evidence=(
            percentage("idle_share", kernels.idle_share, "first to last kernel"),
            seconds("gaps_empty", gaps.gap_empty_ns),
            seconds("window", kernels.window_ns),
            seconds("busy", kernels.busy_ns),
        ),
    )
    yield from any_work(one)
    yield from _steady(one)


def any_work(one: TimelineSummary) -> Iterator[Sentence]:
    """Count copies and graphs as work, too, over the whole time; where that says more."""
    figures, span = one.figures, one.whole.total_ns
    kernels = figures.kernels
    idle = max(0.0, 1 - figures.any_busy_ns / span) if span else 0.0
    same = abs(idle - (kernels.idle_share or 0.0)) < _WORTH
    if same or figures.any_busy_ns == kernels.busy_ns:
        return
    yield Sentence(
        id="idle-any-work",
        text=f"With copies, memsets and graphs counted as work, idle time was {share(idle)} of"
        f" the {time(span)} from the first work to the last.",
        evidence=(
            percentage("idle_share_any_work", idle, "first to last work"),
            seconds("any_busy", figures.any_busy_ns),
        ),
    )


def _steady(one: TimelineSummary) -> Iterator[Sentence]:
    if one.steady is None or not (window := one.steady.figures.kernels.window_ns):
        return
    idle = one.steady.figures.gaps.gap_empty_ns / window
    times = count(one.steady.repetitions, "repetition")
    yield Sentence(
        id="steady",
        text=f"Once running ({times} of {range_name(one.steady.name)} after the first),"
        f" idle time was {share(idle)} of {time(window)}.",
        evidence=(percentage("idle_share_steady", idle, "the steady part"),),
    )


def gaps(one: TimelineSummary) -> Iterator[Sentence]:
    """Count the gaps, and say how many of them the host's late launches explain."""
    gaps = one.figures.gaps
    if not gaps.gaps_over_5us:
        return
    late = gaps.host_late_over_5us / gaps.gaps_over_5us
    yield Sentence(
        id="gaps",
        text=f"{count(gaps.gaps_over_5us, 'gap')} above 5 µs between kernels,"
        f" {time(gaps.gaps_over_5us_ns)} in all: {', '.join(_reasons(one))}.",
        evidence=(
            number("gaps_over_5us", gaps.gaps_over_5us),
            seconds("gaps_over_5us_time", gaps.gaps_over_5us_ns),
            percentage("host_late_share", late, "gaps above 5 µs"),
            seconds("host_late_time", gaps.host_late_empty_ns),
            seconds("gap_median", gaps.gap_median_ns or 0),
        ),
    )
    for gap in one.longest_gaps[:1]:
        if gap.length_ns >= _LONG_GAP * one.figures.kernels.window_ns:
            yield Sentence(
                id="longest-gap",
                text=f"The longest gap lasted {time(gap.length_ns)}, between"
                f" {name(gap.before)} and {name(gap.after)}.",
                evidence=(seconds("gap_longest", gap.length_ns),),
            )


def _reasons(one: TimelineSummary) -> Iterator[str]:
    """Say what the gaps above 5 µs were, in parts of their time."""
    gaps = one.figures.gaps
    whole, empty = gaps.gaps_over_5us_ns, gaps.over_5us_empty_ns
    late, unknown = gaps.host_late_over_5us_empty_ns, gaps.unknown_over_5us_empty_ns
    told = (
        (whole - empty, _other(one)),
        (late, "nothing queued, because the host launched late"),
        (empty - late - unknown, "work queued, which waited for a copy, a stream or the driver"),
        (unknown, "before kernels whose launch call is not in the file"),
    )
    yield from (f"{share(part / whole)} {text}" for part, text in told if part)


def _other(one: TimelineSummary) -> str:
    return "copies or graphs" if one.figures.graph_rows else "copies"


def host(one: TimelineSummary) -> Iterator[Sentence]:
    """Say what the host did while nothing was queued."""
    host, late = one.host, one.figures.gaps.host_late_ns
    empty = one.figures.gaps.host_late_empty_ns
    if not empty or empty < _A_PART * one.figures.kernels.window_ns:
        return
    copied = f" ({time(late - empty)} of it {_other(one)})" if late > empty else ""
    parts = (
        (host.wait_ns, "in calls that wait for the GPU", "host_wait"),
        (host.copy_ns, "in calls that copy", "host_copy"),
        (host.allocate_ns, "allocating or freeing memory", "host_allocate"),
        (host.load_ns, "loading code", "host_load"),
        (host.other_ns, "in code of its own", "host_other"),
        (host.launch_ns, "from the launch call to the kernel's start", "host_launch"),
    )
    told = [f"{share(ns / late)} {text}" for ns, text, _ in parts if ns >= _A_PART * late]
    yield Sentence(
        id="host",
        text=f"Of the {time(late)} in gaps that a late launch ended{copied}, the host spent"
        f" {', '.join(told)}.",
        evidence=tuple(seconds(quantity, ns) for ns, _, quantity in parts),
    )
    if host.after_wait >= max(_OFTEN, host.gaps // 2):
        yield Sentence(
            id="synchronisation",
            text=f"{host.after_wait:,} of these {host.gaps:,} gaps opened while the host waited"
            " for the GPU: it could not queue anything ahead.",
            evidence=(number("gaps_after_wait", host.after_wait),),
            advice="Wait less often: launch what comes next before waiting, and check results"
            " once per step.",
        )


def stretches(one: TimelineSummary) -> Iterator[Sentence]:
    """Name the part of the program in which the GPU waited most for launches."""
    for stretch in one.stretches[:1]:
        if stretch.idle_ns >= _A_PART * one.figures.kernels.window_ns:
            yield Sentence(
                id="host-bound",
                text=f"The longest stretch bound by the host begins {time(stretch.begins_ns)}"
                f" after the first work: {stretch.kernels:,} launches in a row came late, and"
                f" {share(stretch.idle_ns / stretch.length_ns)} of {time(stretch.length_ns)}"
                " were idle.",
                evidence=(seconds("host_bound_idle", stretch.idle_ns),),
            )

"""The profiled kernels as they run in the program, and those that were not profiled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.model.timeline import MatchedKernel, Timeline, UnmatchedKernel
from ncu_triage.units import digits, percent, show
from ncu_triage.view import words
from ncu_triage.view.clusters import Cluster, shape
from ncu_triage.view.names import shorten
from ncu_triage.view.shown import Card, Fact
from ncu_triage.view.shown_timeline import RealKernelRow

_MOST, _MOST_MISSING = 30, 10
_MOST_UNPROFILED = 3
_WORTH = 1.0  # percent of the kernels' time from which a kernel is worth naming
_NOTHING = "–"
_ORDERS = {
    "whole": "launch by launch, in the same order",
    "window": "launch by launch, as one stretch of the program",
    "subsequence": "launch by launch, with others between",
    "groups": "by name and shape",
}


def kernel_rows(one: Timeline, found: Sequence[Cluster]) -> list[RealKernelRow]:
    """Return the profiled kernels by their real time, then those that are not there."""
    groups = {cluster.group.id: cluster for cluster in found}
    there = [_matched(each, groups) for each in one.matched[:_MOST]]
    return there + [_unmatched(each, groups) for each in one.unmatched[:_MOST_MISSING]]


def kernels_note(one: Timeline) -> str | None:
    """Say how much of the report was found and how, and how surely."""
    if not one.comparable:
        return None
    known = len(one.matched) + len(one.unmatched)
    which = f"{len(one.matched):,} of the {known:,} profiled kernels"
    text = (
        f"The timeline holds {which if known > 1 else 'the profiled kernel'}, matched"
        f" {_ORDERS[one.order]}, with {one.confidence} confidence."
    )
    if one.unmatched:
        text += f" They are {percent(one.profiled_pct)} of the report's time."
    left = len(one.matched[_MOST:]), len(one.unmatched[_MOST_MISSING:])
    if any(left):
        text += f" Not listed: {left[0]:,} that take less, {left[1]:,} that were not found."
    return text


def unprofiled(one: Timeline, found: Sequence[Cluster]) -> str | None:
    """Name the kernels that take much of the program and are not in the report."""
    if not one.comparable:
        return None
    weighty = [k for k in one.kernels if not k.profiled and k.share_pct >= _WORTH]
    if not weighty:
        return None
    told = [
        f"{shorten(each.name)} ({percent(each.share_pct)} of the kernels' time,"
        f" {words.count(each.launches, 'launch')})"
        for each in weighty[:_MOST_UNPROFILED]
    ]
    more = len(weighty) - len(told)
    rest = f" and {more} more" if more else ""
    return f"The program also runs what is not in the report: {', '.join(told)}{rest}."


def with_real_times(
    cards: Sequence[Card], diagnosis: Diagnosis, found: Sequence[Cluster]
) -> list[Card]:
    """Add to each kernel's card what it takes in the program."""
    one = diagnosis.timeline
    if one is None or not one.comparable:
        return list(cards)
    facts = dict(_card_facts(one, {c.group.id: c.name.anchor for c in found}))
    return [
        replace(card, facts=[*card.facts, facts[card.name.anchor]])
        if card.name.anchor in facts
        else card
        for card in cards
    ]


def _card_facts(one: Timeline, anchors: Mapping[int, str]) -> Iterator[tuple[str, Fact]]:
    label = "On the timeline"
    for each in one.matched:
        text = (
            f"{words.count(each.launches, 'launch')}, median {show(each.median, 's')},"
            f" {percent(each.share_pct)} of the end-to-end time"
        )
        yield anchors[each.group], Fact(label, text)
    for missing in one.unmatched:
        yield anchors[missing.group], Fact(label, missing.text)


def _matched(one: MatchedKernel, groups: Mapping[int, Cluster]) -> RealKernelRow:
    cluster = groups[one.group]
    median = one.profiled_median
    return RealKernelRow(
        name=cluster.name,
        shape=shape(cluster.group),
        share=percent(one.share_pct),
        fill=min(100.0, one.share_pct),
        time=show(one.time, "s"),
        launches=f"{one.launches:,}",
        median=show(one.median, "s"),
        profiled=_NOTHING if median is None else show(median, "s"),
        factor=_NOTHING if one.factor is None else f"{digits(one.factor)} ×",
        confidence=one.confidence,
        remarks=[words.sentence(remark) for remark in one.remarks],
    )


def _unmatched(one: UnmatchedKernel, groups: Mapping[int, Cluster]) -> RealKernelRow:
    cluster = groups[one.group]
    return RealKernelRow(
        name=cluster.name,
        shape=shape(cluster.group),
        share=_NOTHING,
        fill=0.0,
        time=_NOTHING,
        launches=_NOTHING,
        median=_NOTHING,
        profiled=_NOTHING,
        factor=_NOTHING,
        confidence="",
        remarks=[],
        missing=words.sentence(one.text),
    )

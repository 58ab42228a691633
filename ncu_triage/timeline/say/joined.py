"""What a report and a timeline say together, in plain words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.model import Priority
from ncu_triage.timeline.join.matched import Match, MatchedGroup
from ncu_triage.timeline.join.rank import ran_ns
from ncu_triage.timeline.say.words import count, name, number, percentage, share, time
from ncu_triage.timeline.summary import Sentence

_MOST = 3
_ORDERS = {
    "whole": "launch by launch, in the same order",
    "window": "launch by launch, as one stretch of the program",
    "subsequence": "launch by launch, with others between",
    "groups": "by name and shape",
}


def joined_sentences(match: Match, ranked: Sequence[Priority]) -> Iterator[Sentence]:
    """Yield what is worth saying about a report beside a timeline."""
    if not match.comparable:
        yield Sentence(
            id="not-comparable",
            text=f"The report and the timeline are not comparable: {match.reason}.",
        )
        return
    yield _whole(match)
    for group in match.groups[:_MOST]:
        yield _group(group)
    yield from _unmatched(match)
    yield from _first(ranked)


def _whole(match: Match) -> Sentence:
    ran = ran_ns(match.groups)
    busy = ran / match.busy_ns if match.busy_ns else 0.0
    total = ran / match.end_to_end_ns if match.end_to_end_ns else 0.0
    known = len(match.groups) + len(match.unmatched)
    found = f"{len(match.groups)} of the {known} profiled kernels"
    return Sentence(
        id="matched",
        text=f"The timeline holds {found if known > 1 else 'the profiled kernel'}"
        f" ({_ORDERS[match.order]}; confidence {match.confidence}):"
        f" {share(busy)} of the GPU's busy time, and {share(total)} of the time from the first"
        " work to the last.",
        evidence=(
            percentage("profiled_share_of_busy", busy, "busy time"),
            percentage("profiled_share_of_end_to_end", total, "first to last work"),
            number("kernels_matched", len(match.groups)),
        ),
    )


def _group(group: MatchedGroup) -> Sentence:
    text = (
        f"{name(group.name)} ran {count(group.launches, 'time')} and took"
        f" {time(group.time_ns)}, {share(group.share_of_busy)} of the busy time"
    )
    remarks = "".join(f"; {remark}" for remark in group.remarks)
    return Sentence(
        id=f"matched-group-{group.group}",
        text=f"{text}{remarks}.",
        evidence=(
            number("launches", group.launches),
            percentage("share_of_busy", group.share_of_busy, "busy time"),
            *([number("profiled_over_real", group.factor)] if group.factor else []),
        ),
    )


def _unmatched(match: Match) -> Iterator[Sentence]:
    told = [f"{name(one.name)} {one.text}" for one in match.unmatched[:_MOST]]
    more = len(match.unmatched) - len(told)
    if told:
        rest = f"; {count(more, 'other kernel')} likewise" if more else ""
        yield Sentence(id="unmatched", text=f"Not found: {'; '.join(told)}{rest}.")


def _first(ranked: Sequence[Priority]) -> Iterator[Sentence]:
    for one in ranked[:1]:
        if one.in_program:
            part, saved = one.in_program.share_pct / 100, one.in_program.time_saved
            yield Sentence(
                id="first-by-real-time",
                text=f"By the program's own time, this comes first: {one.title} (expected to save"
                f" {time(saved.expected * 1e9)}, {share(part)} of the time from the first work"
                " to the last).",
                evidence=(percentage("real_saving", part, "first to last work"),),
            )

"""What to do first, and what to read with care."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model import Confidence, Diagnosis, Priority, TimeSaved
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.clusters import Cluster, concerned, named, share
from ncu_triage.view.header import device, file_name
from ncu_triage.view.shown import Notice, PriorityView, Ranking, Saving

TOP = 3
_NAMED = 4
_NUMBER = re.compile(r"-?[\d.,]+(?:e[+-]?\d+)? ?(?:[µmn]?s\b|[KMGT]?Hz|%)?")


def priorities(diagnosis: Diagnosis, found: Sequence[Cluster]) -> list[PriorityView]:
    """Return the priorities in the diagnosis' order."""
    first = diagnosis.priorities[:TOP]
    if diagnosis.ranked_by == "timeline":
        from ncu_triage.view.ranking import with_missing

        first = with_missing(diagnosis.priorities, TOP)
    return [_priority(priority, found, diagnosis) for priority in first]


def ranking(diagnosis: Diagnosis) -> Ranking:
    """Say which time the ranking uses."""
    if diagnosis.ranked_by == "timeline" and diagnosis.timeline:
        from ncu_triage.view.ranking import by_program

        return by_program(diagnosis, diagnosis.timeline)
    return Ranking(
        "Time that a fix could save, of the GPU time of the whole report. Savings overlap, so"
        " they do not add up.",
        "of the report's GPU time",
    )


def notices(diagnosis: Diagnosis, found: Sequence[Cluster]) -> list[Notice]:
    """Collect what changes how the report must be read, most important first."""
    return [
        *_timeline(diagnosis),
        *_damage(diagnosis),
        *_gpus(diagnosis),
        *_failures(found),
        *_failed(diagnosis),
        *_measurement(found),
    ]


def _priority(priority: Priority, found: Sequence[Cluster], diagnosis: Diagnosis) -> PriorityView:
    kernels, more = named(concerned(priority.kernels, found), _NAMED)
    return PriorityView(
        title=_title(priority, found),
        confidence=_confidence(priority),
        saving=_saving(priority, diagnosis),
        kernels=kernels,
        more=more,
        launches=words.count(len(priority.kernels), "launch"),
        beside=_beside(priority, diagnosis),
        missing=diagnosis.ranked_by == "timeline" and priority.in_program is None,
    )


def _confidence(priority: Priority) -> Confidence:
    """Return how sure a fix is; by a timeline it is no surer than the match."""
    beside = priority.in_program
    return (beside and beside.confidence) or priority.confidence


def _beside(priority: Priority, diagnosis: Diagnosis) -> str | None:
    if diagnosis.ranked_by == "report":
        return None
    from ncu_triage.view.ranking import beside

    return beside(priority)


def _title(priority: Priority, found: Sequence[Cluster]) -> str:
    """Take the title from the launch that the first kernel's card tells of: numbers agree."""
    for cluster in concerned(priority.kernels[:1], found):
        for finding in cluster.speaker.findings:
            if finding.rule == priority.rule:
                return finding.title
    return priority.title


def _saving(priority: Priority, diagnosis: Diagnosis) -> Saving:
    """Print what a fix saves of the time by which it is ranked."""
    if priority.in_program and diagnosis.timeline:
        whole = diagnosis.timeline.time.end_to_end
        return _of(priority.in_program.time_saved, whole, "of the program's time")
    alone = diagnosis.ranked_by == "report"
    of = "of the time" if alone else "of the report's time"
    return _of(priority.time_saved, diagnosis.totals.duration, of)


def _of(saved: TimeSaved, total: float | None, of: str) -> Saving:
    expected, at_most = (share(part, total) or 0.0 for part in (saved.expected, saved.at_most))
    return Saving(
        expected=show(saved.expected, "s"),
        at_most=show(saved.at_most, "s"),
        expected_share=percent(expected),
        at_most_share=percent(at_most),
        expected_fill=expected,
        at_most_fill=at_most,
        of=of,
    )


class _Warned(NamedTuple):
    """Groups with the same warning, apart from its numbers."""

    text: str
    effect: str
    clusters: list[Cluster]


def _measurement(found: Sequence[Cluster]) -> list[Notice]:
    """Put the kernels' warnings together; the largest kernel's numbers stand for all."""
    warned: dict[str, _Warned] = {}
    for cluster in found:
        for one in cluster.speaker.measurement:
            key = _apart_from_numbers(f"{one.warning}|{one.effect}")
            same = warned.setdefault(key, _Warned(one.warning, one.effect, []))
            same.clusters.append(cluster)
    ordered = sorted(warned.values(), key=lambda w: -sum(c.share or 0.0 for c in w.clusters))
    return [_notice(w.text, w.effect, w.clusters, found) for w in ordered]


def _apart_from_numbers(text: str) -> str:
    return _NUMBER.sub("#", text).replace("counter is", "counters are")


def _failures(found: Sequence[Cluster]) -> list[Notice]:
    """Say which rules failed, so that their silence is not taken for an all-clear."""
    failed: dict[tuple[str, str], list[Cluster]] = defaultdict(list)
    for cluster in found:
        for failure in cluster.speaker.rule_errors:
            failed[failure.rule, failure.message].append(cluster)
    return [
        _notice(f"The rule {rule} failed: {message}", "it says nothing here", hit, found)
        for (rule, message), hit in sorted(failed.items(), key=lambda item: item[0])
    ]


def _timeline(diagnosis: Diagnosis) -> list[Notice]:
    """Say where a timeline was given that tells nothing of this report."""
    one = diagnosis.timeline
    if one is None or one.comparable:
        return []
    name = file_name(one.source.name)
    text = f"The timeline {name} is not comparable with this report: {one.why_not}"
    effect = "What to fix is ranked by the report's own time."
    return [Notice(words.sentence(text), effect, [], 0)]


def _failed(diagnosis: Diagnosis) -> list[Notice]:
    """Say which rules about the whole failed."""
    return [
        Notice(f"The rule {one.rule} failed: {one.message}.", "It says nothing here.", [], 0)
        for one in diagnosis.rule_errors
    ]


def _damage(diagnosis: Diagnosis) -> list[Notice]:
    """Say which files could not be read in full."""
    found = []
    for source in diagnosis.sources:
        name = file_name(source.name)
        if not source.complete:
            text = f"{name} is damaged or cut off; what could be read is judged."
            found.append(Notice(text, _lost(source.lost_launches), [], 0))
        found += [Notice(words.sentence(note), f"({name})", [], 0) for note in source.notes]
    return found


def _gpus(diagnosis: Diagnosis) -> list[Notice]:
    """Warn where launches of different GPUs stand side by side."""
    used = {kernel.device for kernel in diagnosis.kernels}
    told = dict.fromkeys(device(d) for i, d in enumerate(diagnosis.devices) if i in used)
    if len(told) < 2:
        return []
    text = f"The kernels ran on {words.count(len(told), 'different GPU')}: {'; '.join(told)}."
    effect = (
        "Times and percentages compare within one GPU only; shares and the order of what to"
        " fix first add up all of them."
    )
    return [Notice(text, effect, [], 0)]


def _lost(launches: int) -> str:
    if not launches:
        return "How many launches are missing is not known."
    return f"At least {words.count(launches, 'launch')} could not be read."


def _notice(text: str, effect: str, hit: Sequence[Cluster], found: Sequence[Cluster]) -> Notice:
    """Name the kernels, unless it is all of them."""
    some = len(hit) < len(found)
    shown, more = named(hit if some else [], _NAMED)
    what = words.workloads(cluster.group.workload for cluster in found)
    concerned = f"{len(hit)} of {len(found)} {what}s" if some else ""
    return Notice(words.sentence(text), words.sentence(effect), shown, more, concerned)

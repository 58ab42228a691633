"""Priorities by the program's time: whose time that is, and what weighs more than any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.model import Diagnosis, Priority
from ncu_triage.model.timeline import Timeline
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.shown import Ranking
from ncu_triage.view.timeline_headline import end_to_end

_MATTERS = 5.0  # percent of the end-to-end time


def by_program(diagnosis: Diagnosis, one: Timeline) -> Ranking:
    """Say of which time the savings are."""
    return Ranking(
        text="Ranked by the program's own time: what a fix could save of the"
        f" {end_to_end(one)} on the timeline. Savings overlap, so"
        " they do not add up.",
        short="of the program's time, by the timeline",
        more_than_any=_more_than_any(diagnosis.priorities, one),
        missing="Not on the timeline, ranked by the report's own time:",
    )


def with_missing(ranked: Sequence[Priority], most: int) -> list[Priority]:
    """Return the first priorities; those that the timeline lacks have a place, too."""
    there = [one for one in ranked if one.in_program]
    return [*there[:most], *[one for one in ranked if not one.in_program][:most]]


def beside(priority: Priority) -> str | None:
    """Say what a priority saves of the report's time, where it is ranked by the program's."""
    if priority.in_program is None:
        return None
    own = f"{show(priority.time_saved.expected, 's')} ({percent(priority.share_pct)})"
    left = priority.in_program.launches_unmatched
    gone = f"; without {words.count(left, 'launch')} not on the timeline" if left else ""
    return f"In the report: {own}{gone}."


def _more_than_any(ranked: Sequence[Priority], one: Timeline) -> str | None:
    """Name the parts of the time that exceed what the first priority could save."""
    largest = max((p.in_program.share_pct for p in ranked if p.in_program), default=0.0)
    parts = list(_parts(one, max(largest, _MATTERS)))
    return f"More than any kernel's fix could save: {'; '.join(parts)}." if parts else None


def _parts(one: Timeline, least: float) -> Iterator[str]:
    time, unknown = one.time, min(one.gaps.unknown_empty or 0.0, one.time.queued)
    told = (
        (time.host_bound, "in which nothing was queued for the GPU"),
        (time.copies_not_overlapped, "of copies that no kernel overlaps"),
        (time.queued - unknown, "in gaps with work queued"),
        (unknown, "in gaps before kernels whose launch call is not in the file"),
        (time.outside, "in which nothing ran, before the first kernel and after the last"),
    )
    for seconds, text in sorted(told, key=lambda one: -one[0]):
        share = 100 * seconds / time.end_to_end if time.end_to_end else 0.0
        if share > least:
            yield f"{show(seconds, 's')} ({percent(share)}) {text}"

"""Find benchmarks that have stopped coming: no report, while others of their scans have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.history.read import Report

_DAY = 86400
# Days on which it came, so that a trial is no habit; and days without it, to be certain.
_ESTABLISHED = 3
_CONFIRMED_BY = 2


class Absence(NamedTuple):
    """A benchmark that is missing: its last report, and those of others that show it.

    `since` is the first that came without it, `found` the one that made it certain.
    """

    benchmark: str
    last: Report
    since: Report
    found: Report


def absences(nights: Mapping[str, Sequence[Report]]) -> list[Absence]:
    """Return the benchmarks that are missing; `nights` are those of all, each in order.

    A benchmark is held against those that a scan recorded together with its last report, by
    days. It is missing after two days without it, or after more than it ever stayed away.
    """
    return list(_missing(nights))


def _missing(nights: Mapping[str, Sequence[Report]]) -> Iterator[Absence]:
    scans: dict[float, set[str]] = {}
    for benchmark, own in nights.items():
        for report in own:
            scans.setdefault(report.recorded, set()).add(benchmark)
    for benchmark, own in nights.items():
        peers = scans[own[-1].recorded] - {benchmark}
        others = sorted((r for name in peers for r in nights[name]), key=lambda r: (r.at, r.id))
        first = {day(report): report for report in reversed(others)}
        if found := _away(own, first):
            yield found


def _away(own: Sequence[Report], others: Mapping[int, Report]) -> Absence | None:
    """Hold a benchmark's days against those of the others, the first report of each."""
    days = {day(report) for report in own}
    if len(days) < _ESTABLISHED:
        return None
    after = sorted(d for d in others if d > max(days))
    needed = max(_CONFIRMED_BY, 1 + _longest(days, sorted(others)))
    if len(after) < needed:
        return None
    return Absence(own[-1].benchmark, own[-1], others[after[0]], others[after[needed - 1]])


def _longest(days: set[int], others: Sequence[int]) -> int:
    """Return the most days in a row on which the others came without it, while it still did."""
    longest = away = 0
    for one in others:
        if min(days) <= one <= max(days):
            away = 0 if one in days else away + 1
            longest = max(longest, away)
    return longest


def day(report: Report) -> int:
    """Number the day of a report (UTC)."""
    return int(report.at // _DAY)

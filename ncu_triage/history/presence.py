"""Find kernels that are new, and kernels that are gone."""

from __future__ import annotations

from collections.abc import Sequence

from ncu_triage.history.series import Event

# A kernel that was away for one night only was not profiled that night.
_CONFIRMED_BY = 2
# One that was there for one night only was no part of the benchmark.
_ESTABLISHED_BY = 2
# One that has come and gone before goes on doing so.
_MOST_GAPS = 1


def presence(reports: Sequence[int], seen: set[int]) -> list[Event]:
    """Return when a kernel appeared and vanished.

    `reports` are the whole ones of its benchmark and GPU, in order: a report that was cut
    says nothing of what is not in it.
    """
    shown = [report in seen for report in reports]
    if True not in shown:
        return []
    first = shown.index(True)
    events = [_appeared(reports[first])] if first > 0 else []
    gaps = _gaps(shown, first)
    for begin, end in gaps[: _MOST_GAPS + 1]:
        events.append(
            Event(event="vanished", since=reports[begin], found=reports[begin + _CONFIRMED_BY - 1])
        )
        if end < len(reports):
            events.append(_appeared(reports[end], back=True))
    return events


def _appeared(report: int, back: bool = False) -> Event:
    return Event(event="new", since=report, found=report, excuse="back" if back else None)


def _gaps(shown: Sequence[bool], first: int) -> list[tuple[int, int]]:
    """Return where the kernel was away for long enough, as (first night, first night after)."""
    gaps, begin = [], None
    for night in range(first, len(shown) + 1):
        away = night < len(shown) and not shown[night]
        if away and begin is None:
            begin = night
        elif not away and begin is not None:
            known = (
                all(shown[max(0, begin - _ESTABLISHED_BY) : begin])
                and begin >= first + _ESTABLISHED_BY
            )
            if known and night - begin >= _CONFIRMED_BY:
                gaps.append((begin, night))
            begin = None
    return gaps

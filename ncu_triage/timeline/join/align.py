"""How the launches of a report lie among those of a timeline, by their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.timeline.join.matched import Order


class Alignment(NamedTuple):
    """For each launch of the report its place in the timeline, where that is certain."""

    order: Order
    places: tuple[int | None, ...]


def align(profiled: Sequence[int], real: Sequence[int]) -> Alignment:
    """Align two sequences of groups; the report's may be a part of the timeline's.

    A profiler may skip launches, stop early, or take only those of some names, so the
    report is looked for in a row, then with launches left out between. Where several
    places fit, only a group of which every launch was profiled can be told launch by launch.
    """
    if list(profiled) == list(real):
        return Alignment("whole", tuple(range(len(real))))
    starts = _in_a_row(profiled, real)
    if len(starts) == 1:
        return Alignment("window", tuple(range(starts[0], starts[0] + len(profiled))))
    first = _leftmost(profiled, real)
    last = _leftmost(profiled[::-1], real[::-1])
    if not starts and first and last and first == [len(real) - 1 - at for at in last[::-1]]:
        return Alignment("subsequence", tuple(first))
    return Alignment("groups", _by_count(profiled, real))


def _in_a_row(part: Sequence[int], whole: Sequence[int]) -> list[int]:
    """Return where a part occurs in a row, two places at most (Knuth, Morris, Pratt)."""
    if not part or len(part) > len(whole):
        return []
    back = _borders(part)
    found: list[int] = []
    length = 0
    for at, one in enumerate(whole):
        while length and (length == len(part) or part[length] != one):
            length = back[length - 1]
        length += part[length] == one
        if length == len(part):
            found.append(at + 1 - length)
            if len(found) > 1:
                break
    return found


def _borders(part: Sequence[int]) -> list[int]:
    """Return for each beginning of the part how much of its start it ends with."""
    back, length = [0] * len(part), 0
    for at in range(1, len(part)):
        while length and part[length] != part[at]:
            length = back[length - 1]
        length += part[length] == part[at]
        back[at] = length
    return back


def _leftmost(part: Sequence[int], whole: Sequence[int]) -> list[int]:
    """Return the first place of each launch in turn; none where one has no place left."""
    found: list[int] = []
    at = 0
    for one in part:
        while at < len(whole) and whole[at] != one:
            at += 1
        if at == len(whole):
            return []
        found.append(at)
        at += 1
    return found


def _by_count(profiled: Sequence[int], real: Sequence[int]) -> tuple[int | None, ...]:
    """Pair the k-th launch with the k-th, in groups of which both have all launches."""
    mine, theirs = _places(profiled), _places(real)
    found: list[int | None] = [None] * len(profiled)
    for group, places in mine.items():
        if len(places) == len(others := theirs.get(group, [])):
            for one, other in zip(places, others, strict=True):
                found[one] = other
    return tuple(found)


def _places(sequence: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for at, group in enumerate(sequence):
        found.setdefault(group, []).append(at)
    return found

"""Aliases for the names of a timeline: those of the report where both mean one kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ncu_triage.model.timeline import Timeline
from ncu_triage.privacy.alias import alias, kernel_alias
from ncu_triage.timeline.join.names import unscoped
from ncu_triage.timeline.say import words


def timeline_aliases(timeline: Timeline, known: Mapping[str, str]) -> dict[str, str]:
    """Return aliases for kernels and ranges, in full and as the statements print them.

    `known` has those of the report, and the timeline's kernels are called as there.
    """
    found: dict[str, str] = {}
    for name in dict.fromkeys((*_kernels(timeline), *known)):
        own = known.get(name) or kernel_alias(_base(name), name)
        found |= {name: own, words.name(name): _quoted(own)}
    if timeline.steady:
        name = timeline.steady.name
        own = alias("range", name)
        found |= {name: own, words.range_name(name): _quoted(own)}
    return found


def _kernels(timeline: Timeline) -> Iterable[str]:
    yield from (one.name for one in timeline.kernels)
    yield from (one.name for one in timeline.matched)
    yield from (one.name for one in timeline.unmatched)
    for gap in timeline.longest_gaps:
        yield from (gap.before, gap.after)


def _base(full: str) -> str:
    """Return what a report would call the kernel: without namespaces and arguments."""
    return re.split(r"[<(]", unscoped(full))[0] or full


def _quoted(text: str) -> str:
    return f"“{text}”"

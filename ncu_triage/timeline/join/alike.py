"""Call a timeline's kernels as the report calls them, where both mean the same one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.join.names import spelled, unscoped


def called_alike(timeline: Timeline, diagnosis: Diagnosis) -> Timeline:
    """Return the timeline with the report's spelling of each name that both have.

    Profilers spell one name differently. A reader shall meet one spelling, and an alias
    made of the name be the same. A name that could be two of the report's stays.
    """
    full = [name.full for name in timeline.names]
    mine = {kernel.demangled for kernel in diagnosis.kernels if kernel.workload == "kernel"}
    called = {name: name for name in full if name in mine}
    for spelling in (spelled, unscoped):
        left = [name for name in full if name not in called]
        called |= _paired(left, mine - set(called.values()), spelling)
    names = tuple(one._replace(full=called.get(one.full, one.full)) for one in timeline.names)
    return replace(timeline, names=names)


def _paired(
    theirs: Iterable[str], mine: Iterable[str], spelling: Callable[[str], str]
) -> dict[str, str]:
    """Pair names that have one spelling, and are alone with it on both sides."""
    groups: dict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, names in enumerate((theirs, mine)):
        for name in dict.fromkeys(names):
            groups[spelling(name)][side].append(name)
    return {one[0]: other[0] for one, other in groups.values() if len(one) == 1 and len(other) == 1}

"""Find a report's kernels in a timeline: from the surest sign of a name to the weakest."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.model import Extent, KernelDiagnosis
from ncu_triage.timeline.events import KernelName, Timeline
from ncu_triage.timeline.join.matched import How, Reason
from ncu_triage.timeline.join.names import loose, spelled, unscoped

_CUT = "..."  # how old versions of Nsight Systems end a name that was too long for them


class Variant(NamedTuple):
    """A kernel with a launch shape in the timeline; only equal ones share times."""

    name: int
    grid: Extent
    block: Extent


class Found(NamedTuple):
    """The rows that are a group's, or why there are none and what shapes it has instead."""

    rows: tuple[int, ...] = ()
    how: How = "name"
    shared: bool = False  # several kernels of the report have this spelling
    reason: Reason | None = None
    others: tuple[Variant, ...] = ()


class _Level(NamedTuple):
    how: How
    mine: Callable[[KernelDiagnosis], str | None]
    theirs: Callable[[KernelName], str | None]
    beginning: bool = False  # theirs is the beginning of a name


_LEVELS = (
    _Level("mangled", lambda k: _mangled(k.demangled) or _mangled(k.name), lambda n: n.mangled),
    _Level("name", lambda k: k.demangled, lambda n: n.full),
    _Level("spelling", lambda k: spelled(k.demangled), lambda n: spelled(n.full)),
    _Level("unscoped", lambda k: unscoped(k.demangled), lambda n: unscoped(n.full)),
    _Level("loose", lambda k: loose(k.demangled), lambda n: loose(n.full)),
    _Level("loose", lambda k: k.demangled, lambda n: _cut(n.full), beginning=True),
)


class Finder:
    """Looks for groups; a row of the timeline belongs to one group at most."""

    def __init__(self, timeline: Timeline, rows: Sequence[int], claimed: set[Variant]) -> None:
        self._rows = _variants(timeline, rows)
        self._claimed = claimed
        names = {timeline.kernels.name[row] for row in rows}
        self._keys = [_by_key(timeline, names, level) for level in _LEVELS]

    def find(self, speakers: Mapping[int, KernelDiagnosis]) -> dict[int, Found]:
        """Return what was found for each group, given one kernel of each."""
        found: dict[int, Found] = {}
        for level, keys in zip(_LEVELS, self._keys, strict=True):
            mine = {id: level.mine(one) for id, one in speakers.items() if id not in found}
            spoken: dict[str | None, set[str]] = defaultdict(set)
            for id, key in mine.items():
                spoken[key].add(speakers[id].demangled)
            for id, key in mine.items():
                if names := _named(keys, key, level):
                    one = self._of(speakers[id], names, level.how)
                    found[id] = one._replace(shared=len(spoken[key]) > 1)
        return {id: found.get(id, Found(reason="absent")) for id in speakers}

    def _of(self, one: KernelDiagnosis, names: Sequence[int], how: How) -> Found:
        """Take the rows of these names that have the kernel's own shape."""
        shapes = [variant for variant in self._rows if variant.name in names]
        if one.grid is None or one.block is None or not shapes:
            return Found(how=how, reason="no-shape")
        same = [v for v in shapes if (v.grid, v.block) == (one.grid, one.block)]
        free = [variant for variant in same if variant not in self._claimed]
        # Alike is not the same: of several that are only alike none can be chosen.
        if free and (how != "loose" or len(free) == 1):
            self._claimed.update(free)
            return Found(tuple(sorted(row for v in free for row in self._rows[v])), how)
        return Found((), how, False, "ambiguous" if same else "other-grid", tuple(shapes))


def _variants(timeline: Timeline, rows: Sequence[int]) -> dict[Variant, list[int]]:
    """Return the rows of each variant; a kernel without a launch shape is none."""
    found: dict[Variant, list[int]] = defaultdict(list)
    kernels = timeline.kernels
    for row in rows:
        shape = timeline.shapes[kernels.shape[row]]
        if shape.grid and shape.block:
            found[Variant(kernels.name[row], shape.grid, shape.block)].append(row)
    return found


def _by_key(timeline: Timeline, names: set[int], level: _Level) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for name in sorted(names):
        if key := level.theirs(timeline.names[name]):
            found[key].append(name)
    return found


def _named(keys: Mapping[str, list[int]], mine: str | None, level: _Level) -> list[int]:
    if not mine:
        return []
    if not level.beginning:
        return keys.get(mine, [])
    return [name for key, own in keys.items() if mine.startswith(key) for name in own]


def _mangled(text: str) -> str | None:
    return text if text.startswith("_Z") else None


def _cut(text: str) -> str | None:
    return text.removesuffix(_CUT) if text.endswith(_CUT) else None

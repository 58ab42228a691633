"""Recognise the kernels of one report in another: by name, launch shape and order.

From the surest sign to the weakest; each pass takes what the passes before it left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from ncu_triage.compare.comparison import How, Match
from ncu_triage.compare.names import base, called, likeness, loose, spelled
from ncu_triage.compare.runs import Run, number
from ncu_triage.model import Confidence, KernelDiagnosis

# How alike two names must be: with one base name, and with nothing else in common.
_SAME_BASE, _ANY_NAME = 0.5, 0.6
# What tells a kernel that was rewritten from another one, and how near its amounts must be.
_WORK = ("fp64_operations", "fp32_operations", "tensor_operations", "ideal_global_bytes")
_AS_MUCH = 0.02
_MOST_GUESSES = 40_000  # pairs of names held against each other; beyond, nobody guesses


class Pair(NamedTuple):
    """A kernel before and after, and how it was recognised."""

    before: Run
    after: Run
    match: Match


class Matched(NamedTuple):
    """The pairs in the order of the first report, and what only one report has."""

    pairs: list[Pair]
    only_before: list[Run]
    only_after: list[Run]


class _Pass(NamedTuple):
    how: How
    confidence: Confidence
    key: Callable[[KernelDiagnosis], Hashable]
    alike: float = 0.0


_PASSES = (
    _Pass("name-and-shape", "high", lambda k: (_full(k), k.grid, k.block)),
    _Pass("spelling", "high", lambda k: (spelled(_full(k)), k.grid, k.block)),
    _Pass("other-grid", "medium", lambda k: (spelled(_full(k)), k.block)),
    _Pass("other-shape", "medium", lambda k: spelled(_full(k))),
    _Pass("other-arguments", "medium", lambda k: (called(_full(k)), k.grid, k.block)),
    _Pass("other-arguments", "medium", lambda k: (base(_full(k)), k.grid, k.block), _SAME_BASE),
    _Pass("other-arguments", "low", lambda k: base(_full(k)), _SAME_BASE),
    _Pass("other-numbers", "low", lambda k: (loose(_full(k)), k.grid, k.block)),
    _Pass("other-numbers", "low", lambda k: loose(_full(k))),
)


def match(before: Sequence[Run], after: Sequence[Run], *, chosen: bool = False) -> Matched:
    """Pair the kernels of two reports; a kernel has one partner at most.

    On the same GPU where the reports share one, else whatever the GPU. Where the user has
    `chosen` one kernel of each, these are a pair whatever they look like.
    """
    shared = {run.device for run in before} & {run.device for run in after}
    mine, yours = _numbered(before, bool(shared)), _numbered(after, bool(shared))
    found = _found(mine, yours, chosen)
    taken = {j for j, _ in found.values()}
    return Matched(
        [Pair(before[i], after[j], how) for i, (j, how) in sorted(found.items())],
        [run for i, run in enumerate(before) if i not in found],
        [run for j, run in enumerate(after) if j not in taken],
    )


_Numbered = list[tuple[int, Run]]


def _numbered(runs: Sequence[Run], shared: bool) -> _Numbered:
    """Number the runs; where the reports share no GPU, which one it was says nothing."""
    return [(i, run if shared else run._replace(device="")) for i, run in enumerate(runs)]


def _found(left: _Numbered, right: _Numbered, chosen: bool) -> dict[int, tuple[int, Match]]:
    alone = chosen and len(left) == len(right) == 1
    found: dict[int, tuple[int, Match]] = {}
    for one in _PASSES:
        for i, j, sure in _pass(one, left, right):
            found[i] = j, Match(how=one.how, confidence=sure)
        taken = {j for j, _ in found.values()}
        left = [(i, run) for i, run in left if i not in found]
        right = [(j, run) for j, run in right if j not in taken]
    for i, j in _renamed(left, right, alone):
        found[i] = j, Match(how="renamed", confidence="low")
    if alone:
        return {i: (j, _as_chosen(how)) for i, (j, how) in found.items()}
    return found


def _as_chosen(found: Match) -> Match:
    """What the user held against each other is no guess."""
    return Match(how="chosen", confidence="high") if found.confidence == "low" else found


def _pass(one: _Pass, left: _Numbered, right: _Numbered) -> list[tuple[int, int, Confidence]]:
    """Pair what has the same key, in order; several candidates lower the confidence."""
    mine, yours = _by_key(one, left), _by_key(one, right)
    found: list[tuple[int, int, Confidence]] = []
    for key in mine.keys() & yours.keys():
        several = len(mine[key]) > 1 or len(yours[key]) > 1
        doubtful = several and one.confidence == "medium"
        sure: Confidence = "low" if doubtful else one.confidence
        found += [(i, j, sure) for i, j in _paired(mine[key], yours[key], one.alike)]
    return found


def _by_key(one: _Pass, numbered: _Numbered) -> dict[Hashable, _Numbered]:
    made: dict[Hashable, _Numbered] = defaultdict(list)
    for i, run in numbered:
        made[one.key(run.speaker), run.speaker.workload, run.device].append((i, run))
    return made


def _paired(left: _Numbered, right: _Numbered, alike: float) -> list[tuple[int, int]]:
    """Pair in order, or the most alike names first where names may differ."""
    if not alike or len(left) == len(right) == 1:
        return [(i, j) for (i, _), (j, _) in zip(left, right, strict=False)]
    return _most_alike(left, right, alike)


def _renamed(left: _Numbered, right: _Numbered, alone: bool) -> list[tuple[int, int]]:
    """Pair what is called alike; and the last kernel of each report, if they may be one."""
    one_each = len(left) == len(right) == 1
    if one_each and (alone or _could_be(left[0][1], right[0][1])):
        return [(left[0][0], right[0][0])]
    return _most_alike(left, right, _ANY_NAME)


def _could_be(one: Run, other: Run) -> bool:
    """Say whether the last kernels of two reports may be one: a shape, half a name, the work."""
    a, b = one.speaker, other.speaker
    if (a.workload, one.device) != (b.workload, other.device):
        return False
    alike = likeness(_full(a), _full(b)) >= _SAME_BASE
    return alike or _same_shape(one, other) or _same_work(a, b)


def _same_work(one: KernelDiagnosis, other: KernelDiagnosis) -> bool:
    """Say whether two kernels do as many operations, or move as many bytes that are needed."""
    pairs = [(number(one, id), number(other, id)) for id in _WORK]
    return any(a and b and abs(a - b) <= _AS_MUCH * max(a, b) for a, b in pairs)


def _most_alike(left: _Numbered, right: _Numbered, least: float) -> list[tuple[int, int]]:
    """Pair greedily by likeness; on a tie the same shape, then the order, decides."""
    if len(left) * len(right) > _MOST_GUESSES:
        return []
    ranked = sorted(
        (-alike, not _same_shape(a, b), abs(x - y), i, j)
        for x, (i, a) in enumerate(left)
        for y, (j, b) in enumerate(right)
        if (a.speaker.workload, a.device) == (b.speaker.workload, b.device)
        and (alike := likeness(_full(a.speaker), _full(b.speaker))) >= least
    )
    found: dict[int, int] = {}
    for _, _, _, i, j in ranked:
        if i not in found and j not in found.values():
            found[i] = j
    return list(found.items())


def _same_shape(one: Run, other: Run) -> bool:
    a, b = one.speaker, other.speaker
    return (a.grid, a.block) == (b.grid, b.block)


def _full(kernel: KernelDiagnosis) -> str:
    """Return the full name; a mangled one says less than the plain name."""
    mangled = kernel.demangled.startswith("_Z")
    return kernel.name if mangled or not kernel.demangled else kernel.demangled

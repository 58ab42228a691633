"""Keep a benchmark's name, however the folders of a scan are given.

`scan boxA` calls a report `gemm`, `scan boxA boxB` calls it `boxA/gemm`. Names of which one
ends in the other are told to be the same benchmark by what the history has of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Set
from typing import TypeAlias

Kernels: TypeAlias = Callable[[str], Set[tuple[str | None, ...]]]


def settled(
    wanted: Mapping[str, Set[str]], known: Mapping[str, Set[str]], mine: Kernels, yours: Kernels
) -> dict[str, str]:
    """Return the benchmark that each name of this scan stands for.

    `wanted` are a scan's names with their contents, `known` the history's benchmarks with
    those of the contents that they have already. `mine` and `yours` tell the kernels of either.
    A name stands for the related benchmark that has its contents, or for itself where that
    is known; else for the only related one with kernels of its own that no other name takes.
    """
    found: dict[str, str] = {}
    for name, contents in wanted.items():
        held = Counter({b: len(contents & known[b]) for b in known if related(name, b)})
        best = max(sorted(held), key=lambda b: (held[b], b == name), default=None)
        if best is not None and (held[best] or best == name):
            found[name] = best
    left = {
        name: [
            b
            for b in sorted(known)
            if b not in found.values() and related(name, b) and mine(name) & yours(b)
        ]
        for name in wanted
        if name not in found
    }
    claims = Counter(b for fits in left.values() for b in fits)
    for name, fits in left.items():
        found[name] = fits[0] if len(fits) == 1 and claims[fits[0]] == 1 else name
    return found


def related(one: str, other: str) -> bool:
    """Tell whether one name is the other, or the end of it from a folder on."""
    short, long = sorted((one, other), key=len)
    return short == long or (bool(short) and long.endswith(f"/{short}"))

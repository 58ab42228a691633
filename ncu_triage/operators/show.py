"""The kinds of operators in words: the list of all, and one whole."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from ncu_triage.operators.kind import Dimension, Kind

_WIDTH = 88


def listed(kinds: Iterable[Kind]) -> str:
    """List kinds with what they are."""
    lines = [f"{kind.id:<18} {kind.summary}" for kind in kinds]
    more = "What one needs, and its formulas: ncu-triage operators gemm"
    return "\n".join([*lines, "", more]) + "\n"


def page(kind: Kind) -> str:
    """Describe a kind: dimensions, type, padding, formulas, how its work is counted, an example."""
    return "\n".join(_lines(kind)) + "\n"


def example(kind: Kind) -> str:
    """Return the call that works the kind's example out."""
    sizes = " ".join(f"{name}={size}" for name, size in kind.example.items())
    return f"ncu-triage operators {kind.id} {sizes} type={kind.type}"


def formulas(kind: Kind) -> list[str]:
    """Return a kind's formulas as they are computed: FLOPs, and each tensor's elements."""
    derived = [f"{name} = {text}" for name, text in kind.derived.items()]
    tensors = [
        f"{tensor.name} {tensor.access} = {tensor.elements}"
        + (f" ({tensor.type})" if tensor.type else "")
        for tensor in kind.tensors
    ]
    return [*derived, f"FLOPs = {kind.flops}", *tensors]


def _lines(kind: Kind) -> Iterator[str]:
    yield f"{kind.id}: {kind.summary}"
    yield ""
    yield from (f"  {one.name:<12} {_meaning(one)}" for one in kind.dimensions)
    yield f"  {'type':<12} type of the elements ({kind.type})"
    yield f"  {'padding':<12} tile.NAME or padded.NAME of {', '.join(kind.padding.dimensions)}"
    yield ""
    yield from (f"  {line}" for line in formulas(kind))
    yield ""
    if kind.counting:
        yield from _wrapped(f"Counted: {kind.counting}.")
    yield from _wrapped(f"Source: {kind.source}.")
    if kind.example:
        yield ""
        yield f"  {example(kind)}"


def _wrapped(text: str) -> list[str]:
    """Break a text into lines; an address stays whole."""
    return textwrap.wrap(
        text,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def _meaning(one: Dimension) -> str:
    if one.flag:
        return f"{one.meaning}: true or false (false)"
    return one.meaning if one.default is None else f"{one.meaning} ({one.default})"

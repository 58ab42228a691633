"""Add instructions up to the places in the code that carry most of a metric."""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from ncu_triage.model import Where

# A finding names a few places; what carries next to nothing is none.
MOST_PLACES = 5
LEAST_SHARE = 0.01


class Instruction(Struct, frozen=True, array_like=True):
    """What NVIDIA's reader says of an instruction; empty where it does not know."""

    sass: str = ""
    file: str = ""
    line: int = 0


class Code(NamedTuple):
    """A launch's program: where its functions begin, and what its instructions are."""

    functions: Sequence[int]
    instructions: Mapping[int, Instruction]


_UNKNOWN = Instruction()


def places(values: Mapping[int, float], code: Code) -> list[Where]:
    """Return the places that carry a metric, most first, with their shares of its total.

    A place is a source line where the instruction has one, else the instruction itself.
    """
    total = sum(values.values())
    groups: dict[object, list[int]] = {}
    for pc in sorted(values):
        groups.setdefault(_place(pc, code), []).append(pc)
    carried = [(sum(values[pc] for pc in pcs) / total, pcs) for pcs in groups.values()]
    # Among equals the first in the code comes first: sorting is stable.
    carried.sort(key=lambda one: -one[0])
    return [
        _where(max(pcs, key=lambda pc: values[pc]), share, code)
        for share, pcs in carried[:MOST_PLACES]
        if share >= LEAST_SHARE
    ]


def _place(pc: int, code: Code) -> object:
    # By the whole path: two files of one name are two files.
    one = code.instructions.get(pc, _UNKNOWN)
    return (one.file, one.line) if one.file and one.line > 0 else pc


def _where(pc: int, share: float, code: Code) -> Where:
    one = code.instructions.get(pc, _UNKNOWN)
    if one.file and one.line > 0:
        return Where(file=_base_name(one.file), line=one.line, sass=one.sass or None, share=share)
    return Where(sass=f"{_offset(pc, code.functions)} {one.sass}".rstrip(), share=share)


def _base_name(path: str) -> str:
    """Drop the folders, of Windows, too: they tell who compiled, and where."""
    return re.split(r"[/\\]", path)[-1]


def _offset(pc: int, functions: Sequence[int]) -> str:
    """Say where in its function an instruction stands, and in which if there are several.

    Samples may also fall into code that is none of the launch's functions.
    """
    number = bisect(functions, pc)
    if number == 0:
        return f"-{functions[0] - pc:#x}"
    offset = f"+{pc - functions[number - 1]:#x}"
    return offset if len(functions) == 1 else f"{offset} in function {number}"

"""The process that asks NVIDIA's reader for instructions and lines, and ends."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ncu_triage.readers.nvidia.convert import clean
from ncu_triage.readers.nvidia.process import serve
from ncu_triage.readers.source.places import Instruction


class Wanted(Struct, frozen=True, array_like=True):
    """Some instructions of a launch; the name guards against taking one for another."""

    number: int
    name: str
    pcs: tuple[int, ...]


class Request(Struct, frozen=True, array_like=True):
    """Which report to read, and the instructions to tell about."""

    path: bytes
    launches: tuple[Wanted, ...]


class Answer(Struct, frozen=True, array_like=True):
    """The instructions of one launch, in the order of the request."""

    number: int
    instructions: tuple[Instruction, ...]


def main() -> None:
    """Serve one request."""
    serve(_answers)


def _answers(encoded: bytes) -> Iterator[Answer]:
    import ncu_report

    request = msgspec.msgpack.decode(encoded, type=Request)
    ranges = list(ncu_report.load_report(os.fsdecode(request.path)))
    for one in request.launches:
        action = _action(ranges, one.number)
        if action is not None and clean(action.name()) == one.name:
            yield Answer(one.number, tuple(_instruction(action, pc) for pc in one.pcs))


def _action(ranges: Sequence[Any], number: int) -> Any | None:
    for one in ranges:
        if number < len(one):
            return one[number]
        number -= len(one)
    return None


def _instruction(action: Any, pc: int) -> Instruction:
    info = action.source_info(pc)
    sass = " ".join(clean(action.sass_by_pc(pc)).split())
    return Instruction(
        # For a chip that it does not know, NVIDIA's reader says N/A.
        sass="" if sass == "N/A" else sass,
        file=clean(info.file_name()) if info else "",
        line=info.line() if info else 0,
    )

"""The process that reads a whole report with NVIDIA's reader, and ends."""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from ncu_triage.model import Launch
from ncu_triage.readers.nvidia.convert import is_sound, launch
from ncu_triage.readers.nvidia.process import serve


class Request(Struct, frozen=True, array_like=True):
    """Which report to read, and the first part of its launches' ids."""

    path: bytes
    source_index: int


class Opened(Struct, frozen=True, array_like=True):
    """The first answer: how many launches there are, and how many have a name and metrics.

    As many `Answer`s follow.
    """

    launches: int
    sound: int


class Answer(Struct, frozen=True, array_like=True):
    """A launch, or None for one without name or metrics."""

    launch: Launch | None


def main() -> None:
    """Serve one request."""
    serve(_answers)


def _answers(request: bytes) -> Iterator[Opened | Answer]:
    import ncu_report

    wanted = msgspec.msgpack.decode(request, type=Request)
    context = ncu_report.load_report(os.fsdecode(wanted.path))
    actions = [
        (f"{wanted.source_index}/{i}/{j}", action)
        for i, one in enumerate(context)
        for j, action in enumerate(one)
    ]
    sound = [is_sound(action) for _, action in actions]
    yield Opened(len(actions), sum(sound))
    for (id, action), good in zip(actions, sound, strict=True):
        yield Answer(launch(id, action) if good else None)

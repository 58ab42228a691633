"""A report of a file version that the container reader does not know."""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field

from ncu_triage.errors import InputError
from ncu_triage.model import Launch, Settings, Source
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.container import Container
from ncu_triage.readers.ncu_rep.origin import Origin
from ncu_triage.readers.ncu_rep.settings import ncu_version
from ncu_triage.readers.nvidia.files import on_disk
from ncu_triage.readers.nvidia.process import WorkerFailure, ask, decode, is_installed
from ncu_triage.readers.nvidia.worker import Answer, Opened, Request

_WORKER = "ncu_triage.readers.nvidia.worker"


class Unreadable(InputError):
    """NVIDIA's reader is not installed, or cannot read the file either; says which."""


@dataclass
class _Tally:
    """What the launches taken so far add up to."""

    read: int = 0
    unusable: int = 0
    missing: int = 0
    failure: str | None = None
    sections: set[str] = field(default_factory=set)

    def add(self, launch: Launch | None) -> None:
        if launch is None:
            self.unusable += 1
            return
        self.read += 1
        self.sections.update(launch.sections)


class NvidiaReport:
    """A report read by NVIDIA's reader (`Report` says what the parts promise).

    A worker process reads it and hands the launches over one by one. NVIDIA's reader says
    nothing of damage: where the blocks can still be walked as those of the known version,
    what they announce and where they end tells what it left out.
    """

    def __init__(
        self, origin: Origin, data: ByteFile, container: Container, damage: str | None = None
    ) -> None:
        self._origin = origin
        self._container = container
        self._damage = damage
        self._tally = _Tally()
        if not is_installed():
            raise Unreadable("NVIDIA's reader (ncu-report) is not installed")
        stack = ExitStack()
        self._path = stack.enter_context(on_disk(data))
        weakref.finalize(self, stack.close)
        # The next reading, begun to learn whether there is anything to read.
        self._begun: tuple[Opened, Iterator[bytes]] | None = self._begin()

    def launches(self) -> Iterator[Launch]:
        """Yield the launches in file order; refuse a report of which none can be read."""
        opened, answers = self._begun or self._begin()
        self._begun = None
        self._tally = tally = _Tally()
        try:
            for answer in answers:
                launch = decode(answer, Answer).launch
                tally.add(launch)
                if launch is not None:
                    yield launch
        except WorkerFailure as failure:
            tally.failure = f"NVIDIA's reader {failure}"
        announced = max(opened.launches, self._container.launches)
        tally.missing = announced - tally.read - tally.unusable
        if not tally.read:
            raise InputError(f"no launch can be read, copy the report again ({self._losses()[0]})")

    def source(self) -> Source:
        """Describe the file and how much of it could be read."""
        losses = self._losses()
        return Source(
            name=self._origin.name,
            sha256=self._origin.file.sha256(),
            format=self._origin.format,
            ncu_version=ncu_version(self._container.sessions),
            complete=not losses,
            lost_launches=self._tally.unusable + self._tally.missing,
            notes=[f"file version {self._container.version}, read with NVIDIA's reader", *losses],
        )

    def settings(self) -> Settings:
        """Name the sections; NVIDIA's interface tells no other setting."""
        return Settings(sections=sorted(self._tally.sections))

    def _begin(self) -> tuple[Opened, Iterator[bytes]]:
        request = Request(os.fsencode(self._path), self._origin.source_index)
        try:
            answers = ask(_WORKER, request)
            opened = decode(next(answers, b""), Opened)
        except WorkerFailure as failure:
            raise Unreadable("NVIDIA's reader failed") from failure
        if not opened.sound:
            raise Unreadable("NVIDIA's reader found no launch")
        return opened, answers

    def _losses(self) -> list[str]:
        tally = self._tally
        notes = [self._damage] if self._damage else []
        if self._container.damage and self._container.launches:
            notes.append(self._container.damage)
        if tally.missing:
            why = tally.failure or "NVIDIA's reader left launches out"
            notes.append(f"{why}: {_launches(tally.missing)} could not be read")
        if tally.unusable:
            notes.append(f"{_launches(tally.unusable)} damaged, or without a name or metrics")
        return notes


def _launches(count: int) -> str:
    return f"{count} launch" if count == 1 else f"{count} launches"

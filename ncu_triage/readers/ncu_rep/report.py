"""The opened report file: launches one by one, then what became of the file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

import msgspec
from msgspec import Struct, field

from ncu_triage.errors import InputError
from ncu_triage.model import Launch, Settings, Source, Workload
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.compressed import unpack
from ncu_triage.readers.ncu_rep.container import FILE_VERSION, MAGIC, Container
from ncu_triage.readers.ncu_rep.decode import Decoded, Place, decode_launch
from ncu_triage.readers.ncu_rep.origin import Origin
from ncu_triage.readers.ncu_rep.settings import ncu_version, read_settings
from ncu_triage.readers.report import Report


class _Tally(Struct):
    """What the launches taken so far add up to."""

    read: int = 0
    unusable: int = 0
    missing: int = 0
    unnamed: int = 0
    sections: set[str] = field(default_factory=set)
    clocks: set[bool] = field(default_factory=set)

    def add(self, decoded: Decoded | None) -> None:
        if decoded is None:
            self.unusable += 1
            return
        self.read += 1
        self.unnamed += decoded.unnamed
        self.sections.update(decoded.launch.sections)
        if decoded.clock_locked is not None:
            self.clocks.add(decoded.clock_locked)

    def join(self, other: _Tally) -> None:
        self.read += other.read
        self.unusable += other.unusable
        self.missing += other.missing
        self.unnamed += other.unnamed
        self.sections |= other.sections
        self.clocks |= other.clocks


class NcuReport:
    """A report file, read by its documented format (`Report` says what the parts promise).

    A launch's id is source/range/action, as NVIDIA's reader counts: it puts all launches
    of a file into one range, whatever their process, context or stream. Launches that
    cannot be read keep their number. `damage` is what was found before the blocks,
    `notes` what else there is to say of how the file was read.
    """

    def __init__(
        self,
        origin: Origin,
        container: Container,
        damage: str | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        self._origin = origin
        self._damage = damage
        self._notes = notes
        self._container = container
        self._only_device = self._container.only_device
        self._tally = _Tally()
        if not self._container.launches:
            raise InputError(self._nothing())

    def launches(self) -> Iterator[Launch]:
        """Yield the launches in file order; refuse a report of which none can be read."""
        yield from self.stripe(0, 1)
        self._refuse_nothing()

    @property
    def expected(self) -> int:
        """How many launches the file should hold."""
        return self._container.launches

    def stripe(self, part: int, count: int) -> Iterator[Launch]:
        """Yield every `count`-th launch from the `part`-th on, in file order."""
        if part == 0:
            self._origin.file.hash_ahead()
        self._tally = tally = _Tally()
        number = 0
        for block in self._container.blocks:
            following = number + block.launches
            for kind, data in self._container.messages(block, count, (part - number) % count):
                if data is not None:
                    decoded = self._decode(number, kind, block.process, data)
                    tally.add(decoded)
                    if decoded is not None:
                        yield decoded.launch
                number += 1
            # All stripes stop at one place; the first one says so.
            tally.missing += following - number if part == 0 else 0
            number = following

    def tally(self) -> bytes:
        """Return what the launches taken so far add up to."""
        return msgspec.msgpack.encode(self._tally)

    def gather(self, tallies: Sequence[bytes]) -> None:
        """Take what all stripes add up to; refuse a report of which none can be read."""
        self._tally = _Tally()
        for data in tallies:
            self._tally.join(msgspec.msgpack.decode(data, type=_Tally))
        self._refuse_nothing()

    def _refuse_nothing(self) -> None:
        if not self._tally.read:
            raise InputError(self._nothing())

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
            notes=[*self._notes, *losses],
        )

    def settings(self) -> Settings:
        """Say how the profile was taken, as far as the file tells."""
        return read_settings(self._container.sessions, self._tally.sections, self._tally.clocks)

    def _decode(
        self, number: int, kind: Workload, process: int | None, data: bytes
    ) -> Decoded | None:
        place = Place(
            id=f"{self._origin.source_index}/0/{number}",
            kind=kind,
            process=process,
            only_device=self._only_device,
        )
        return decode_launch(place, data, self._container.names)

    def _losses(self) -> list[str]:
        tally = self._tally
        notes = [self._damage] if self._damage else []
        if self._container.damage or tally.missing:
            why = self._container.damage or "a block is too short for its launches"
            lost = f": {_launches(tally.missing)} could not be read" if tally.missing else ""
            notes.append(why + lost)
        if tally.unusable:
            notes.append(f"{_launches(tally.unusable)} damaged, or without a name or metrics")
        if tally.unnamed:
            notes.append(f"{tally.unnamed} metric values without a name: blocks are missing")
        return notes

    def _nothing(self) -> str:
        """Say in one line why there is nothing to judge."""
        losses = self._losses()
        if not losses:
            return "the report holds no launches: nothing was profiled"
        return f"no launch can be read, copy the report again ({losses[0]})"


def open_plain(file: BinaryIO, name: str, source_index: int) -> Report:
    """Open a `.ncu-rep`; the report closes the file."""
    data = ByteFile(file)
    return _opened(Origin(name, source_index, "ncu-rep", data), data)


def open_packed(file: BinaryIO, name: str, source_index: int) -> Report:
    """Open a `.ncu-repz`: the same in one zstd frame."""
    data, damage = unpack(file)
    if data.read(0, len(MAGIC)) != MAGIC:
        raise InputError(
            "the zstd-compressed file is damaged or holds no Nsight Compute report: copy it again"
        )
    return _opened(Origin(name, source_index, "ncu-repz", ByteFile(file)), data, damage)


def _opened(origin: Origin, data: ByteFile, damage: str | None = None) -> Report:
    container = Container(data)
    if container.version == FILE_VERSION:
        return NcuReport(origin, container, damage)
    # Late: only a file of another version needs it.
    from ncu_triage.readers.nvidia.report import NvidiaReport, Unreadable

    try:
        return NvidiaReport(origin, data, container, damage)
    except Unreadable as why:
        note = f"file version {container.version}, read as version {FILE_VERSION}: {why}"
        return NcuReport(origin, container, damage, [note])


def _launches(count: int) -> str:
    return f"{count} launch" if count == 1 else f"{count} launches"

"""Walk the report's blocks: all headers first, then the launches' messages one by one.

No number of the file is believed: every length is held against what is left, counts
against the bytes they would need. A walk that meets something else than a block stops
there and says so; what came before stays readable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ncu_triage.errors import InputError
from ncu_triage.model import Workload
from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.bytefile import ByteFile

MAGIC = b"NVR\0"
FILE_VERSION = 7
_PREFIX = 4

# Bounds for hostile files, far above real ones: the largest header of 162 reports has
# 0.13 MB, the largest launch 2.1 MB, the longest name table 2,207 entries. A decoded
# message may take thirty times its size. Reports that are put together from others repeat
# their names; a name is kept once, a repetition costs its place in the table.
MAX_HEADER = 16 << 20
MAX_MESSAGE = 128 << 20
MAX_BLOCKS = 1_000_000
MAX_NAMES = 1_000_000
MAX_REPEATED_NAMES = 16_000_000
_SMALLEST_LAUNCH = 16


class Block(NamedTuple):
    """A block: its place in the file, and what its header promises.

    `end` is where its payload ends, or the file, whichever comes first.
    """

    start: int
    end: int
    sources: int
    process: int | None
    counts: tuple[tuple[Workload, int], ...]

    @property
    def launches(self) -> int:
        """How many launches the block should hold."""
        return sum(count for _, count in self.counts)


class Container:
    """An opened report file: its blocks, the metric names, and the session's pieces.

    `damage` says in one line why the walk stopped before the end of the file, if it did.
    """

    def __init__(self, file: ByteFile) -> None:
        self._file = file
        self._distinct: dict[bytes, str] = {}
        self._pieces: set[bytes] = set()
        self.blocks: list[Block] = []
        self.names: list[str] = []
        self.sessions: list[schema.Message] = []
        self.damage: str | None = None
        self.version, start = self._file_header()
        self._walk(start)

    @property
    def launches(self) -> int:
        """How many launches the blocks should hold together."""
        return sum(block.launches for block in self.blocks)

    @property
    def only_device(self) -> int | None:
        """The number of the GPU, where the session tells of one only."""
        devices = {int(one.id) for session in self.sessions for one in session.devices}
        return devices.pop() if len(devices) == 1 else None

    def messages(
        self, block: Block, every: int = 1, first: int = 0
    ) -> Iterator[tuple[Workload, bytes | None]]:
        """Yield a block's launches, undecoded; stop early where a length does not fit.

        With `every`, only that many-th launch from the `first` on is read; None stands for
        each of the others.
        """
        offset = block.start
        for _ in range(block.sources):
            size = self._file.u32(offset, block.end)
            if size is None:
                return
            offset += _PREFIX + size
        kinds = (kind for kind, count in block.counts for _ in range(count))
        for number, kind in enumerate(kinds):
            size = self._size(offset, block.end, MAX_MESSAGE)
            mine = number % every == first
            data = self._sized(offset, block.end, MAX_MESSAGE) if mine else None
            if size is None or (mine and data is None):
                return
            yield kind, data
            offset += _PREFIX + size

    def _size(self, offset: int, end: int, most: int) -> int | None:
        """Read the length before a message; None where it cannot be right."""
        size = self._file.u32(offset, end)
        return None if size is None or size > min(most, end - offset - _PREFIX) else size

    def _sized(self, offset: int, end: int, most: int) -> bytes | None:
        """Read a message behind its length; None where the length cannot be right."""
        size = self._size(offset, end, most)
        if size is None:
            return None
        data = self._file.read(offset + _PREFIX, size)
        return data if len(data) == size else None

    def _file_header(self) -> tuple[int, int]:
        """Return the file's version, and where the blocks begin."""
        data = self._sized(len(MAGIC), self._file.size, MAX_HEADER)
        header = _parse(schema.FileHeader, data)
        if data is None or header is None:
            raise InputError("the report's file header is damaged or cut off: copy it again")
        return int(header.version), len(MAGIC) + _PREFIX + len(data)

    def _walk(self, offset: int) -> None:
        while offset < self._file.size and self.damage is None:
            data = self._sized(offset, self._file.size, MAX_HEADER)
            header = _parse(schema.BlockHeader, data)
            # A real header always says how many launches it has, be it none.
            if not data or header is None:
                self.damage = self._why_no_block(offset)
                return
            start = offset + _PREFIX + len(data)
            offset = start + header.payload_size
            self._add(header, start, offset)
            self.damage = self._why_stop(offset)

    def _add(self, header: schema.Message, start: int, end: int) -> None:
        self._add_names(header.strings.strings)
        if header.HasField("session"):
            self._add_session(header.session)
        room = (end - start) // _SMALLEST_LAUNCH
        counts: tuple[tuple[Workload, int], ...] = (
            ("kernel", min(header.kernels, room)),
            ("range", min(header.ranges, room)),
            ("cmdlist", min(header.cmdlists, room)),
            ("graph", min(header.graphs, room)),
        )
        process = header.process.id if header.process.HasField("id") else None
        end = min(end, self._file.size)
        self.blocks.append(Block(start, end, header.sources, process, counts))

    def _add_session(self, session: schema.Message) -> None:
        """Keep a piece of the session once, and not the header that it lies in."""
        data = session.SerializeToString()
        if data not in self._pieces:
            self._pieces.add(data)
            self.sessions.append(type(session).FromString(data))

    def _add_names(self, texts: Iterable[bytes]) -> None:
        known = self._distinct
        for text in texts:
            if text not in known:
                known[text] = schema.text(text)
            self.names.append(known[text])

    def _why_stop(self, offset: int) -> str | None:
        if offset > self._file.size:
            return (
                f"the file ends in the middle of block {len(self.blocks)}, all after it is missing"
            )
        names = max(len(self._distinct) / MAX_NAMES, len(self.names) / MAX_REPEATED_NAMES)
        if len(self.blocks) >= MAX_BLOCKS or names > 1:
            return f"there are more blocks or names than in any real report (byte {offset})"
        return None

    def _why_no_block(self, offset: int) -> str:
        if self._file.read(offset, len(MAGIC)) == MAGIC:
            return "a second report follows in the same file and was not read"
        return (
            f"block {len(self.blocks) + 1} is cut off or damaged, or something else was appended"
            f" (the last {self._file.size - offset} bytes)"
        )


def _parse(kind: schema.Message, data: bytes | None) -> schema.Message | None:
    try:
        return None if data is None else kind.FromString(data)
    except schema.DecodeError:
        return None

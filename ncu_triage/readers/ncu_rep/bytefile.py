"""Read a file by position, never beyond its end.

Plain reads, no memory map: a report that is overwritten while it is read then comes out
short, where a map would end the process with a bus error. It costs nothing here, as the
decoder needs a copy of each message anyhow.
"""

from __future__ import annotations

import hashlib
import os
import struct
import weakref
from pathlib import Path
from typing import BinaryIO, ClassVar

from ncu_triage.errors import InputError

_U32 = struct.Struct("<I")
_PIECE = 1 << 20


class ByteFile:
    """A binary file with a known size; it closes itself when nobody uses it any more.

    Not by `weakref.finalize`, which asks to be run at the end of the process.
    """

    _opened: ClassVar[dict[weakref.ref[ByteFile], BinaryIO]] = {}

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, os.SEEK_END)
        self._file = file
        self._opened[weakref.ref(self, self._closed)] = file

    @classmethod
    def _closed(cls, gone: weakref.ref[ByteFile]) -> None:
        cls._opened.pop(gone).close()

    @property
    def path(self) -> Path | None:
        """Where the file lies; None for one without a name."""
        name = getattr(self._file, "name", None)
        return Path(os.fsdecode(name)) if isinstance(name, str | bytes) else None

    def read(self, offset: int, size: int) -> bytes:
        """Read up to `size` bytes; fewer come back where the file ends."""
        try:
            self._file.seek(offset)
            return self._file.read(size)
        except OSError as error:
            raise InputError(f"reading the file failed: {error.strerror}") from error

    def u32(self, offset: int, end: int) -> int | None:
        """Read a length prefix; None where fewer than four bytes are left before `end`."""
        if offset + _U32.size > end or len(data := self.read(offset, _U32.size)) < _U32.size:
            return None
        return int(_U32.unpack(data)[0])

    def sha256(self) -> str:
        """Hash the whole file, piece by piece."""
        digest = hashlib.sha256()
        for offset in range(0, self.size, _PIECE):
            digest.update(self.read(offset, _PIECE))
        return digest.hexdigest()

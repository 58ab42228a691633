"""Read a file by position, never beyond its end.

Plain reads, no memory map: a report that is overwritten while it is read then comes out
short, where a map would end the process with a bus error. It costs nothing here, as the
decoder needs a copy of each message anyhow.
"""

from __future__ import annotations

import hashlib
import os
import struct
import threading
import weakref
from pathlib import Path
from typing import BinaryIO, ClassVar

from ncu_triage.errors import InputError

_U32 = struct.Struct("<I")
_PIECE = 1 << 20
_LARGE = 8 << 20
_PREAD = hasattr(os, "pread")


class Ahead(threading.Thread):
    """Hashes a file through a descriptor of its own, which it closes.

    Hashing and reading large pieces let other threads run.
    """

    def __init__(self, descriptor: int, size: int) -> None:
        super().__init__(daemon=True)
        self._descriptor = descriptor
        self._size = size
        self._found: str | None = None

    def run(self) -> None:
        """Hash to the end; what cannot be read is left for the caller to meet again."""
        digest = hashlib.sha256()
        try:
            for offset in range(0, self._size, _PIECE):
                digest.update(os.pread(self._descriptor, min(_PIECE, self._size - offset), offset))
            self._found = digest.hexdigest()
        except OSError:
            pass
        finally:
            os.close(self._descriptor)

    def found(self) -> str | None:
        """Wait for the hash; None where the file could not be read."""
        self.join()
        return self._found


class ByteFile:
    """A binary file with a known size; it closes itself when nobody uses it any more.

    Not by `weakref.finalize`, which asks to be run at the end of the process.
    """

    _opened: ClassVar[dict[weakref.ref[ByteFile], BinaryIO]] = {}

    def __init__(self, file: BinaryIO) -> None:
        self.size = file.seek(0, os.SEEK_END)
        self._file = file
        self._ahead: Ahead | None = None
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
            if _PREAD:  # one call to the system instead of two; a large report takes thousands
                return os.pread(self._file.fileno(), size, offset)
            self._file.seek(offset)
            return self._file.read(size)
        except OSError as error:
            raise InputError(f"reading the file failed: {error.strerror}") from error

    def u32(self, offset: int, end: int) -> int | None:
        """Read a length prefix; None where fewer than four bytes are left before `end`."""
        if offset + _U32.size > end or len(data := self.read(offset, _U32.size)) < _U32.size:
            return None
        return int(_U32.unpack(data)[0])

    def hash_ahead(self) -> None:
        """Begin to hash a large file beside other work, which leaves a core free."""
        if self.size < _LARGE or self._ahead or not _PREAD:
            return
        self._ahead = Ahead(os.dup(self._file.fileno()), self.size)
        self._ahead.start()

    def sha256(self) -> str:
        """Hash the whole file, piece by piece."""
        if self._ahead and (found := self._ahead.found()):
            return found
        digest = hashlib.sha256()
        for offset in range(0, self.size, _PIECE):
            digest.update(self.read(offset, _PIECE))
        return digest.hexdigest()

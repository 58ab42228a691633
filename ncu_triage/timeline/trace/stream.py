"""The text of a trace, unpacked as it is read; it ends early where the file is damaged."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, cast

from ncu_triage.errors import InputError

_GZIP = b"\x1f\x8b"
_BOM = b"\xef\xbb\xbf"
# JSON packs 10 to 30 times. What packs far better is a bomb, or nothing to read.
_MOST_PACKED, _ALLOWED = 250, 256 << 20
_LONGEST_TEXT = 16 << 20  # bytes without a quotation mark


class Stream:
    """A file to read from; `cut` says afterwards that its compressed data ended early."""

    def __init__(self, path: Path) -> None:
        self.cut = False
        self._raw = path.open("rb")
        packed = self._raw.read(2) == _GZIP
        self._raw.seek(0)
        self._size = path.stat().st_size
        self._file: BinaryIO = (
            cast(BinaryIO, gzip.GzipFile(fileobj=self._raw)) if packed else self._raw
        )
        self._unpacked = 0
        self._without_quote = 0

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()
        self._raw.close()

    def read(self, size: int = 1 << 16) -> bytes:
        """Return the next bytes, none at the end or where the data is damaged."""
        try:
            data: bytes = self._file.read1(size)  # type: ignore[attr-defined]
        except (EOFError, zlib.error, gzip.BadGzipFile):
            self.cut = True
            return b""
        if not self._unpacked:
            data = data.removeprefix(_BOM)
        self._unpacked += len(data)
        self._guard(data)
        return data

    def _guard(self, data: bytes) -> None:
        """Refuse what is made to fill the memory or to never end."""
        self._without_quote = 0 if b'"' in data else self._without_quote + len(data)
        if self._without_quote > _LONGEST_TEXT:
            raise InputError("this is no trace: a text in it has no end")
        if self._unpacked > max(_ALLOWED, _MOST_PACKED * self._size):
            raise InputError(
                "this is no trace: unpacked it is more than"
                f" {_MOST_PACKED} times as large as the file"
            )

"""The file as lines, however long it is, and the lines as records.

A record is one line of a table. It goes on over a line end only within quotes, which
happens in texts of rules; the output of programs around the table has stray quotes, too,
and must not swallow it.
"""

from __future__ import annotations

import codecs
import io
import re
from collections import deque
from collections.abc import Iterator
from typing import BinaryIO

from ncu_triage.readers.csv.encoding import MARK, encoding_of, errors_of
from ncu_triage.readers.ncu_rep.bytefile import ByteFile

_PIECE = 1 << 20
# Rows with all instances of a large GPU are some hundred kilobytes.
LONGEST_LINE = 1 << 24
_MOST_LINES = 64
_LONGEST_RECORD = 1 << 20
_ROW = re.compile(r'"?\d+(?:\.0)?"?[,;\t]')
_BREAK = re.compile(r'"?(?:\d+(?:\.0)?|ID|Process ID)"?[,;\t]|==')


class TextFile:
    """A text file that can be read anew, line by line, in bounded memory.

    `overlong` counts the lines of the last reading that were left out for their length.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._bytes = ByteFile(file)
        self._encoding = encoding_of(self._bytes.read(0, _PIECE))
        self.overlong = 0

    def sha256(self) -> str:
        """Hash the whole file, piece by piece."""
        return self._bytes.sha256()

    def lines(self) -> Iterator[str]:
        """Yield the lines without their ends; the last one also where it has none."""
        self.overlong = 0
        rest, skipping = "", False
        for text in self._pieces():
            whole, newline, last = (rest + text).rpartition("\n")
            if newline:
                lines = whole.split("\n")
                yield from lines[1:] if skipping else lines
                skipping = False
            rest = "" if skipping else last
            if len(rest) > LONGEST_LINE:
                self.overlong += 1
                rest, skipping = "", True
        if rest:
            yield rest

    def _pieces(self) -> Iterator[str]:
        """Decode the file piece by piece, with all line ends as one character."""
        plain = codecs.getincrementaldecoder(self._encoding)(errors_of(self._encoding))
        decoder = io.IncrementalNewlineDecoder(plain, translate=True)
        for offset in range(0, self._bytes.size, _PIECE):
            text = decoder.decode(self._bytes.read(offset, _PIECE))
            yield text if offset else text.removeprefix(MARK)
        yield decoder.decode(b"", final=True)


class Records:
    """The records of a text; `broken` counts those whose quotes never close."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._returned: deque[str] = deque()
        self.broken = 0

    def __iter__(self) -> Iterator[str]:
        """Yield the records; an open one is left out, and the lines after it are not."""
        while (line := self._next()) is not None:
            if line.count('"') % 2 and _ROW.match(line):
                whole = self._join(line)
                if whole is None:
                    self.broken += 1
                    continue
                line = whole
            yield line

    def _next(self) -> str | None:
        return self._returned.popleft() if self._returned else next(self._lines, None)

    def _join(self, line: str) -> str | None:
        """Add the lines up to the closing quote; give them back where there is none."""
        parts = [line]
        size = len(line)
        while (more := self._next()) is not None:
            parts.append(more)
            size += len(more)
            if len(parts) > _MOST_LINES or size > _LONGEST_RECORD or _BREAK.match(more):
                break
            if more.count('"') % 2:
                return "\n".join(parts)
        self._returned.extendleft(reversed(parts[1:]))
        return None

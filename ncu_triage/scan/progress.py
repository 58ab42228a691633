"""How far a scan is: one line that changes on a terminal, one line a file in a log."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence
from typing import TextIO

from ncu_triage.scan.remote import shown
from ncu_triage.scan.row import Row
from ncu_triage.units import show
from ncu_triage.view import words

_TICK = 0.1
_MOST_NAMES = 3


class Log:
    """Says a line for each file; for pipes and log files."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def total(self, contents: int) -> None:
        """Hear how many rows there will be."""

    def done(self, row: Row, where: str, known: bool) -> None:
        """Say what became of a file."""
        # Whoever reads the log may have gone away; that is no reason to stop.
        with contextlib.suppress(OSError):
            print(line(row, where, known), file=self._stream, flush=True)

    def end(self) -> None:
        """Leave nothing behind."""


class Meter:
    """Keeps one line up to date; what went wrong stays above it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._total = self._done = self._lost = 0
        self._due = 0.0

    def total(self, contents: int) -> None:
        """Hear how many rows there will be."""
        self._total = contents

    def done(self, row: Row, where: str, known: bool) -> None:
        """Count a file."""
        self._done += 1
        if row.loss is not None:
            self._lost += 1
            self._stream.write(f"\r\033[K{line(row, where, known)}\n")
        if time.monotonic() >= self._due or self._done == self._total:
            self._due = time.monotonic() + _TICK
            lost = f", {self._lost} not judged" if self._lost else ""
            self._stream.write(f"\r\033[K{self._done} of {self._total} reports{lost}")
            self._stream.flush()

    def end(self) -> None:
        """Wipe the line."""
        self._stream.write("\r\033[K")
        self._stream.flush()


def line(row: Row, where: str, known: bool) -> str:
    """Put what became of a file into one line without control characters."""
    where = f"{shown(where)}{_also(row.names[1:])}"
    if row.loss is not None:
        said = f"FAILED  {where}: {row.reason}"
    else:
        time = f", {show(row.duration, 's')}" if row.duration is not None else ""
        limit = words.mark(row.bottleneck or "").label
        said = f"{'known ' if known else 'judged'}  {where}: "
        said += f"{words.count(row.launches, 'launch')}{time}, {limit}"
        said += "" if row.complete else ", incomplete"
    return "".join(c if c.isprintable() else "?" for c in said)


def _also(names: Sequence[str]) -> str:
    """Name the other files of the same content."""
    if not names:
        return ""
    more = len(names) - _MOST_NAMES
    return f" (also {', '.join(names[:_MOST_NAMES])}{f' and {more} more' if more > 0 else ''})"

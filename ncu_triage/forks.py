"""Do parts of a piece of work in copies of this process, which see all that it sees.

Only where that is safe: on one thread, and where the system can. A copy that fails, for
whatever reason, gives nothing, and the caller does its part.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

_PIECE = 1 << 20
_MOST = 4  # each copy holds a part of the result in memory of its own


def processes() -> int:
    """Return how many processes a piece of work may be spread over; 1 where none is safe."""
    # On a Mac, libraries may break in a copy; on Windows there are none.
    able = hasattr(os, "sched_getaffinity") and sys.platform.startswith("linux")
    if not able or threading.active_count() > 1:
        return 1
    return min(_MOST, len(os.sched_getaffinity(0)))


class _Copy(NamedTuple):
    """A copy of this process, and where its result comes out."""

    process: int
    pipe: int


class Forks:
    """Runs `work(1)` to `work(count - 1)` in copies from entering to leaving the block."""

    def __init__(self, work: Callable[[int], bytes], count: int) -> None:
        self._work = work
        self._count = count
        self._copies: list[_Copy] = []

    def __enter__(self) -> Forks:
        sys.stdout.flush()
        sys.stderr.flush()
        for part in range(1, self._count):
            with suppress(OSError):  # no more processes: its part is left to the caller
                self._copies.append(self._start(part))
        return self

    def results(self) -> list[bytes | None]:
        """Wait for what the copies made; None for each that failed."""
        found: list[bytes | None] = []
        while self._copies:
            with open(self._copies[0].pipe, "rb", closefd=False) as file:
                data = file.read()
            found.append(data if _ended(self._copies.pop(0)) == 0 else None)
        return [*found, *[None] * (self._count - 1 - len(found))]

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for copy in self._copies:
            os.kill(copy.process, signal.SIGKILL)
            _ended(copy)

    def _start(self, part: int) -> _Copy:
        coming, going = os.pipe()
        try:
            process = os.fork()
        except OSError:
            os.close(coming)
            os.close(going)
            raise
        if process:
            os.close(going)
            return _Copy(process, coming)
        # From here on, nothing of this process's own ending may happen a second time.
        code = 1
        try:
            with open(going, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                file.write(self._work(part))
            code = 0
        finally:
            os._exit(code)


def _ended(copy: _Copy) -> int:
    """Wait for the end of a copy, and return how it ended; 0 is well."""
    os.close(copy.pipe)
    return os.waitpid(copy.process, 0)[1]

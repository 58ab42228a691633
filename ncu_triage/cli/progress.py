"""Say on a terminal how far the work is; in a pipe say nothing."""

from __future__ import annotations

import sys
import time

# Nobody needs a counter in the first second.
_PATIENCE = 1.0
_TICK = 0.2


class Meter:
    """One line on a terminal that is kept up to date."""

    def __init__(self) -> None:
        self._shown = False
        self._due = time.monotonic() + _PATIENCE

    def __enter__(self) -> Meter:
        return self

    def __exit__(self, *error: object) -> None:
        self.wipe()

    def judged(self, launches: int) -> None:
        """Hear how many launches are done."""
        if self._is_due():
            self._say(f"{launches} launches judged")

    def received(self, size: int) -> None:
        """Hear how many bytes have come through a pipe."""
        if self._is_due():
            self._say(f"{size >> 20} MiB received")

    def wipe(self) -> None:
        """Leave nothing behind."""
        if self._shown:
            self._shown = False
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()

    def _is_due(self) -> bool:
        return time.monotonic() >= self._due and sys.stderr.isatty()

    def _say(self, text: str) -> None:
        self._shown = True
        self._due = time.monotonic() + _TICK
        sys.stderr.write(f"\r\033[K{text}")
        sys.stderr.flush()

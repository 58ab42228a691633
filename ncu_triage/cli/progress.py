"""Say on a terminal how far long work is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Nobody needs a counter in the first second.
_PATIENCE = 1.0
_TICK = 0.2


@contextmanager
def counted() -> Iterator[Callable[[int], None]]:
    """Count launches on a terminal once the work takes a while; silent in a pipe."""
    shown = 0.0
    due = time.monotonic() + _PATIENCE

    def count(done: int) -> None:
        nonlocal shown, due
        if sys.stderr.isatty() and time.monotonic() >= due:
            shown, due = 1.0, time.monotonic() + _TICK
            sys.stderr.write(f"\r{done} launches judged")
            sys.stderr.flush()

    yield count
    if shown:
        sys.stderr.write("\r\033[K")

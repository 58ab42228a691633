"""Signals that have to wait for a moment."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextmanager
def held() -> Iterator[None]:
    """Heed signals that end the process only when the block is done.

    For C++ code that calls Python and takes an exception there for the end of the world.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread heeds signals
        return
    came: list[int] = []
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    handlers = {number: signal.getsignal(number) for number in numbers}
    usual = {number: heed for number, heed in handlers.items() if callable(heed)}
    for number in usual:
        signal.signal(number, lambda which, frame: came.append(which))
    try:
        yield
    finally:
        for number, heed in usual.items():
            signal.signal(number, heed)
    for number in came:
        signal.raise_signal(number)

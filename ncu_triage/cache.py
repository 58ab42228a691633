"""A folder of the user's for what is slow to make again; nothing depends on it."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

_MANY = 100  # files; one version leaves a fifth of that
_OLD = 30 * 86400  # seconds
_OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cached(name: str, make: Callable[[], bytes]) -> bytes:
    """Return what is cached by this name, else make it and keep it."""
    data = load(name)
    if data is None:
        data = make()
        store(name, data)
    return data


def load(name: str) -> bytes | None:
    """Return what is cached by this name; None where it is missing or damaged."""
    place = folder()
    if place is None:
        return None
    with contextlib.suppress(OSError):
        digest, _, data = (place / name).read_bytes().partition(b"\n")
        if digest == _digest(data):
            return data
    return None


def store(name: str, data: bytes) -> None:
    """Keep data by this name; a folder that cannot be written costs time only."""
    place = folder()
    if place is not None:
        with contextlib.suppress(OSError):
            _write(place / name, _digest(data) + b"\n" + data)
            _tidy(place)


def folder() -> Path | None:
    """Return the cache folder, made where it was missing; None where that fails.

    Compiled templates lie in it, so it must be the user's own: a folder that others
    own or may write to is not used.
    """
    base = os.environ.get("XDG_CACHE_HOME")
    try:
        path = (Path(base) if base else Path.home() / ".cache") / "ncu-triage"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        return path if _private(path.stat()) else None
    except (OSError, RuntimeError):  # RuntimeError: the user has no home
        return None


def _private(status: os.stat_result) -> bool:
    if not hasattr(os, "getuid"):  # Windows keeps the folder below the user's own
        return True
    return status.st_uid == os.getuid() and not status.st_mode & _OTHERS_MAY_WRITE


def _tidy(place: Path) -> None:
    """Remove what versions long gone have left; what is still of use is made anew."""
    files = list(place.iterdir())
    if len(files) <= _MANY:
        return
    oldest = time.time() - _OLD
    for path in files:
        with contextlib.suppress(OSError):
            if path.stat().st_mtime < oldest:
                path.unlink()


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


def _write(path: Path, data: bytes) -> None:
    """Write beside the target and move into place: a reader sees all or nothing."""
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise

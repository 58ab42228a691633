"""Open a timeline by its content, whatever its name says."""

from __future__ import annotations

import gzip
import hashlib
import os
import stat
import zlib
from collections.abc import Callable
from pathlib import Path

from ncu_triage.errors import InputError
from ncu_triage.timeline import foreign
from ncu_triage.timeline.events import Timeline

_HEAD = 4096


def open_timeline(path: Path) -> Timeline:
    """Read an export of Nsight Systems (SQLite) or a trace of PyTorch's profiler.

    Raises InputError with one line for every other file, and for one that is damaged
    beyond reading; what is damaged in parts comes back as not complete, with notes.
    """
    try:
        reader = _reader(_head(path))
        name = os.fsencode(path.name).decode("utf-8", "replace")
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return reader(path, name, digest)
    except FileNotFoundError as error:
        raise InputError("there is no such file") from error
    except PermissionError as error:
        raise InputError("reading the file is not permitted: check its owner and mode") from error
    except OSError as error:
        raise InputError(f"reading the file failed: {error.strerror or error}") from error
    except ValueError as error:
        raise InputError("this is no valid file name") from error


def _head(path: Path) -> bytes:
    """Return the first bytes of a file; a pipe or a device would block or never end."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise InputError("this is a directory: name a timeline file")
    if not stat.S_ISREG(mode):
        raise InputError("this is a device or a pipe: name a timeline file")
    with path.open("rb") as file:
        return file.read(_HEAD)


def _reader(head: bytes) -> Callable[[Path, str, str], Timeline]:
    if head.startswith(b"SQLite format 3\0"):
        from ncu_triage.timeline.nsys.read import read_nsys

        return read_nsys
    if foreign.is_json(_unpacked(head)):
        from ncu_triage.timeline.trace.read import read_trace

        return read_trace
    raise InputError(foreign.describe(head, _unpacked(head)))


def _unpacked(head: bytes) -> bytes:
    """Return the beginning of what is packed with gzip; names say nothing about that."""
    if not head.startswith(b"\x1f\x8b"):
        return head
    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, _HEAD)
    except (zlib.error, gzip.BadGzipFile):
        return b""

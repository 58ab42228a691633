"""Open a profile by its content, whatever its name says."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ncu_triage.errors import InputError
from ncu_triage.readers import foreign
from ncu_triage.readers.report import Report

# Enough to tell one format from another.
_HEAD = 4096


class Opener(NamedTuple):
    """One format: how its first bytes are recognised, and how it is opened."""

    matches: foreign.Matcher
    open: Callable[[BinaryIO, str, int], Report]


def _plain(file: BinaryIO, name: str, source_index: int) -> Report:
    from ncu_triage.readers.ncu_rep.report import open_plain

    return open_plain(file, name, source_index)


def _packed(file: BinaryIO, name: str, source_index: int) -> Report:
    from ncu_triage.readers.ncu_rep.report import open_packed

    return open_packed(file, name, source_index)


def _table(file: BinaryIO, name: str, source_index: int) -> Report:
    from ncu_triage.readers.csv.report import open_csv

    return open_csv(file, name, source_index)


# The first that matches opens the file; a new format is one more entry.
OPENERS: tuple[Opener, ...] = (
    Opener(foreign.starts_with(b"NVR\0"), _plain),
    Opener(foreign.starts_with(b"\x28\xb5\x2f\xfd"), _packed),
    # The output of a run may stand before its table, so any text can be one.
    Opener(foreign.is_text, _table),
)


def open_report(path: Path, source_index: int) -> Report:
    """Open the profile at `path`; `source_index` is its place among the inputs.

    The index is the first part of each launch's id. Raises `InputError` with one line
    for what cannot be read, or holds no launch.
    """
    try:
        with ExitStack() as stack:
            file = stack.enter_context(_open_regular(path))
            head = file.read(_HEAD)
            file.seek(0)
            report = _opener(head)(file, _printable(path.name), source_index)
            # From here on the report keeps the file open, and closes it.
            stack.pop_all()
            return report
    except OSError as error:
        why = no_room(error) or f"reading the file failed: {error.strerror or error}"
        raise InputError(why) from error


def no_room(error: OSError) -> str | None:
    """Say what to do where a copy of the report, unpacked or from a pipe, has no room."""
    if error.errno not in (errno.ENOSPC, errno.EDQUOT):
        return None
    return (
        "there is no room for a copy in the folder for temporary files: set TMPDIR to one with more"
    )


def _printable(name: str) -> str:
    """Replace the bytes of a file name that are no text; no output could encode them."""
    return os.fsencode(name).decode("utf-8", "replace")


def recognise(head: bytes) -> None:
    """Raise InputError where no reader takes a file that begins so."""
    _opener(head)


def _opener(head: bytes) -> Callable[[BinaryIO, str, int], Report]:
    for opener in OPENERS:
        if opener.matches(head):
            return opener.open
    raise InputError(foreign.describe(head))


def _open_regular(path: Path) -> BinaryIO:
    """Open a file for reading; a pipe or a device would block or never end."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise InputError("this is a directory: name a report file")
        if not stat.S_ISREG(mode):
            raise InputError("this is a device or a pipe: name a report file")
        return path.open("rb", buffering=0)
    except FileNotFoundError as error:
        raise InputError("there is no such file") from error
    except PermissionError as error:
        raise InputError("reading the file is not permitted: check its owner and mode") from error
    except ValueError as error:
        raise InputError("this is no valid file name") from error

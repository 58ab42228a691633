"""`--timeline` of the main job: read the file, join it, and say where that is not possible."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ncu_triage.cli.guard import BUG, PROBLEM, bug, complain
from ncu_triage.errors import InputError

if TYPE_CHECKING:
    from ncu_triage.model import Diagnosis

_LARGE = 4_000_000  # bytes: what is smaller is read in a second


def joined(diagnosis: Diagnosis, file: Path) -> tuple[Diagnosis, int]:
    """Attach a timeline; say in one line where it cannot be read or be compared.

    The diagnosis is given all the same, and the second value is the exit code: a fault in
    joining, even one of this program, costs what the timeline would add and no more.
    """
    from ncu_triage.timeline.attach import with_timeline

    try:
        with _patience(file):
            found = with_timeline(diagnosis, file)
    except InputError as error:
        complain(f"--timeline {file}: {error}")
        return diagnosis, PROBLEM
    except Exception as error:
        if os.environ.get("NCU_TRIAGE_DEBUG"):
            raise
        complain(f"--timeline {file}: {bug(error)}. The report is judged without it")
        return diagnosis, BUG
    if found.timeline and not found.timeline.comparable:
        complain(f"--timeline {file}: not comparable with the report: {found.timeline.why_not}")
        return found, PROBLEM
    return found, 0


@contextmanager
def _patience(file: Path) -> Iterator[None]:
    """Say on a terminal what takes a while; silent in a pipe."""
    shown = sys.stderr.isatty() and file.is_file() and file.stat().st_size >= _LARGE
    if shown:
        print("\rreading the timeline", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

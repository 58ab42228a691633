"""Reports that come through a pipe: kept in a temporary file, as a report is read twice."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ncu_triage.errors import InputError
from ncu_triage.signals import held

if TYPE_CHECKING:
    from ncu_triage.pipeline import Failure

STANDARD_INPUT = Path("-")
# An endless pipe must not fill the disk; reports of 5,000 launches have a third of this.
MAX_PIPED = 8 << 30
_PIECE = 1 << 20
_HEAD = 4096

Heard = Callable[[int], None]


class Given(NamedTuple):
    """Files to read, what they were called on the command line, and pipes that failed."""

    paths: list[Path]
    called: dict[Path, Path]
    failures: list[Failure]

    def as_called(self, failures: Sequence[Failure]) -> list[Failure]:
        """Return all failures, by the names that the user knows."""
        known = [one._replace(path=self.called.get(one.path, one.path)) for one in failures]
        return [*self.failures, *known]


@contextmanager
def on_disk(
    reports: Sequence[Path], heard: Heard | None = None, *, json: bool = False
) -> Iterator[Given]:
    """Yield the reports as files; what comes through a pipe is kept for as long.

    `heard` is called with the number of bytes that have come. What is no report is refused
    by its first bytes; with `json` a diagnosis may come, too.
    """
    given = Given([], {}, [])
    copy = _Copy(heard or (lambda size: None), json)
    with ExitStack() as stack:
        for report in reports:
            if _is_pipe(report):
                _take(report, given, stack, copy)
            else:
                given.paths.append(report)
        yield given


def _take(report: Path, given: Given, stack: ExitStack, copy: _Copy) -> None:
    """Keep one pipe in a folder of its own, or note why that failed."""
    # Late: few calls read a pipe.
    import tempfile

    from ncu_triage.pipeline import Failure

    try:
        with held():
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ncu-triage-"))
        path = Path(folder) / ("stdin" if report == STANDARD_INPUT else report.name)
        _keep(report, path, copy)
    except (InputError, OSError) as error:
        given.failures.append(Failure(report, str(error)))
        return
    given.paths.append(path)
    given.called[path] = report


def _is_pipe(path: Path) -> bool:
    if path == STANDARD_INPUT:
        return True
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except (OSError, ValueError):
        return False  # the reader says what is wrong with it


def _keep(report: Path, path: Path, copy: _Copy) -> None:
    """Copy a pipe into a file. Raises InputError for what no reader would take."""
    try:
        with _opened(report) as pipe, path.open("wb") as file:
            copy(pipe, file)
    except OSError as error:
        from ncu_triage.readers.open import no_room

        raise InputError(no_room(error) or f"reading failed: {error.strerror or error}") from error


def _opened(report: Path) -> BinaryIO:
    if report != STANDARD_INPUT:
        return report.open("rb", buffering=0)
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("there is no standard input")
    if sys.stdin.isatty():
        raise InputError("standard input is a terminal: pipe a report into it")
    return open(os.dup(sys.stdin.fileno()), "rb", buffering=0)  # noqa: PTH123


class _Copy(NamedTuple):
    """How a pipe is copied: who hears of it, and whether it may be JSON."""

    heard: Heard
    json: bool

    def __call__(self, pipe: BinaryIO, file: BinaryIO) -> None:
        """Copy piece by piece; refuse at once what no reader would take."""
        head = b""
        while len(head) < _HEAD and (piece := pipe.read(_HEAD - len(head))):
            head += piece
        from ncu_triage.readers.open import recognise

        if not (self.json and head.lstrip().startswith(b"{")):
            recognise(head)
        file.write(head)
        size = len(head)
        while piece := pipe.read(_PIECE):
            file.write(piece)
            size += len(piece)
            self.heard(size)
            if size > MAX_PIPED:
                raise InputError(f"more than {MAX_PIPED >> 30} GiB came: save it to a file first")

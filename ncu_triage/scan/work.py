"""What is done with one file, in a worker process: look at it, judge it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.errors import InputError
from ncu_triage.model import Diagnosis
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.privacy.hidden import hidden
from ncu_triage.render import json_
from ncu_triage.scan import remote
from ncu_triage.scan.places import Place
from ncu_triage.scan.row import Row
from ncu_triage.scan.summary import row_of

if TYPE_CHECKING:
    from ncu_triage.ceilings.apply import Measured

_PIECE = 1 << 20


class Setup(Struct, frozen=True):
    """How the user wants reports judged; `version` is that of the rules they become.

    `script` is where the pages find the script that they share. In the folder `spool`,
    if there is one, a remote file stays from the look at it until it is judged. `ceilings`
    are the texts of files of measured ceilings: a worker elsewhere cannot read the files.
    """

    rules: tuple[str, ...]
    config: str | None
    version: str
    script: str | None
    spool: str | None = None
    ceilings: tuple[str, ...] = ()


class Look(Struct, frozen=True):
    """A request: what is in this file?"""

    place: Place


class Judge(Struct, frozen=True):
    """A request: judge this file."""

    place: Place


class Seen(Struct, frozen=True):
    """The answer to a look: the content's hash, and when it was written (Unix time)."""

    sha256: str
    modified: float | None


class Judged(Struct, frozen=True):
    """The answer to a judgement: the row without its places, the page and the data."""

    row: Row
    page: bytes
    data: bytes


def answer(setup: Setup, request: Look | Judge) -> Seen | Judged:
    """Do what is asked. Raises InputError for a file that cannot be read."""
    with _local(request, setup.spool) as path:
        if isinstance(request, Look):
            return Seen(_hash(path), _modified(request.place, path))
        return _judged(path, request.place, setup)


def load(setup: Setup) -> RuleSet:
    """Load the rules; on another machine they may be others than the user's.

    Raises InputError where they are.
    """
    config = Path(setup.config) if setup.config else None
    loaded = rules(tuple(map(Path, setup.rules)), config)
    if setup.version != loaded.version:
        raise InputError(
            f"this worker's rules are version {loaded.version}, not {setup.version}: install"
            " the same ncu-triage there, and give --rules and --config as paths it can read"
        )
    return loaded


def warm() -> None:
    """Load what judging needs; a worker that is a copy of this process has it then."""
    import ncu_triage.readers.ncu_rep.report
    import ncu_triage.render.shared  # noqa: F401


@contextmanager
def _local(request: Look | Judge, spool: str | None) -> Iterator[Path]:
    """Yield where a file lies on this machine; a remote one is copied for as long."""
    place = request.place
    if not remote.is_remote(place.where):
        yield Path(place.where)
        return
    with ExitStack() as stack:
        if spool is None or not Path(spool).is_dir():
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="ncu-triage-")))
        else:
            folder = Path(spool) / hashlib.sha256(place.where.encode()).hexdigest()
        # The report is shown by the name of its file.
        path = folder / (PurePosixPath(place.name).name[:200] or "report")
        if not path.exists():
            folder.mkdir(exist_ok=True)
            remote.fetch(place.where, path)
        yield path
        if isinstance(request, Judge):
            path.unlink(missing_ok=True)


def _hash(path: Path) -> str:
    """Hash a file's content; whatever is no file has none."""
    if not path.is_file():
        return _refuse(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"reading the file failed: {error.strerror or error}") from error


def _refuse(path: Path) -> str:
    """Let the reader say what is wrong: it has the words for it."""
    from ncu_triage.readers.open import open_report

    open_report(path, 0)
    raise InputError("the file changed while it was read")


def _modified(place: Place, path: Path) -> float | None:
    if remote.is_remote(place.where):
        return remote.modified(place.where)
    return path.stat().st_mtime


def _judged(path: Path, place: Place, setup: Setup) -> Judged:
    diagnosis, failures = diagnose([path], load(setup), ceilings=_ceilings(setup))
    if failures:
        raise InputError(failures[0].message)
    if not diagnosis.kernels:
        raise InputError("holds no launch to judge")
    diagnosis = hidden(diagnosis)
    return Judged(row_of(diagnosis, place.name), _page(diagnosis, setup), json_.render(diagnosis))


def _ceilings(setup: Setup) -> Measured | None:
    if not setup.ceilings:
        return None
    from ncu_triage.ceilings.apply import Measured
    from ncu_triage.ceilings.file import parse

    return Measured([parse(text, "--ceilings") for text in setup.ceilings])


def _page(diagnosis: Diagnosis, setup: Setup) -> bytes:
    from ncu_triage.render.shared import render

    return render(diagnosis, setup.script)

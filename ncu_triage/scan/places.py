"""Which files a scan is about: files, folders and patterns, profiles told by their content."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from ncu_triage.errors import InputError
from ncu_triage.scan import remote
from ncu_triage.scan.sniff import is_profile

_TABLES = (".csv", ".tsv")
_NOTHING = "nothing matches: there is no such file"


class Place(Struct, frozen=True):
    """Where a file lies (a path or a URL), and the name by which it is shown.

    The name has no folder above what the user named: those may tell who somebody is.
    """

    where: str
    name: str


class Refused(NamedTuple):
    """What led nowhere, and why."""

    name: str
    reason: str


class Found(NamedTuple):
    """The files to judge, what led nowhere, and how many other files lie in the folders."""

    places: list[Place]
    refused: list[Refused]
    passed_over: int


def find(paths: Sequence[str], out: Path) -> Found:
    """Return the files that the paths stand for, each once, sorted by name.

    What lies in `out` is what an earlier scan wrote.
    """
    hunt = _Hunt(out.resolve(), several=len(paths) > 1)
    for path in paths:
        hunt.add(path)
    unique = {place.where: place for place in hunt.places}
    places = sorted(unique.values(), key=lambda p: (p.name, p.where))
    return Found(places, hunt.refused, hunt.passed_over)


class _Hunt:
    """Collects places; folders are prefixed with their own name where there are several."""

    def __init__(self, out: Path, several: bool) -> None:
        self.places: list[Place] = []
        self.refused: list[Refused] = []
        self.passed_over = 0
        self._out = out
        self._several = several

    def add(self, path: str) -> None:
        """Take what one argument stands for."""
        if remote.is_remote(path):
            self._remote(path)
        elif Path(path).is_dir():
            self._folder(Path(path))
        elif glob.has_magic(path) and not Path(path).exists():
            self._pattern(path)
        else:
            self.places.append(Place(path, printable(Path(path).name)))

    def _remote(self, url: str) -> None:
        try:
            entries = remote.expand(url)
            whole = remote.is_folder(url)
            for where, name in entries:
                if not whole or is_profile(name, partial(remote.opened, where)):
                    self.places.append(Place(where, printable(name)))
                else:
                    self.passed_over += 1
        except InputError as error:
            self.refused.append(Refused(printable(remote.shown(url)), str(error)))
            return
        if not entries:
            self.refused.append(Refused(printable(remote.shown(url)), _NOTHING))

    def _pattern(self, pattern: str) -> None:
        # A `Path` globs below itself only, and a pattern may be absolute.
        matches = [Path(one) for one in sorted(glob.glob(pattern, recursive=True))]  # noqa: PTH207
        files = [path for path in matches if path.is_file()]
        if not files:
            self.refused.append(Refused(printable(pattern), _NOTHING))
            return
        base = Path(os.path.commonpath([path.parent for path in files]))
        for path in files:
            self.places.append(Place(str(path), printable(str(path.relative_to(base)))))

    def _folder(self, folder: Path) -> None:
        prefix = f"{folder.resolve().name}/" if self._several else ""
        for path in walk(folder, self._out, lambda error: self._closed(folder, prefix, error)):
            if _is_profile(path):
                name = f"{prefix}{path.relative_to(folder)}"
                self.places.append(Place(str(path), printable(name)))
            else:
                self.passed_over += 1

    def _closed(self, folder: Path, prefix: str, error: OSError) -> None:
        """Take note of a folder that cannot be read: reports may lie in it."""
        inside = Path(error.filename).relative_to(folder)
        name = f"{prefix}{inside}/" if inside.parts else f"{folder.resolve().name}/"
        self.refused.append(Refused(printable(name), f"reading the folder failed: {_why(error)}"))


def _why(error: OSError) -> str:
    return error.strerror or type(error).__name__


def _is_profile(path: Path) -> bool:
    try:
        return is_profile(path.name, lambda: path.open("rb"))
    except OSError:
        # A table by its name: that it cannot be read is said, where it is judged.
        return path.suffix.lower() in _TABLES


def walk(
    folder: Path, without: Path, closed: Callable[[OSError], None] | None = None
) -> Iterator[Path]:
    """Yield a folder's files, and those of the folders in it; links to folders are not followed.

    `closed` hears of the folders that cannot be read.
    """
    for at, folders, files in os.walk(folder, onerror=closed):
        folders[:] = sorted(_kept(Path(at), folders, without))
        for name in sorted(files):
            path = Path(at, name)
            if _is_file(path, closed):
                yield path


def _is_file(path: Path, closed: Callable[[OSError], None] | None) -> bool:
    """Tell a file; one that may be seen and not looked at lies in a folder that is closed."""
    try:
        path.stat()
    except FileNotFoundError:
        return False
    except OSError as error:
        if closed:
            closed(error)
        return False
    return path.is_file()


def _kept(at: Path, folders: Iterable[str], without: Path) -> Iterator[str]:
    """Leave out the scan's own output, and hidden folders such as `.git`."""
    return (name for name in folders if name[0] != "." and (at / name).resolve() != without)


def printable(name: str) -> str:
    """Replace the bytes of a file name that are no text: no output could encode them."""
    return os.fsencode(name).decode("utf-8", "replace")

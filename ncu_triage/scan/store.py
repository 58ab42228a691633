"""The scan's folder: what lies where, written whole or not at all, and kept for the next run.

index.html  index.json  kernels.parquet  plotly.js
reports/    a page and its data for each content
.ncu-triage/rows/   what is done, by content and by all that decides what it became
.ncu-triage/work/   what is being written
.ncu-triage/recording   since when nights are recorded of which nothing was said yet
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Set
from contextlib import ExitStack, contextmanager
from functools import cached_property
from pathlib import Path

import msgspec

from ncu_triage.errors import UsageError
from ncu_triage.scan.row import Index, Row

_PLAIN = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_STEM = 60
_HASHED = 12


class Store:
    """A folder that a scan writes into."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._rows = folder / ".ncu-triage" / "rows"
        self._work = folder / ".ncu-triage" / "work"
        self._recording = folder / ".ncu-triage" / "recording"
        self.spool = self._work / "spool"

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder, and keep other scans out of it for as long.

        Raises UsageError where it cannot be written, or another scan is at it.
        """
        with ExitStack() as stack:
            with self._said():
                self._rows.mkdir(parents=True, exist_ok=True)
                (self.folder / "reports").mkdir(exist_ok=True)
                if not stack.enter_context(_lock(self._rows.parent / "lock")):
                    raise UsageError(f"-o {self.folder}: another scan is writing there")
                # What a run left that was ended in the middle.
                shutil.rmtree(self._work, ignore_errors=True)
                stack.callback(shutil.rmtree, self._work, ignore_errors=True)
                self.spool.mkdir(parents=True)
            yield

    @contextmanager
    def _said(self) -> Iterator[None]:
        """Put an error of the file system into one line."""
        try:
            yield
        except OSError as error:
            raise UsageError(f"-o {self.folder}: {error.strerror or error}") from error

    def known(self, key: str) -> Row | None:
        """Return what an earlier run made of this content in just this way."""
        try:
            row = msgspec.json.decode((self._rows / f"{key}.json").read_bytes(), type=Row)
        except (OSError, msgspec.MsgspecError):
            return None
        written = [path for path in (row.page, row.data) if path]
        return row if all((self.folder / path).is_file() for path in written) else None

    def keep(self, key: str, row: Row) -> None:
        """Note that a content is done; what belongs to it must lie there already."""
        self._write(self._rows / f"{key}.json", msgspec.json.encode(row))

    def write(self, name: str, data: bytes) -> None:
        """Put a file into its place, whole."""
        self._write(self.folder / name, data)

    @contextmanager
    def beside(self, name: str) -> Iterator[Path]:
        """Yield where to write a file that is then moved into its place."""
        path = self._work / Path(name).name
        with self._said():
            yield path
            path.replace(self.folder / name)

    def recording_since(self, now: float) -> float:
        """Note when a recording began; one that was interrupted goes on as the same one."""
        try:
            return float(self._recording.read_text())
        except (OSError, ValueError):
            self._write(self._recording, repr(now).encode())
            return now

    def recorded(self) -> None:
        """Note that what was recorded has been said."""
        self._recording.unlink(missing_ok=True)

    def shows_reports(self) -> bool:
        """Tell whether an earlier scan left an index with pages."""
        try:
            index = msgspec.json.decode((self.folder / "index.json").read_bytes(), type=Index)
        except (OSError, msgspec.MsgspecError):
            return False
        return bool(index.judged)

    def earlier(self, sha256: str) -> Row | None:
        """Return what an earlier run made of this content in another way, page and all."""
        return self._earlier.get(sha256)

    @cached_property
    def _earlier(self) -> dict[str, Row]:
        rows = [self.known(note.stem) for note in sorted(self._rows.glob("*.json"))]
        return {row.sha256: row for row in rows if row and row.page and row.sha256}

    def forget(self, keys: set[str], lost: Set[str]) -> None:
        """Remove what earlier runs made that is not among these.

        Of contents that are lost this time the earlier page stays.
        """
        current = {
            path for key in keys if (row := self.known(key)) for path in (row.page, row.data)
        }
        for note in self._rows.glob("*.json"):
            if note.stem in keys:
                continue
            row = self.known(note.stem)
            if row and row.page and row.sha256 in lost:
                continue
            for path in (row.page, row.data) if row else ():
                if path and path not in current:
                    (self.folder / path).unlink(missing_ok=True)
            note.unlink(missing_ok=True)

    def _write(self, path: Path, data: bytes) -> None:
        beside = self._work / path.name
        with self._said():
            beside.write_bytes(data)
            beside.replace(path)


def key_of(*parts: str | None) -> str:
    """Return the key for a content and all that decides what becomes of it."""
    return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]


def stem_of(name: str, sha256: str) -> str:
    """Return a file name for a report's page: readable, harmless, and unique by content."""
    last = name.rpartition("/")[2]
    stem = _PLAIN.sub("-", last.partition(".ncu-rep")[0]).strip("-.")[:_LONGEST_STEM]
    return f"{stem or 'report'}-{sha256[:_HASHED]}"


@contextmanager
def _lock(path: Path) -> Iterator[bool]:
    """Hold a lock that ends with this process, however it ends; False where another has it."""
    import fcntl

    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True

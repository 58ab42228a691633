"""Files that lie elsewhere: `s3://`, `gs://`, `az://`, `https://` and what else fsspec reads."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast
from urllib.parse import urlsplit

from ncu_triage.errors import InputError, UsageError

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_PATTERN = re.compile(r"[*?\[]")
_PIECE = 1 << 20
# More than any report that people keep; a disk must not fill up with one.
MOST_BYTES = 16 << 30


class Entry(NamedTuple):
    """A remote file: its URL, and its name below what the user named."""

    where: str
    name: str


def is_remote(path: str) -> bool:
    """Tell a URL from a path."""
    return _SCHEME.match(path) is not None


def expand(url: str) -> list[Entry]:
    """Return the files that a URL stands for: one, a folder of them, or a pattern.

    Raises UsageError where the package for its scheme is missing, InputError where the
    store does not answer.
    """
    system, path = _system(url)
    with _said(url):
        if _is_folder(system, url, path):
            return _entries(system, url, path.rstrip("/"), system.find(path))
        if _PATTERN.search(path) and not url.startswith("http"):
            return _entries(system, url, posixpath.dirname(_fixed(path)), system.glob(path))
        return [Entry(url, posixpath.basename(urlsplit(url).path) or shown(url))]


def is_folder(url: str) -> bool:
    """Tell whether a URL names a folder."""
    system, path = _system(url)
    with _said(url):
        return _is_folder(system, url, path)


def opened(url: str) -> BinaryIO:
    """Open a remote file; what is not read is not transferred."""
    system, path = _system(url)
    with _said(url):
        return cast(BinaryIO, system.open(path, "rb", block_size=_PIECE))


def _is_folder(system: AbstractFileSystem, url: str, path: str) -> bool:
    # To look whether an HTTP address is a folder would be to load it.
    if url.endswith("/") or url.startswith("http"):
        return url.endswith("/")
    return bool(system.isdir(path))


def fetch(url: str, target: Path) -> None:
    """Copy a remote file to a local one, which is there only once it is whole."""
    system, path = _system(url)
    beside = target.with_name(f"{target.name}.part")
    with _said(url), system.open(path, "rb") as source, beside.open("wb") as copy:
        while piece := source.read(_PIECE):
            copy.write(piece)
            if copy.tell() > MOST_BYTES:
                raise InputError(f"is larger than {MOST_BYTES >> 30} GiB, the most that is read")
    beside.replace(target)


def modified(url: str) -> float | None:
    """Return when a remote file was last written, in Unix time, where its store tells."""
    system, path = _system(url)
    try:
        return float(system.modified(path).timestamp())
    except Exception:  # each store has errors of its own, and some cannot tell
        return None


def shown(url: str) -> str:
    """Return a URL for a log: without user, password and signature."""
    if not is_remote(url):
        return url
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _system(url: str) -> tuple[AbstractFileSystem, str]:
    """Return the file system of a URL, and the path in it; the only import of fsspec."""
    try:
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url)
    except ImportError as error:
        scheme = url.partition(":")[0]
        raise UsageError(
            f"reading {scheme}:// needs more: pip install 'ncu-triage[remote]' ({error})"
        ) from error
    except ValueError as error:
        raise UsageError(f"{shown(url)}: {_line(error)}") from error
    return system, str(path)


def _fixed(pattern: str) -> str:
    """Return the part of a pattern before its first sign, up to that folder."""
    match = _PATTERN.search(pattern)
    return pattern[: match.start()] if match else pattern


def _entries(system: Any, url: str, base: str, paths: Iterable[Any]) -> list[Entry]:
    """Name files below a folder; their scheme is the user's, where a store has several."""
    scheme = url.partition(":")[0]
    return [
        Entry(
            f"{scheme}:{system.unstrip_protocol(path).partition(':')[2]}",
            path.removeprefix(base).lstrip("/"),
        )
        for path in sorted(map(str, paths))
    ]


@contextmanager
def _said(url: str) -> Iterator[None]:
    """Turn whatever a store raises into one line without its address's secrets."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError as error:
        raise InputError("there is no such file") from error
    except PermissionError as error:
        raise InputError("reading it is not permitted: check the credentials") from error
    except Exception as error:  # each store has errors of its own
        said = _line(error).replace(url, shown(url))
        raise InputError(f"reading {url.partition(':')[0]}:// failed: {said}") from error


def _line(error: Exception) -> str:
    """Put an error into one line of bearable length."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 200 else f"{text[:199]}…"

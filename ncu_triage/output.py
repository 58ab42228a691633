"""Where an output goes, of which kind, and how it gets there whole."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.render import KINDS, PICTURES, STATIC, UNCUT, kind_of, renderer
from ncu_triage.signals import held


class Target(NamedTuple):
    """One output: its kind, and its file; None is standard output."""

    kind: str
    path: Path | None


class Extras(NamedTuple):
    """What a call asks of its outputs besides their kind, and pictures to be written too."""

    static: bool = False
    uncut: bool = False
    pictures: tuple[str, ...] = ()


_NO_EXTRAS = Extras()


def targets(outputs: list[str], kind: str | None, extras: Extras = _NO_EXTRAS) -> list[Target]:
    """Work out the outputs of a call; a kind alone goes to standard output.

    Raises UsageError where the kind is unknown or cannot be told, or where an option
    concerns none of the outputs.
    """
    if kind is not None and kind not in KINDS:
        raise UsageError(f"--format {kind}: there is no such kind; choose from {_kinds()}")
    alone = kind is not None and not outputs
    found = [Target(kind, None)] if alone and kind else [_target(o, kind) for o in outputs]
    if extras.static:
        found = _instead(found, "html", STATIC, "--static concerns pages: add -o diag.html")
    if extras.uncut:
        found = _instead(found, "md", UNCUT, "--uncut concerns Markdown: add -o diag.md")
    return found + [_picture(file) for file in extras.pictures]


def _instead(found: list[Target], kind: str, other: str, without: str) -> list[Target]:
    """Replace a kind by its variant; refuse where nothing is of that kind."""
    if all(target.kind != kind for target in found):
        raise UsageError(without)
    return [t._replace(kind=other) if t.kind == kind else t for t in found]


def _picture(file: str) -> Target:
    if kind_of(file) not in PICTURES:
        raise UsageError(f"--picture {file}: end the name in .svg or .png")
    return _target(file, None)


def _target(output: str, kind: str | None) -> Target:
    path = None if output == "-" else Path(output)
    if path is not None and path.is_dir():
        raise UsageError(f"-o {output}: this is a directory; name a file in it")
    found = kind or (kind_of(output) if path else None)
    if found is None:
        what = "standard output" if path is None else output
        raise UsageError(f"-o {what}: its ending does not tell the kind; add --format {_kinds()}")
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {path.parent}")
    return Target(found, path)


def write(target: Target, diagnosis: Diagnosis) -> None:
    """Render one output and put it in its place; never leave half of it there."""
    deliver(target, renderer(target.kind)(diagnosis))


def deliver(target: Target, data: bytes) -> None:
    """Put an output in its place, whole. Raises UsageError where it cannot be written."""
    if target.path is None:
        with _nobody_need_read():
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        return
    try:
        _replace(target.path, data)
    except OSError as error:
        raise UsageError(f"-o {target.path}: {error.strerror or error}") from error


def say(text: str) -> None:
    """Print a text, whole: what goes wrong with it is known before the exit code is."""
    with _nobody_need_read():
        sys.stdout.write(text)
        sys.stdout.flush()


@contextmanager
def _nobody_need_read() -> Iterator[None]:
    """Go on where the reader of standard output went away: a gate is still to be settled."""
    try:
        yield
    except BrokenPipeError:
        # What is left in the buffers must not complain when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _replace(path: Path, data: bytes) -> None:
    """Write beside the target and move into place; devices are written directly."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    beside: Path | None = None
    try:
        with held():
            descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
            beside = Path(name)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        beside.replace(path)
    except BaseException:
        if beside is not None:
            beside.unlink(missing_ok=True)
        raise


def _kinds() -> str:
    return ", ".join(KINDS)

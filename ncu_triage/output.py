"""Where an output goes, of which kind, and how it gets there whole."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.render import OUTPUTS, kind_of, renderer


class Target(NamedTuple):
    """One output: its kind, and its file; None is standard output."""

    kind: str
    path: Path | None


def targets(outputs: list[str], kind: str | None) -> list[Target]:
    """Work out the outputs of a call; a kind alone goes to standard output.

    Raises UsageError where the kind is unknown or cannot be told.
    """
    if kind is not None and kind not in OUTPUTS:
        raise UsageError(f"--format {kind}: there is no such kind; choose from {_kinds()}")
    if kind is not None and not outputs:
        return [Target(kind, None)]
    return [_target(output, kind) for output in outputs]


def _target(output: str, kind: str | None) -> Target:
    path = None if output == "-" else Path(output)
    found = kind or (kind_of(output) if path else None)
    if found is None:
        what = "standard output" if path is None else output
        raise UsageError(f"-o {what}: its ending does not tell the kind; add --format {_kinds()}")
    if path is not None and path.is_dir():
        raise UsageError(f"-o {output}: this is a directory; name a file in it")
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {path.parent}")
    return Target(found, path)


def write(target: Target, diagnosis: Diagnosis) -> None:
    """Render one output and put it in its place; never leave half of it there.

    Raises UsageError where the place cannot be written.
    """
    data = renderer(target.kind)(diagnosis)
    if target.path is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    try:
        _replace(target.path, data)
    except OSError as error:
        raise UsageError(f"-o {target.path}: {error.strerror or error}") from error


def _replace(path: Path, data: bytes) -> None:
    """Write beside the target and move into place; devices are written directly."""
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name[:40]}.", dir=path.parent)
    beside = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~umask)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _kinds() -> str:
    return ", ".join(sorted(OUTPUTS))

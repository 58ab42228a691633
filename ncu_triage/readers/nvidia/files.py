"""Give NVIDIA's reader a file that it takes: by a name, not compressed."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ncu_triage.readers.ncu_rep.bytefile import ByteFile

_PIECE = 1 << 20


@contextmanager
def on_disk(data: ByteFile) -> Iterator[Path]:
    """Yield where a report lies, as an absolute path; a copy where it cannot be named.

    NVIDIA's reader believes the ending `.ncu-repz`, whatever the file holds.
    """
    path = data.path
    if path is not None and path.suffix != ".ncu-repz":
        yield path.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="ncu-triage-") as folder:
        copy = Path(folder) / "report.ncu-rep"
        with copy.open("wb") as file:
            for offset in range(0, data.size, _PIECE):
                file.write(data.read(offset, _PIECE))
        yield copy

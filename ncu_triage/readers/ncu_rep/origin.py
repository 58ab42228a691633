"""Where a report came from."""

from __future__ import annotations

from typing import NamedTuple

from ncu_triage.readers.ncu_rep.bytefile import ByteFile


class Origin(NamedTuple):
    """The input as the user gave it; `file` is the file itself, compressed or not."""

    name: str
    source_index: int
    format: str
    file: ByteFile

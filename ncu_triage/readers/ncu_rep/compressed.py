"""Unpack a `.ncu-repz`: the report in one zstd frame."""

from __future__ import annotations

import os
import tempfile
from contextlib import ExitStack
from typing import BinaryIO

from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.signals import held

# A small file can claim any size; a report of 5,000 launches with all metrics has 2.7 GB.
MAX_UNPACKED = 4 << 30
_PIECE = 1 << 20
_EMPTY = bytes(_PIECE)


def unpack(file: BinaryIO) -> tuple[ByteFile, str | None]:
    """Unpack into a temporary file, piece by piece, as far as it goes.

    The second value says in one line what is missing, if anything.
    """
    # Late: a plain report needs none of it.
    import zstandard

    with ExitStack() as stack:
        with held():
            target = stack.enter_context(tempfile.TemporaryFile())
        unpacker = zstandard.ZstdDecompressor()
        damage = _copy(unpacker.stream_reader(file, read_across_frames=True), target)
        # From here on the `ByteFile` closes it.
        stack.pop_all()
        return ByteFile(target), damage


def _copy(reader: BinaryIO, target: BinaryIO) -> str | None:
    from zstandard import ZstdError

    try:
        while (room := MAX_UNPACKED - target.tell()) > 0:
            piece = reader.read(min(_PIECE, room))
            if not piece:
                return None
            _put(piece, target)
    except ZstdError:
        return "the compressed data is damaged: it was unpacked up to there"
    finally:
        target.truncate()
    return f"unpacking stopped at {MAX_UNPACKED >> 30} GiB, the most that is read"


def _put(piece: bytes, target: BinaryIO) -> None:
    """Write a piece; where nothing is in it, leave a hole, which takes no room."""
    if piece == _EMPTY:
        target.seek(len(piece), os.SEEK_CUR)
    else:
        target.write(piece)

"""Tell profiles from all the other files of a folder, by content and not by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import BinaryIO

from ncu_triage.readers.csv.encoding import decode_head
from ncu_triage.readers.csv.header import find_header

# Whoever called a file so wants it judged, or to know why not.
_REPORT_NAMES = (".ncu-rep", ".ncu-repz", ".nsight-cuprof-report")
# A script that calls the profiler has metric names and messages in it, too: what is no
# certain table counts only in files that people call tables or logs.
_TABLE_NAMES = (".csv", ".tsv", ".txt", ".log", ".out")
_MESSAGES = ("==PROF== ", "==ERROR== ")
_REPORT = b"NVR\0"
_PACKED = b"\x28\xb5\x2f\xfd"
_HEAD = 4096
# The program's own output may stand before the table.
_SEARCHED = 1 << 18


def is_profile(name: str, opened: Callable[[], BinaryIO]) -> bool:
    """Tell whether a file found in a folder is one to judge; only one in doubt is opened."""
    ending = PurePath(name).suffix.lower()
    if ending in _REPORT_NAMES:
        return True
    with opened() as file:
        head = file.read(_HEAD)
        if head.startswith(_PACKED):
            return _holds_report(file)
        return head.startswith(_REPORT) or _is_table(head, file, ending in _TABLE_NAMES)


def _holds_report(file: BinaryIO) -> bool:
    """Look into a compressed file."""
    from zstandard import ZstdDecompressor, ZstdError

    file.seek(0)
    try:
        return ZstdDecompressor().stream_reader(file).read(len(_REPORT)) == _REPORT
    except ZstdError:
        return False


def _is_table(head: bytes, file: BinaryIO, called_so: bool) -> bool:
    """Tell whether a text has a table of the profiler near its beginning."""
    if not head or decode_head(head) is None:
        return False
    text = decode_head(head + file.read(_SEARCHED - len(head))) or ""
    for line in text.splitlines():
        header = find_header(line)
        if header is not None and (called_so or header.kind != "wide"):
            return True
        if called_so and line.startswith(_MESSAGES):
            return True
    return False

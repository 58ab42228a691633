"""Say in one line what a file is that no reader takes, and what to do about it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from typing import TypeAlias

from ncu_triage.readers.csv.encoding import decode_head

Matcher: TypeAlias = Callable[[bytes], bool]

# What is left of a report whose first bytes are gone: the file header and its length may
# be there, then the length of a block header and its first two fields, small numbers.
_HEADERLESS = re.compile(rb"(?:\x02\0\0\0)?(?:\x08.)?.{2}\0\0\x08[\0-\x7f]\x10", re.DOTALL)
# Beginnings of JSON; a line of output may begin with a bracket, too ("[1234] app@host").
_JSON = re.compile(r'\s*(?:\{\s*["}]|\[\s*(?:[\[{"\]]|[-\d.eE+]+\s*[,\n]))')

# The keys with which a trace of PyTorch's profiler begins, whatever its version.
_TRACE = re.compile(
    rb'"(?:traceEvents|schemaVersion|deviceProperties|displayTimeUnit|baseTimeNanoseconds)"\s*:'
    rb'|[\[{,]\s*"ph"\s*:'
)
_WITH_TIMELINE = "give it with --timeline, beside the report (.ncu-rep) of the same program"


def starts_with(*beginnings: bytes) -> Matcher:
    """Build a matcher for a file's first bytes."""
    return lambda head: head.startswith(beginnings)


def _is_html(head: bytes) -> bool:
    return head.lstrip().lower().startswith((b"<!doctype html", b"<html"))


def _is_tar(head: bytes) -> bool:
    return head[257:262] == b"ustar"


def _is_headerless(head: bytes) -> bool:
    return _HEADERLESS.match(head) is not None


def _is_json(head: bytes) -> bool:
    text = decode_head(head)
    return text is not None and _JSON.match(text) is not None


def _is_trace(head: bytes) -> bool:
    """Tell a trace by its keys, packed or not."""
    if head.startswith(b"\x1f\x8b"):
        try:
            head = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(head, len(head))
        except zlib.error:
            return False
    return head.lstrip()[:1] in (b"{", b"[") and _TRACE.search(head) is not None


_FOREIGN: tuple[tuple[Matcher, str], ...] = (
    (
        lambda head: not head,
        "the file is empty: the profiler did not finish it, its filter matched no kernel, or"
        " the copy failed",
    ),
    (
        starts_with(b"version https://git-lfs.github.com/"),
        "this is a Git LFS pointer, not the report itself: fetch it with 'git lfs pull'",
    ),
    (
        starts_with(b"SQLite format 3\0"),
        "this is an SQLite file, no report of Nsight Compute: if it is a timeline that Nsight"
        f" Systems exported, {_WITH_TIMELINE}",
    ),
    (
        starts_with(b"NVIDIA Tegra Profiler Report"),
        "this is a report of Nsight Systems (.nsys-rep): convert it with 'nsys export --type"
        f" sqlite', then {_WITH_TIMELINE}",
    ),
    (_is_trace, f"this is a trace, as PyTorch's profiler writes: {_WITH_TIMELINE}"),
    (starts_with(b"\x1f\x8b"), "the file is compressed with gzip: unpack it first (gunzip)"),
    (starts_with(b"PK\x03\x04", b"PK\x05\x06"), "this is a zip archive: unpack it first (unzip)"),
    (
        starts_with(b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c"),
        "the file is compressed (bzip2, xz or 7z): unpack it first",
    ),
    (_is_tar, "this is a tar archive: unpack it first (tar -xf)"),
    (starts_with(b"\x7fELF"), "this is a program or a cubin (ELF), not a report"),
    (_is_html, "this is a web page (HTML), not a report: download the raw file"),
    (_is_json, "this is JSON, not a report: name the .ncu-rep file that it was made from"),
    (
        _is_headerless,
        "the report's first bytes (NVR) are missing: it is damaged, or from a version before"
        " 2019; copy it again, or save it anew with the Nsight Compute that wrote it",
    ),
)


_UNKNOWN = "this is no Nsight Compute report (unknown content): name a file saved with 'ncu -o'"


def is_text(head: bytes) -> bool:
    """Tell whether a file is text of no kind that is named here."""
    return decode_head(head) is not None and _named(head) is None


def describe(head: bytes) -> str:
    """Name what the first bytes of a file are, and what to do."""
    return _named(head) or _UNKNOWN


def _named(head: bytes) -> str | None:
    return next((message for matches, message in _FOREIGN if matches(head)), None)

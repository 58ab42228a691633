"""Say in one line what a file is that is no timeline, and what to do about it."""

from __future__ import annotations

import re

_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*[\[{]\s*["{}\[\]]')
_GZIP = b"\x1f\x8b"
_KINDS: tuple[tuple[tuple[bytes, ...], str], ...] = (
    (
        (b"NVIDIA Tegra Profiler Report",),
        "this is a report of Nsight Systems (.nsys-rep), which only nsys can read: convert it"
        " with 'nsys export --type sqlite FILE'",
    ),
    (
        (b"NVR\0", b"\x28\xb5\x2f\xfd"),
        "this is a report of Nsight Compute, not a timeline: name it without --timeline, and"
        " after --timeline the .sqlite or .json of the same program",
    ),
    (
        (b"version https://git-lfs.github.com/",),
        "this is a Git LFS pointer, not the file itself: fetch it with 'git lfs pull'",
    ),
    ((b"PK\x03\x04", b"PK\x05\x06"), "this is a zip archive: unpack it first (unzip)"),
    ((b"BZh", b"\xfd7zXZ\0", b"7z\xbc\xaf\x27\x1c"), "the file is compressed: unpack it first"),
    ((b"\x7fELF",), "this is a program or a cubin (ELF), not a timeline"),
    (
        (b"<!doctype html", b"<html"),
        "this is a web page (HTML), not a timeline: download the raw file",
    ),
)
_WANTED = (
    "name what 'nsys export --type sqlite' or PyTorch's export_chrome_trace wrote"
    " (.sqlite, .json, .json.gz)"
)


def is_json(head: bytes) -> bool:
    """Tell whether a text begins like JSON with an object or a list of them."""
    return _JSON.match(head) is not None


def describe(head: bytes, unpacked: bytes) -> str:
    """Name what a file is by its first bytes, packed and unpacked, and what to do."""
    if not head:
        return "the file is empty: the profiler did not finish it, or the copy failed"
    known = _named(head) or _named(head.lstrip().lower())
    if known is None and head.startswith(_GZIP):
        known = f"the file is compressed with gzip, and holds no trace: {_WANTED}"
        if unpacked.startswith(b"SQLite format 3\0"):
            known = "this is an SQLite file packed with gzip: unpack it first (gunzip)"
    return known or f"this is no timeline (unknown content): {_WANTED}"


def _named(head: bytes) -> str | None:
    return next((text for beginnings, text in _KINDS if head.startswith(beginnings)), None)

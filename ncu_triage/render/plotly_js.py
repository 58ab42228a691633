"""Plotly's script for a page: found without importing Plotly, compressed once per user."""

from __future__ import annotations

import base64
import gzip
import importlib.util
from pathlib import Path

from ncu_triage.cache import cached


def packed() -> str | None:
    """Return Plotly's script as base64 of gzip; None where Plotly's file is missing."""
    path = script()
    if path is None:
        return None
    stat = path.stat()
    name = f"plotly-{_version(path)}-{stat.st_size}-{stat.st_mtime_ns}.b64"
    return cached(name, lambda: _pack(path)).decode("ascii")


def script() -> Path | None:
    """Return the path of Plotly's script."""
    found = importlib.util.find_spec("plotly")
    for place in (found.submodule_search_locations if found else None) or ():
        path = Path(place) / "package_data" / "plotly.min.js"
        if path.is_file():
            return path
    return None


def _version(path: Path) -> str:
    """Return what follows "plotly.js v" in the file's first lines, if anything."""
    with path.open("rb") as file:
        head = file.read(200).decode("ascii", "replace")
    word = head.partition("plotly.js v")[2].split(maxsplit=1)
    return "".join(c for c in word[0] if c.isalnum() or c == ".") if word else "unknown"


def _pack(path: Path) -> bytes:
    # Without a time in its header, gzip gives the same bytes for the same script.
    return base64.b64encode(gzip.compress(path.read_bytes(), compresslevel=9, mtime=0))

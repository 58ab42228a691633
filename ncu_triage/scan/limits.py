"""How much time and memory one file may cost."""

from __future__ import annotations

import os
import re

from msgspec import Struct

from ncu_triage.errors import UsageError

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGT]i?B?|B)?", re.IGNORECASE)
_FACTORS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


class Limits(Struct, frozen=True):
    """Seconds and bytes for one file; a worker that takes more is ended."""

    seconds: float = 300.0
    memory: int = 4 << 30


def size(text: str) -> int:
    """Read a size such as 512M, 2GiB or a number of bytes."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"--memory-limit {text}: give a size such as 2GiB")
    factor = _FACTORS.get((match[2] or "B")[0].upper(), 1)
    return int(float(match[1]) * factor)


def size_text(size: int) -> str:
    """Print a number of bytes in the largest unit of which there is a whole one."""
    for letter, factor in reversed(_FACTORS.items()):
        if size >= factor:
            return f"{size / factor:.4g} {letter}iB"
    return f"{size} B"


def cores() -> int:
    """Count the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1

"""What an API call does, told by its name: keep the thread that makes it, or launch a graph.

Whether a call launched work is told by its correlation id, never by its name.
"""

from __future__ import annotations

import re

from ncu_triage.timeline.events import Blocking

_API = re.compile(r"(?:cuda|cu|hip)[A-Z]")
_GRAPH = re.compile(r"(?:cuda|cu|hip)GraphLaunch")
# Asynchronous copies count too: with pageable memory they keep the thread all the same.
_KINDS: tuple[tuple[re.Pattern[str], Blocking], ...] = (
    (re.compile(r"Synchronize"), "wait"),
    (re.compile(r"Memcpy|Memset"), "copy"),
    (re.compile(r"Alloc|HostRegister|Free"), "allocate"),
    (re.compile(r"Module|Library|KernelGetFunction|CtxCreate|Init\b"), "load"),
)


def blocking(name: str) -> Blocking | None:
    """Tell what an API call keeps its thread with, None for one that returns at once."""
    if not _API.match(name):
        return None
    return next((kind for pattern, kind in _KINDS if pattern.search(name)), None)


def launches_graph(name: str) -> bool:
    """Tell whether an API call launches what was recorded as a graph."""
    return _GRAPH.match(name) is not None

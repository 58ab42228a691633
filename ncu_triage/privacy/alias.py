"""Make an alias of a name: the same one in every report and output."""

from __future__ import annotations

import hashlib
import re

_DIGITS = 8


def alias(what: str, name: str) -> str:
    """Return the alias of a name of some kind."""
    return f"{what}_{_digest(name)[:_DIGITS]}"


def kernel_alias(name: str, full: str) -> str:
    """Return a kernel's alias; of a template or an overload, with a sign for which one."""
    plain = alias("kernel", re.split(r"[<(]", name)[0])
    if full == name or not full:
        return plain
    which = _digest(full)[: _DIGITS // 2]
    return f"{plain}<{which}>" if "<" in full else f"{plain}({which})"


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()

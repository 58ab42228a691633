"""A kernel's own name within its demangled one: no return type, scopes, arguments."""

from __future__ import annotations

import re
from functools import lru_cache

_OPEN, _CLOSE = "<([{", ">)]}"
# What a mangled name begins with: scopes and the name, each with its length before it.
_MANGLED = re.compile(r"_ZN?[KL]*(?=\d)")
# An operator's sign is part of its name, brackets and all.
_OPERATOR = re.compile(
    r"operator ?(\(\)|\[\]|<=>|<<=|>>=|->\*|<<|>>|->|&&|\|\||\+\+|--|[-+*/%^&|~!=<>]=?|,)"
)
_LENGTH = re.compile(r"L?(\d{1,4})")


@lru_cache(maxsize=256)
def base_name(demangled: str) -> str:
    """Return `copy` for `void ns::copy<float, 4>(float *, int)`, and `operator<<` whole.

    A name that does not follow the rules of C++ comes back as it is.
    """
    if mangled := _MANGLED.match(demangled):
        return _last_part(demangled, mangled.end())
    depth = 0
    kept: list[str] = []
    for i, char in enumerate(demangled):
        begins = depth == 0 and char == "o" and not _ends_name(kept)
        if begins and (sign := _OPERATOR.match(demangled, i)):
            return f"operator{sign[1]}"
        if char in _OPEN:
            # The arguments end the name; a cast or "(anonymous namespace)" stands earlier.
            if char == "(" and depth == 0 and _ends_name(kept):
                break
            depth += 1
        elif char in _CLOSE and depth:
            depth -= 1
        elif depth == 0:
            kept.append(char)
    words = "".join(kept).strip().rpartition("::")[2].split()
    return words[-1] if words else demangled


def _ends_name(kept: list[str]) -> bool:
    return bool(kept) and (kept[-1].isalnum() or kept[-1] in "_$")


def _last_part(mangled: str, start: int) -> str:
    """Return the last of the parts that stand there, each behind its length."""
    part = ""
    while length := _LENGTH.match(mangled, start):
        end = length.end() + int(length[1])
        part, start = mangled[length.end() : end], end
        if not mangled.startswith("_ZN"):
            break
    return part or mangled

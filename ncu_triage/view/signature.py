"""Take a kernel's full name apart: namespaces, base name, template arguments, parameters.

Names come from C++, Julia, Triton and others. What does not look like C++ is one base name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_OPEN, _CLOSE = "<([{", ">)]}"
_LONGEST = 4000  # of a name that is looked into; what lies beyond is no name
_STEP = " › "  # between the NVTX ranges that name a range
_CAST = re.compile(r"\((?:unsigned )?(?:bool|char|short|int|long)\)(?=[-\w])")
_CALL = re.compile(r"[\w>]\(")


class Parts(NamedTuple):
    """A name's parts, the namespaces with their colons; lists may be empty."""

    space: str
    base: str
    arguments: list[str]
    parameters: list[str]


def parts(full: str) -> Parts:
    """Take a full name apart; one that is no C++ is all base."""
    text = printable(full[:_LONGEST])
    if _STEP in text:
        return Parts("", text, [], [])
    try:
        return _parts(text.replace("(anonymous namespace)", "{anonymous}"))
    except ValueError:
        return Parts("", text, [], [])


def argument(text: str) -> Parts:
    """Take a template argument apart: of a lambda, the function that it stands in."""
    text = _CAST.sub("", text)
    try:
        if _CALL.search(text) and not text.startswith("["):
            return _parts(text)
        return Parts(*_qualified(text), [])
    except ValueError:
        return Parts("", text, [], [])


def printable(text: str) -> str:
    """Replace what does not print (control, bidi and private characters) by a sign."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text).strip()


def _parts(text: str) -> Parts:
    """Cut the return type off, then the parameters."""
    end = next((i for i, c, depth in _walk(text) if c == "(" and depth == 0 and i > 0), len(text))
    name = text[:end].rstrip()
    start = max((i + 1 for i, c, depth in _walk(name) if c == " " and depth == 0), default=0)
    return Parts(*_qualified(name[start:]), _parameters(text[end:]))


def _parameters(text: str) -> list[str]:
    """Return the parameters of `(int, float *)` and what may follow."""
    end = next((i for i, c, depth in _walk(text) if c == ")" and depth == 0), None)
    return [one for one in _listed(text[1:end]) if one] if end else []


def _qualified(name: str) -> tuple[str, str, list[str]]:
    """Split a qualified name into its namespaces, its last part and its template arguments."""
    at = max((i + 1 for i, c, depth in _walk(name) if c == ":" and depth == 0), default=0)
    space, last = name[:at], name[at:]
    opening = last.find("<")
    if opening <= 0 or not last.endswith(">"):
        return space, last, []
    return space, last[:opening], _listed(last[opening + 1 : -1])


def _listed(text: str) -> list[str]:
    """Split at the commas outside of all brackets."""
    commas = [i for i, c, depth in _walk(text) if c == "," and depth == 0]
    bounds = zip([-1, *commas], [*commas, len(text)], strict=True)
    return [text[a + 1 : b].strip() for a, b in bounds]


def _walk(text: str) -> Iterable[tuple[int, str, int]]:
    """Yield position, character and bracket depth; ValueError where brackets do not fit."""
    depth = 0
    for i, c in enumerate(text):
        if c in _CLOSE and text[max(0, i - 1) : i + 1] != "->":
            depth -= 1
            if depth < 0:
                raise ValueError("unbalanced")
        yield i, c, depth
        if c in _OPEN:
            depth += 1
    if depth:
        raise ValueError("unbalanced")

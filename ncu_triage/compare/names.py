"""Kernel names brought to one spelling, and to what of them survives a new build.

Demanglers spell one name in several ways, and compilers put line numbers, hashes and
counters into names. Nothing here fails on a name that is no C++.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from functools import lru_cache

_LONGEST = 4000  # of a name that is looked into; what lies beyond tells nothing apart
_ALIKE = 400
_OPEN, _CLOSE = "<([{", ">)]}"
# One token for what the demanglers spell differently, or number anew with each build.
_SPELLINGS = (
    (re.compile(r"\(anonymous namespace\)|<unnamed>|\{anonymous\}"), "~"),
    (re.compile(r"_GLOBAL__N__[0-9a-f]{8}_\w*?(?=::|\W|$)"), "~"),
    (re.compile(r"[\[{']lambda\([^)]*\)(?: \(instance \d+\)|#\d+)?[\]}']"), "lambda"),
    (re.compile(r"\(bool\)1\b"), "true"),
    (re.compile(r"\(bool\)0\b"), "false"),
    (re.compile(r"\((?:unsigned )?(?:bool|char|short|int|long)(?: long)?\)(?=[-\w])"), ""),
    (re.compile(r"(?<=\d)(?:ul|u|l)+\b"), ""),
)
_NAMESPACE = re.compile(r"[\w~]+(?:<[^<>()]*>)?::")
_HASH = re.compile(r"(?<![A-Za-z])(?=[0-9a-f]*\d)[0-9a-f]{6,}(?![A-Za-z])")
_NUMBER = re.compile(r"\d+(?:[dce]\d*)*")


@lru_cache(maxsize=4096)
def spelled(full: str) -> str:
    """Return a whole name in one spelling: without return type, namespaces and blanks."""
    text = _one_spelling(full)
    start = _start(text, _parameters(text))
    return _bare(text[start:])


@lru_cache(maxsize=4096)
def called(full: str) -> str:
    """Return a name in one spelling without its parameters."""
    text = _one_spelling(full)
    end = _parameters(text)
    return _bare(text[_start(text, end) : end])


def base(full: str) -> str:
    """Return a name's last part without its template arguments."""
    return called(full).split("<", 1)[0]


def loose(full: str) -> str:
    """Return a name's last part without the numbers and hashes that a build changes."""
    return _NUMBER.sub("#", _HASH.sub("#", base(full)))


def likeness(one: str, other: str) -> float:
    """Say how alike two names are, from 0 to 1."""
    texts = called(one)[:_ALIKE], called(other)[:_ALIKE]
    return SequenceMatcher(None, *texts, autojunk=False).ratio()


def _one_spelling(full: str) -> str:
    text = full[:_LONGEST].strip()
    for pattern, token in _SPELLINGS:
        text = pattern.sub(token, text)
    return text


def _bare(text: str) -> str:
    return "".join(_NAMESPACE.sub("", text).split())


def _parameters(text: str) -> int:
    """Return where the parameters begin: the first parenthesis outside of any bracket."""
    return next((i for i, c, depth in _walk(text) if c == "(" and depth == 0 and i), len(text))


def _start(text: str, end: int) -> int:
    """Return where the name begins: behind the last blank outside of any bracket."""
    name = text[:end].rstrip()
    return max((i + 1 for i, c, depth in _walk(name) if c == " " and depth == 0), default=0)


def _walk(text: str) -> Iterator[tuple[int, str, int]]:
    """Yield position, character and bracket depth; what does not fit counts as depth 0."""
    depth = 0
    for i, c in enumerate(text):
        if c in _CLOSE and text[max(0, i - 1) : i + 1] != "->":
            depth = max(0, depth - 1)
        yield i, c, depth
        if c in _OPEN:
            depth += 1

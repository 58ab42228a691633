"""Kernel names of two profilers brought to one spelling.

Nsight Compute and Nsight Systems share NVIDIA's demangler, PyTorch has the C++ library's:
`(int)4` and `4`, `<unnamed>` and `(anonymous namespace)`, `[lambda() (instance 1)]` and
`{lambda()#1}`, parameters as `T1` or written out. Nothing here fails on a name that is no
C++: it stays what it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

_INSTANCE = re.compile(r"\(instance (\d+)\)")
# Compilers put a hash of the build into what only one file can see. (Nsight Compute's
# tables print `unnamed>::`, having cut the rest off as a namespace.)
_HIDDEN = re.compile(
    r"\(anonymous namespace\)::|<?\bunnamed>::|\{anonymous\}::"
    r"|(?:_GLOBAL__N__|_INTERNAL_)[0-9a-f]{8}_\w*?::"
)
_MANGLED_HASH = re.compile(
    r"\d*(?:_GLOBAL__N__|_INTERNAL_)[0-9a-f]{8}_(\d+_\w+?)_[0-9a-f]{8}(?:_\d+|\d*)"
)
_ADDRESS = re.compile(r"&\((\w[\w:]*)")
_SUFFIX = re.compile(r"(?<=\d)(?:ull|ul|u|ll|l)\b")
_WORDS = ((re.compile(r"\btrue\b"), "1"), (re.compile(r"\bfalse\b"), "0"))
# NVIDIA's demangler gives the return type of functions inside of arguments, too.
_ADDED = re.compile(r"\bconst\b|\bvoid\s+(?=[A-Za-z_])")
_SCOPE = re.compile(r"(?<![\w>!#])(?:[A-Za-z_]\w*::)+")
_WITHIN_CALL = re.compile(r"(?<=operator!)::")
# What compilers count anew: lines of OpenACC and OpenMP, kernels of Triton and Inductor.
_OPENMP = re.compile(r"^__omp_offloading_[0-9a-f]+_[0-9a-f]+_")
_LINE = re.compile(r"_l?\d+(?=(?:_gpu(?:__red)?)?$)")
_COUNTER = re.compile(r"(?:_\d[0-9dce]*)+$")
_HASH = re.compile(r"_?(?<![A-Za-z0-9])(?=[0-9a-f]*\d)[0-9a-f]{8,}(?![A-Za-z0-9])")


@lru_cache(maxsize=8192)
def spelled(full: str) -> str:
    """Return a name in one spelling: with its scopes, without what the demanglers add."""
    return _marked(full).replace("!", "")


@lru_cache(maxsize=8192)
def unscoped(full: str) -> str:
    """Return that spelling without namespaces, as Nsight Compute prints names in tables.

    What a lambda lies in is no namespace, and often all that tells two kernels apart.
    """
    if full.startswith("_Z"):
        return spelled(full)
    return _WITHIN_CALL.sub("", _SCOPE.sub("", _marked(full))).replace("!", "")


@lru_cache(maxsize=8192)
def loose(full: str) -> str | None:
    """Return a plain name without what a compiler numbers anew; None for all others.

    Only for names without template arguments: those of a library are told apart by their
    numbers.
    """
    name = unscoped(full)
    if not re.fullmatch(r"\w+", name):
        return None
    bare = _OPENMP.sub("__omp_offloading_#_", name)
    bare = _COUNTER.sub("_#", _LINE.sub("_#", _HASH.sub("#", bare)))
    return bare if bare != name else None


def _marked(full: str) -> str:
    """Return the one spelling, with a mark where parameters were: `f!::lambda!#1`."""
    if full.startswith("_Z"):
        return _MANGLED_HASH.sub(r"\1_", full)
    text = _HIDDEN.sub("", _ADDRESS.sub(r"&\1(", _INSTANCE.sub(r"#\1", full)))
    text = _ADDED.sub("", _without_parentheses(text.replace("!", "")))
    for word, number in _WORDS:
        text = word.sub(number, text)
    text = _name(_SUFFIX.sub("", text))
    return re.sub(r"[\s\[\]{}]+", "", text)


def _without_parentheses(text: str) -> str:
    """Leave out parameter lists and casts: how they are spelled tells nothing apart."""
    kept: list[str] = []
    before = ""  # the last character that is kept and no blank
    for c, depth in _walk(text, "()"):
        if depth == 1 and c == "(" and (before.isalnum() or before in ("_", ">")):
            kept.append(before := "!")
        elif depth == 0:
            kept.append(c)
            before = c if c != " " else before
    return "".join(kept)


def _name(text: str) -> str:
    """Leave out the return type: what stands before the last blank outside of brackets."""
    text = text.strip()
    blanks = [at for at, (c, depth) in enumerate(_walk(text, "<>")) if c == " " and depth == 0]
    return text[blanks[-1] + 1 :] if blanks else text


def _walk(text: str, pair: str) -> Iterator[tuple[str, int]]:
    """Yield each character with the depth of the brackets around it, its own included.

    A closing bracket without an opening one counts as text; `->` closes nothing.
    """
    depth, previous = 0, ""
    for c in text:
        closes = c == pair[1] and depth > 0 and previous != "-"
        depth += c == pair[0]
        yield c, depth
        depth -= closes
        previous = c

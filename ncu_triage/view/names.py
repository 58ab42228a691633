"""Short display names for long template names, and anchors for kernels.

`void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, ...>(...)`
becomes `vectorized_elementwise_kernel<4, AddFunctor<float>, …>`. Nothing here fails on a
name that is no C++: it is shortened as a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

_BUDGETS = (56, 96, 140)
_OPEN, _CLOSE = "<([{", ">)]}"
_LONGEST = 4000  # of a name that is looked into; what lies beyond is no name
_CAST = re.compile(r"\((?:unsigned )?(?:bool|char|short|int|long)\)(?=[-\w])")


def short_names(full: Iterable[str]) -> Mapping[str, str]:
    """Return a short name for each full one; different ones stay different."""
    names = list(dict.fromkeys(full))
    short = {name: shorten(name, _BUDGETS[0]) for name in names}
    for budget in _BUDGETS[1:]:
        for name in (n for same in _shared(short) for n in same):
            short[name] = shorten(name, budget)
    for same in _shared(short):
        short |= {name: f"{short[name]} #{i}" for i, name in enumerate(same, 1)}
    return short


def shorten(full: str, budget: int = _BUDGETS[0]) -> str:
    """Return a name without return type, namespaces and parameters, cut to a budget."""
    text = _printable(full)[:_LONGEST]
    try:
        short = _templated(_signature(text), budget)
    except (ValueError, RecursionError):
        short = ""
    return _cut(short or text or "(unnamed)", budget)


def anchor(kernel_id: str) -> str:
    """Return a kernel's anchor in the page: `0/0/3` is `k-0-0-3`."""
    return "k-" + re.sub(r"[^0-9A-Za-z]+", "-", kernel_id)


def _shared(short: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of full names that have the same short one."""
    by_short: dict[str, list[str]] = defaultdict(list)
    for name, text in short.items():
        by_short[text].append(name)
    return [names for names in by_short.values() if len(names) > 1]


def _printable(text: str) -> str:
    """Replace what does not print (control, bidi and private characters) by a sign."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text).strip()


def _signature(text: str) -> str:
    """Cut the return type and the parameters off: what is left is the qualified name."""
    text = text.replace("(anonymous namespace)", "{anonymous}")
    end = next((i for i, c, depth in _walk(text) if c == "(" and depth == 0 and i > 0), len(text))
    name = text[:end]
    start = max(
        (i + 1 for i, c, depth in _walk(name.rstrip()) if c == " " and depth == 0), default=0
    )
    return name[start:].strip()


def _templated(name: str, budget: int) -> str:
    """Drop the namespaces, and the template arguments that the budget has no room for."""
    base, arguments = _split(name)
    if not arguments:
        return base
    room = budget - len(base) - 2
    shown: list[str] = []
    for i, argument in enumerate(arguments):
        left = room - len(", ".join([*shown, ""])) - (3 if i + 1 < len(arguments) else 0)
        text = _templated(_CAST.sub("", argument), max(left, 12))
        if len(text) > left:
            shown.append("…")
            break
        shown.append(text)
    return f"{base}<{', '.join(shown)}>"


def _split(name: str) -> tuple[str, list[str]]:
    """Split a qualified name into its last part and its template arguments."""
    parts = [i for i, c, depth in _walk(name) if c == ":" and depth == 0]
    last = name[parts[-1] + 1 :] if parts else name
    opening = last.find("<")
    if opening <= 0 or not last.endswith(">"):
        return last, []
    inner = last[opening + 1 : -1]
    commas = [i for i, c, depth in _walk(inner) if c == "," and depth == 0]
    bounds = zip([-1, *commas], [*commas, len(inner)], strict=True)
    return last[:opening], [inner[a + 1 : b].strip() for a, b in bounds]


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


def _cut(text: str, budget: int) -> str:
    """Leave the middle out of what is too long."""
    if len(text) <= budget + 8:
        return text
    tail = budget // 3
    return f"{text[: budget - tail]}…{text[-tail:]}"

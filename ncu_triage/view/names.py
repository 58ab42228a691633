"""Short display names for long template names, and anchors for kernels.

`void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, ...>(...)`
becomes `vectorized_elementwise_kernel<4, AddFunctor<float>, …>`. Names of one report stay
apart: where the short ones are equal, what tells the full ones apart is shown. Nothing
here fails on a name that is no C++: it is shortened as a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from ncu_triage.view.signature import Parts, argument, parts, printable

_BUDGET, _WIDE = 56, 96
_SPARE = 8  # so much longer than its budget may a name be, rather than lose its end
_LEAST = 12  # letters of an argument that still say something
_ETC = "…"
_LETTER = re.compile(r"\w")


def short_names(full: Iterable[str]) -> Mapping[str, str]:
    """Return a short name for each full one; different ones stay different."""
    names = list(dict.fromkeys(full))
    short = {name: shorten(name) for name in names}
    for tell_apart in (_by_arguments, _by_space, _by_parameters, _by_number):
        for same in _shared(short):
            short |= zip(same, tell_apart(same), strict=True)
    return short


def shorten(full: str, budget: int = _BUDGET) -> str:
    """Return a name without return type, namespaces and parameters, cut to a budget."""
    return _cut(_shown(parts(full), budget) or "(unnamed)", budget)


def plain(text: str) -> str:
    """Return a name that is none of a program's code, cut to a budget."""
    return _cut(printable(text) or "(unnamed)", _BUDGET)


def fitted(short: Iterable[str], width: int) -> Mapping[str, str]:
    """Cut short names to so many letters; those that then are equal show where they differ.

    A name loses its end first: `distribution_elem…`. Of two with the same beginning both
    keep what differs: `vectorized…AddFunc…`.
    """
    cut = {name: _end_cut(name, width) for name in short}
    for _ in range(2):
        for same in _shared(cut):
            cut |= zip(same, _from_difference(same, width), strict=True)
    left = [name for same in _shared(cut) for name in same]
    room = width - len(f"{len(left)}") - 2
    return cut | {name: f"{_end_cut(cut[name], room)} #{i}" for i, name in enumerate(left, 1)}


def _from_difference(same: Sequence[str], width: int) -> list[str]:
    """Show the beginning of names, then what differs: whole words, where that is enough."""
    at = _common(same)
    word = next((i for i in range(at, 0, -1) if not _LETTER.match(same[0][i - 1])), at)
    texts: list[str] = []
    for start in (word, at):
        longest = min(max(len(name) - start for name in same), width // 2)
        head = width - 1 - longest
        texts = [_end_cut(f"{name[:head]}{_ETC}{name[start:]}", width) for name in same]
        if len(set(texts)) == len(texts):
            break
    return texts


def _common(texts: Sequence[str]) -> int:
    """Count the letters with which all texts begin."""
    return sum(
        1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    )


def anchor(kernel_id: str) -> str:
    """Return a kernel's anchor in the page: `0/0/3` is `k-0-0-3`."""
    return "k-" + re.sub(r"[^0-9A-Za-z]+", "-", kernel_id)


def _shared(short: Mapping[str, str]) -> list[list[str]]:
    """Return the groups of full names that have the same short one."""
    by_short: dict[str, list[str]] = defaultdict(list)
    for name, text in short.items():
        by_short[text].append(name)
    return [names for names in by_short.values() if len(names) > 1]


def _by_arguments(same: Sequence[str]) -> list[str]:
    """Show the first template argument that differs, in more room."""
    apart = [parts(name) for name in same]
    differs = _first_different([one.arguments for one in apart])
    return [_cut(_shown(one, _WIDE, differs), _WIDE) for one in apart]


def _by_space(same: Sequence[str]) -> list[str]:
    """Show the first namespace that differs, where one does."""
    found = [(parts(name).space, _by_arguments([name])[0]) for name in same]
    if len({space for space, _ in found}) < 2:
        return [text for _, text in found]
    spaces = [space.split("::")[:-1] for space, _ in found]
    at = _first_different(spaces) or 0
    return [
        f"{space[at]}::{text}" if at < len(space) else text
        for space, (_, text) in zip(spaces, found, strict=True)
    ]


def _by_parameters(same: Sequence[str]) -> list[str]:
    """Show the first parameter that differs: `load(…, double *, …)`."""
    listed = [parts(name).parameters for name in same]
    at = _first_different(listed)
    texts = _by_space(same)
    return texts if at is None else [t + _one_of(p, at) for t, p in zip(texts, listed, strict=True)]


def _by_number(same: Sequence[str]) -> list[str]:
    return [f"{text} #{i}" for i, text in enumerate(_by_parameters(same), 1)]


def _one_of(parameters: Sequence[str], at: int) -> str:
    """Print one parameter, with signs for what stands before and behind it."""
    at = min(at, len(parameters) - 1)  # the last one, of a list that ends there
    if at < 0:
        return "()"
    before, after = [_ETC] if at else [], [_ETC] if len(parameters) > at + 1 else []
    return f"({', '.join([*before, _argument(parameters[at], _LEAST * 2), *after])})"


def _first_different(lists: Sequence[Sequence[str]]) -> int | None:
    """Return the first place at which lists differ, the end of the shortest one included."""
    shortest = min(map(len, lists))
    places = (i for i in range(shortest) if len({one[i] for one in lists}) > 1)
    return next(places, shortest if len({len(one) for one in lists}) > 1 else None)


def _shown(one: Parts, budget: int, must: int | None = None) -> str:
    """Print base and template arguments, as many as there is room for; one must be there."""
    if not one.arguments:
        return one.base
    room = budget - len(one.base) - 2
    return f"{one.base}<{', '.join(_arguments(one.arguments, room, must))}>"


def _arguments(arguments: Sequence[str], room: int, must: int | None) -> list[str]:
    """Print arguments from the first; what has no room becomes a sign."""
    if must is not None and must < len(arguments):
        wanted = _argument(arguments[must], max(room // 2, _LEAST))
        before = _arguments(arguments[:must], room - len(wanted) - 5, None)
        after = [_ETC] if must + 1 < len(arguments) else []
        return [*before, wanted, *after]
    shown: list[str] = []
    for i, one in enumerate(arguments):
        left = room - len(", ".join([*shown, ""])) - (3 if i + 1 < len(arguments) else 0)
        text = _argument(one, max(left, _LEAST))
        if len(text) <= left:
            shown.append(text)
            continue
        if not shown and left >= _LEAST:  # nothing else would tell what the kernel does
            shown.append(_end_cut(text, left))
        return shown if shown and shown[-1].endswith(_ETC) else [*shown, _ETC]
    return shown


def _argument(text: str, budget: int) -> str:
    return _shown(argument(text), budget)


def _cut(text: str, budget: int) -> str:
    """Leave the middle out of what is too long by far."""
    if len(text) <= budget + _SPARE:
        return text
    tail = budget // 3
    return f"{text[: budget - tail]}{_ETC}{text[-tail:]}"


def _end_cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1].rstrip(' ,<(…')}{_ETC}"

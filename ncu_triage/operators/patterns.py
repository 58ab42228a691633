"""Find launches by their name or their NVTX ranges.

`*` and `?` stand for anything in a whole name, `regex:` (as in ncu's own options) begins a
regular expression, everything else is looked for as it is. Regular expressions are RE2's,
whose time grows with the length of the name only: no pattern can run away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate

from ncu_triage.compare.names import called, spelled
from ncu_triage.errors import UsageError
from ncu_triage.model import Kernel
from ncu_triage.signals import held

REGEX = "regex:"
_DEEPEST = 20  # ranges within each other that are looked at, from the innermost
_LONGEST = 4000  # longer names are cut when they are brought to one spelling
Test = Callable[[str], bool]


class Pattern:
    """One or several patterns as the user wrote them; one that fits is enough."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(texts)
        self._tests = [_test(text) for text in self.texts]
        self._known: dict[str, bool] = {}

    def __str__(self) -> str:
        return ", ".join(self.texts)

    def fits_name(self, kernel: Kernel) -> bool:
        """Say whether a kernel is called so: its plain name, its full one, or that shortened."""
        full = kernel.demangled or kernel.name
        key = f"{kernel.name}\n{full}"
        if key not in self._known:
            self._known[key] = self._fit(_spellings(kernel.name, full))
        return self._known[key]

    def fits_range(self, kernel: Kernel) -> bool:
        """Say whether a kernel ran in such an NVTX range, or in ranges within each other: A/B."""
        path = "/".join(kernel.nvtx)
        if path not in self._known:
            self._known[path] = self._fit(_paths(kernel.nvtx))
        return self._known[path]

    def _fit(self, names: Iterable[str]) -> bool:
        return any(test(name) for name in names for test in self._tests)


def _spellings(name: str, full: str) -> list[str]:
    """Return a name as it is, and as the outputs shorten it, unless it is too long for that."""
    short = [spelled(full), called(full)] if len(full) <= _LONGEST else []
    return [name, full, full.removeprefix("void "), *short]


def _paths(ranges: Sequence[str]) -> Iterator[str]:
    """Yield each range, and each path from one range down to another."""
    inner = ranges[-_DEEPEST:]
    for start in range(len(inner)):
        for end in range(start, len(inner)):
            yield "/".join(inner[start : end + 1])


def _test(text: str) -> Test:
    if not text.strip() or text == REGEX:
        raise UsageError("the pattern is empty, so it would fit everything")
    if text.startswith(REGEX):
        return _regular(text.removeprefix(REGEX))
    # Where the outputs shorten a long name, they leave this sign.
    wanted = text.replace("…", "*")
    if "*" in wanted or "?" in wanted:
        # A bracket in a kernel's name is a lambda or an array, and no set of letters.
        whole, tight = (_glob(one) for one in (wanted, _blankless(wanted)))
        return lambda name: bool(whole(name) or tight(_blankless(name)))
    return lambda name: wanted in name or _blankless(wanted) in _blankless(name)


def _glob(wanted: str) -> Callable[[str], re.Match[str] | None]:
    return re.compile(translate(wanted.replace("[", "[[]"))).match


def _blankless(text: str) -> str:
    """Take blanks out, which demanglers set differently."""
    return "".join(text.split())


def _regular(pattern: str) -> Test:
    """Compile a regular expression with the engine of the rules, which is RE2."""
    from cel_expr_python import cel

    text = cel.Type.STRING
    with held():
        environment = cel.NewEnv(variables={"name": text, "pattern": text})
    matches = environment.compile("name.matches(pattern)")

    def test(name: str) -> bool:
        result = matches.eval(environment.Activation({"name": name, "pattern": pattern}))
        if result.type() != cel.Type.BOOL:
            reason = str(result.plain_value()).rpartition("expression: ")[2]
            raise UsageError(f"{pattern!r} is no regular expression: {' '.join(reason.split())}")
        return bool(result.plain_value())

    test("")  # a wrong one is refused when it is read
    return test

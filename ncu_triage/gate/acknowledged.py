"""Findings and changes that somebody has looked at and lives with, until a date.

A TOML file; each entry says for what, why, and until when:

    [[acknowledged]]
    rule = "bank-conflicts"        # or condition = "regression"
    kernel = "transpose*"          # a pattern of its name; left out: every kernel
    reason = "padding breaks the 128-bit loads, see PERF-311"
    expires = 2027-03-31
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatchcase

import msgspec
from msgspec import Struct

from ncu_triage.compare.names import base, called, spelled
from ncu_triage.errors import UsageError
from ncu_triage.gate.conditions import NAMES, condition, near, no_rule
from ncu_triage.gate.rows import WHOLE, Row


class Acknowledged(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of the file; it names a rule or a condition, never both."""

    reason: str
    expires: datetime.date
    rule: str | None = None
    condition: str | None = None
    kernel: str = "*"

    def covers(self, *, condition: str, rule: str | None, kernel: str) -> bool:
        """Say whether the entry speaks of this failure, whatever the date."""
        same = self.rule == rule if self.rule else self.condition == condition
        return same and _matches(kernel, self.kernel)

    def __str__(self) -> str:
        """Name the entry by what it speaks of."""
        return f"{self.rule or self.condition} on {self.kernel}"


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    acknowledged: list[Acknowledged]


def read_acknowledged(
    text: str,
    rules: Callable[[], Collection[str]] | None = None,
    left_out: Callable[[], Collection[str]] = tuple,
) -> list[Acknowledged]:
    """Read the entries of a file; `rules` returns the ids that judge, `left_out` those that
    the configuration leaves out.

    Raises UsageError where an entry is wrong.
    """
    try:
        entries = msgspec.convert(tomllib.loads(text), _File).acknowledged
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise UsageError(" ".join(str(error).split())) from error
    for number, entry in enumerate(entries, 1):
        _check(entry, f"entry {number}")
        if rules and entry.rule and entry.rule not in (known := rules()):
            why = no_rule(entry.rule, known, left_out())
            raise UsageError(f"entry {number}: {entry.rule}: {why}")
    return entries


def _check(entry: Acknowledged, place: str) -> None:
    if bool(entry.rule) == bool(entry.condition):
        raise UsageError(f"{place}: name either a rule or a condition")
    if entry.condition and entry.condition not in NAMES:
        hint = near(entry.condition, NAMES)
        raise UsageError(f"{place}: there is no condition {entry.condition!r}{hint}")
    if not entry.reason.strip():
        raise UsageError(f"{place}: give a reason, for whoever reads this later")


def in_force(
    entries: Sequence[Acknowledged], today: datetime.date
) -> tuple[list[Acknowledged], list[Acknowledged]]:
    """Tell the entries that hold today from those that have expired."""
    return (
        [entry for entry in entries if entry.expires >= today],
        [entry for entry in entries if entry.expires < today],
    )


def unmatched(entries: Sequence[Acknowledged], rows: Sequence[Row]) -> list[Acknowledged]:
    """Return the entries that speak of nothing that fails in these rows."""
    told = [
        (condition(row.condition).name, row.rule, row.about.name)
        for row in rows
        if row.outcome in ("failed", "acknowledged")
    ]
    return [
        entry
        for entry in entries
        if not any(entry.covers(condition=c, rule=r, kernel=k) for c, r, k in told)
    ]


def _matches(kernel: str, pattern: str) -> bool:
    """Hold a pattern against each way to write a name, as the outputs print it or in full."""
    # What the outputs leave out of a long name is printed as one sign.
    wanted = pattern.replace("…", "*")
    if kernel == WHOLE:
        return fnmatchcase(kernel, wanted)
    names = (kernel, kernel.removeprefix("void "), spelled(kernel), called(kernel), base(kernel))
    tight = _tight(wanted)
    return kernel == pattern or any(
        fnmatchcase(name, wanted) or fnmatchcase(_blankless(name), tight) for name in names
    )


def _tight(pattern: str) -> str:
    """Bring a pattern to the one spelling of names; a namespace in it keeps its say."""
    return _blankless(pattern) if "::" in pattern else spelled(pattern)


def _blankless(text: str) -> str:
    return "".join(text.split())

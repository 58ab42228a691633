"""Findings and changes that somebody has looked at and lives with, until a date.

A TOML file; each entry says for what, why, and until when:

    [[acknowledged]]
    rule = "bank-conflicts"        # or condition = "regression"
    kernel = "transpose*"          # a pattern of shells; left out: every kernel
    reason = "padding breaks the 128-bit loads, see PERF-311"
    expires = 2027-03-31
"""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Sequence
from fnmatch import fnmatchcase

import msgspec
from msgspec import Struct

from ncu_triage.errors import UsageError
from ncu_triage.gate.conditions import NAMES


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
        return same and fnmatchcase(kernel, self.kernel)


class _File(Struct, frozen=True, forbid_unknown_fields=True):
    acknowledged: list[Acknowledged]


def read_acknowledged(text: str) -> list[Acknowledged]:
    """Read the entries of a file. Raises UsageError where one is wrong."""
    try:
        entries = msgspec.convert(tomllib.loads(text), _File).acknowledged
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(" ".join(str(error).split())) from error
    for number, entry in enumerate(entries, 1):
        _check(entry, f"entry {number}")
    return entries


def _check(entry: Acknowledged, place: str) -> None:
    if bool(entry.rule) == bool(entry.condition):
        raise UsageError(f"{place}: name either a rule or a condition")
    if entry.condition and entry.condition not in NAMES:
        raise UsageError(f"{place}: there is no condition {entry.condition!r}")
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

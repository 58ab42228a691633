"""The rows that a gate gives: one for each condition and each thing it was held against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from msgspec import Struct, field

from ncu_triage.model import Extent

Level: TypeAlias = Literal["off", "warn", "error"]
Outcome: TypeAlias = Literal["passed", "failed", "acknowledged", "nothing"]
Verdict: TypeAlias = Literal["passed", "failed", "nothing"]

WHOLE = "whole report"
LEVELS: tuple[Level, ...] = ("off", "warn", "error")


class About(Struct, frozen=True, kw_only=True):
    """What a row is about: a kernel with its shape, or the whole; and of which file."""

    name: str
    source: str | None = None
    grid: Extent | None = None
    block: Extent | None = None


class Row(Struct, frozen=True, kw_only=True):
    """Whether one condition holds for one kernel, with what was expected and found.

    `outcome` tells what passed from what could not be judged (`nothing`) and from what
    fails but is acknowledged, for the `reason` given. `rule` is the rule that failed, and
    `severity` its severity.
    """

    condition: str
    level: Level
    about: About
    outcome: Outcome
    expected: str
    found: str
    evidence: list[str] = field(default_factory=list)
    rule: str | None = None
    reason: str | None = None

    @property
    def passed(self) -> bool:
        """Whether nothing stands against this row."""
        return self.outcome in ("passed", "acknowledged")


def failures(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that fail the gate."""
    return [row for row in rows if row.outcome == "failed" and row.level == "error"]


def verdict(rows: Sequence[Row]) -> Verdict:
    """Say how a gate ends: a failed condition decides, then one that judged nothing.

    A condition judged nothing where none of its rows could be judged, or where it has
    none: such a gate never passes, whatever the other conditions say.
    """
    if failures(rows):
        return "failed"
    return "nothing" if not rows or unjudged(rows) else "passed"


def unjudged(rows: Sequence[Row]) -> list[str]:
    """Name the conditions, warnings aside, that found nothing to judge at all."""
    judged = {row.condition for row in rows if row.outcome != "nothing"}
    # A warning decides nothing, neither by failing nor by staying open.
    deciding = dict.fromkeys(row.condition for row in rows if row.level == "error")
    return [condition for condition in deciding if condition not in judged]

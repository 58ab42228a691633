"""NVIDIA's rule messages as rows of the "details" page."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ncu_triage.model import NvidiaRule
from ncu_triage.readers.csv.header import Header

Kind: TypeAlias = Literal["none", "ok", "warning", "error", "optimization"]

_KINDS: Mapping[str, Kind] = {
    "": "none",
    "INF": "ok",
    "WRN": "warning",
    "ERR": "error",
    "OPT": "optimization",
}
# A link is printed as its label with the address behind; a report keeps the label alone.
_ADDRESS = re.compile(r" \(https?://[^()\s]*\)")
# These numbers are in English style whatever the locale.
_SPEEDUP = re.compile(r"\d{1,6}(?:\.\d+)?(?:[eE][-+]?\d{1,2})?")


class RuleColumns(NamedTuple):
    """Where a header has the parts of a rule; the estimate came in 2023.2."""

    section: int
    rule: int
    kind: int
    text: int
    scope: int | None
    speedup: int | None

    @classmethod
    def of(cls, header: Header) -> RuleColumns | None:
        """Find the columns; None where a header has none."""
        wanted = ("Section Name", "Rule Name", "Rule Type", "Rule Description")
        section, rule, kind, text = (header.place(name) for name in wanted)
        if section is None or rule is None or kind is None or text is None:
            return None
        estimate = (header.place(f"Estimated Speedup{end}") for end in (" Type", ""))
        return cls(section, rule, kind, text, *estimate)


def read_rule(cells: Sequence[str], at: RuleColumns) -> NvidiaRule | None:
    """Read a rule row; None for a row without a rule.

    The exported table has no titles: the rule's name stands in for one.
    """
    if max(at.section, at.rule, at.kind, at.text) >= len(cells) or not cells[at.rule]:
        return None
    scope = _cell(cells, at.scope)
    speedup = _cell(cells, at.speedup)
    known = _SPEEDUP.fullmatch(speedup) is not None
    return NvidiaRule(
        rule=cells[at.rule],
        section=cells[at.section],
        kind=_KINDS.get(cells[at.kind].strip(), "none"),
        title=cells[at.rule],
        text=_ADDRESS.sub("", cells[at.text]),
        speedup_pct=float(speedup) if known else None,
        scope=_scope(scope) if known else None,
    )


def _cell(cells: Sequence[str], place: int | None) -> str:
    return cells[place].strip() if place is not None and place < len(cells) else ""


def _scope(text: str) -> Literal["unknown", "local", "global"]:
    return "local" if text == "local" else "global" if text == "global" else "unknown"

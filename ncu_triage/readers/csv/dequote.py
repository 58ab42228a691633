"""Put rows together again that have lost their quotes, from both ends.

`foo(int, float *)`, `(256, 1, 1)` and `2,816` fall apart at their commas then. What
stands before and after them has a form of its own, so it can be undone; where the count
does not come out the row is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ncu_triage.readers.csv.header import Header
from ncu_triage.readers.csv.identity import kind_of

_SHAPE = r"(?:\(\s*\d+,\s*\d+,\s*\d+\s*\)|\d*)"
_PLAIN = r"[^,]*"
_WHOLE = r"\d*(?:\.0)?"
_FORMS = {
    "id": r"\d+(?:\.0)?",
    "process": _WHOLE,
    "kernel": r".*?",
    "context": _WHOLE,
    "stream": _WHOLE,
    "block": _SHAPE,
    "grid": _SHAPE,
    "device": _WHOLE,
    "capability": r"[\d.]*",
}
_METRIC = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
_RULE = ("Rule Name", "Rule Type", "Rule Description")
_METRIC_ROW = re.compile(r"([^,]*),([^,]+),([^,\d][^,]*|),(.*?),*\s*")
_RULE_ROW = re.compile(
    r"([^,]*),,,,([^,]+),([A-Z]{3}|),(.*?)(?:,(global|local|),([\d.eE+-]*))?,*\s*"
)
_LONGEST = 1 << 16


class Dequoter:
    """Undo lost quotes under one header; `undone` tells whether the last row needed it."""

    def __init__(self, header: Header, first: int) -> None:
        identity = [_form(name) for name in header.names[:first]]
        self._identity = re.compile(",".join(identity) + ",(?P<rest>.*)", re.DOTALL)
        self._width = len(header.names)
        self._first = first
        self._details = "Metric Name" in header.names
        self.undone = False

    @classmethod
    def of(cls, header: Header) -> Dequoter | None:
        """Return a dequoter for a header that has no quotes itself, in the usual order."""
        names = header.names
        first = next((i for i, name in enumerate(names) if kind_of(name) is None), len(names))
        usual = names[first : first + len(_METRIC)] == _METRIC or "Metric Name" not in names
        if header.quoted or header.delimiter != "," or not usual or names[0] != "ID":
            return None
        return cls(header, first)

    def cells(self, record: str) -> Sequence[str] | None:
        """Return the row's cells; None where they cannot be had in this way."""
        match = self._identity.fullmatch(record) if len(record) <= _LONGEST else None
        if match is None:
            return None
        rest = match["rest"]
        tail = self._metric_or_rule(rest) if self._details else rest.split(",")
        if tail is None or len(tail) > self._width - self._first:
            return None
        self.undone = record.count(",") != self._width - 1
        return [*match.groups()[: self._first], *tail]

    def _metric_or_rule(self, rest: str) -> list[str] | None:
        rule = _RULE_ROW.fullmatch(rest)
        if rule is not None:
            section, *others = (part or "" for part in rule.groups())
            return [section, "", "", "", *others][: self._width - self._first]
        metric = _METRIC_ROW.fullmatch(rest)
        return [part.strip() for part in metric.groups()] if metric else None


def _form(name: str) -> str:
    return f"({_FORMS.get(kind_of(name) or '', _PLAIN)})"

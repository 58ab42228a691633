"""The small language of conditions: `[LEVEL:]NAME[=VALUE]`, such as `regression=5%,3sigma`.

No character of it means anything to a shell.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from ncu_triage.errors import UsageError
from ncu_triage.gate.rows import LEVELS, Level
from ncu_triage.model import SEVERITIES, Severity

Name: TypeAlias = Literal[
    "regression",
    "total-regression",
    "severity",
    "new-finding",
    "rule",
    "bottleneck-change",
    "nothing-measured",
]
NAMES: tuple[Name, ...] = get_args(Name)
# What only two results together can answer.
NEED_TWO: frozenset[Name] = frozenset(
    ("regression", "total-regression", "new-finding", "bottleneck-change")
)
DEFAULT_PERCENT, DEFAULT_SIGMAS = 5.0, 3.0
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)%")
_SIGMAS = re.compile(r"(\d+(?:\.\d+)?)sigmas?")
_RULE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Condition(Struct, frozen=True, kw_only=True):
    """One condition: its level, its name, and the limits that its value set."""

    text: str
    level: Level
    name: Name
    percent: float = DEFAULT_PERCENT
    sigmas: float = DEFAULT_SIGMAS
    severity: Severity = "high"
    rule: str | None = None


def conditions(
    texts: Sequence[str],
    *,
    two: bool,
    rules: Callable[[], Collection[str]] | None = None,
    left_out: Callable[[], Collection[str]] = tuple,
) -> list[Condition]:
    """Read conditions; with `two` results, or one that has nothing to be held against.

    `rules` returns the ids that judge, so that a misspelt one cannot pass for ever, and
    `left_out` those that the configuration leaves out.
    Raises UsageError for what is wrong, with what would be right. Those that are off are
    left out.
    """
    found = [condition(text) for text in texts]
    for one in found:
        if one.name in NEED_TWO and not two:
            raise UsageError(
                f"--fail-on {one.text}: needs something to compare with: "
                "ncu-triage compare BEFORE AFTER, or scan --history"
            )
        if one.rule and rules and one.rule not in (known := rules()):
            why = no_rule(one.rule, known, left_out())
            raise UsageError(f"--fail-on {one.text}: {why}")
    return [one for one in found if one.level != "off"]


def condition(text: str) -> Condition:
    """Read one condition. Raises UsageError where it is none."""
    head, colon, tail = text.strip().partition(":")
    level, rest = (head, tail) if colon else ("error", head)
    if level not in LEVELS:
        raise UsageError(f"--fail-on {text}: its level is {level!r}; choose from {_list(LEVELS)}")
    name, equals, value = rest.strip().partition("=")
    if name not in NAMES:
        raise UsageError(f"--fail-on {text}: there is no condition {name!r}{_hint(name)}")
    limits = _VALUES[name](value.strip() if equals else None, text)
    return Condition(text=text.strip(), level=level, name=name, **limits)  # type: ignore[arg-type]


def _slowdown(value: str | None, text: str) -> dict[str, object]:
    """Read `5%`, `3sigma` or both, in this order."""
    limits: dict[str, object] = {}
    for part in [] if value is None else value.split(","):
        for field, pattern in (("percent", _PERCENT), ("sigmas", _SIGMAS)):
            if (found := pattern.fullmatch(part.strip())) and field not in limits:
                limits[field] = float(found[1])
                break
        else:
            raise UsageError(f"--fail-on {text}: {part!r} is no limit; write 5% or 5%,3sigma")
    return limits


def _severity(value: str | None, text: str) -> dict[str, object]:
    if value not in SEVERITIES:
        raise UsageError(f"--fail-on {text}: choose a severity from {_list(SEVERITIES)}")
    return {"severity": value}


def _rule(value: str | None, text: str) -> dict[str, object]:
    """Read `ID`, or `ID,SEVERITY` for another least severity than low."""
    id, comma, severity = (value or "").partition(",")
    if not _RULE.fullmatch(id):
        raise UsageError(f"--fail-on {text}: name a rule, as in rule=bank-conflicts")
    return {"rule": id} | _severity(severity if comma else "low", text)


def _nothing(value: str | None, text: str) -> dict[str, object]:
    if value is not None:
        raise UsageError(f"--fail-on {text}: takes no value")
    return {}


_VALUES: dict[str, Callable[[str | None, str], dict[str, object]]] = {
    "regression": _slowdown,
    "total-regression": _slowdown,
    "severity": _severity,
    "new-finding": _severity,
    "rule": _rule,
    "bottleneck-change": _nothing,
    "nothing-measured": _nothing,
}


def _hint(name: str) -> str:
    if ">" in name:
        return ": write = for it, because a shell takes > for itself"
    return near(name, NAMES) or f"; choose from {_list(NAMES)}"


def near(name: str, known: Collection[str]) -> str:
    """Name the nearest of what there is, as the end of a complaint."""
    found = difflib.get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def no_rule(rule: str, known: Collection[str], left_out: Collection[str]) -> str:
    """Say why a rule cannot be asked: it is left out, or there is none of that name."""
    if rule in left_out:
        return "this rule is disabled in the configuration"
    return f"there is no such rule{near(rule, known)}"


def _list(words: Sequence[str]) -> str:
    return ", ".join(words)

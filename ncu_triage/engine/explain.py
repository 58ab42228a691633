"""Why a rule fired on a kernel, stayed silent, or is undecided."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from ncu_triage.engine.compile import CompiledRule
from ncu_triage.engine.conditions import decide
from ncu_triage.engine.evaluate import Facts
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.errors import RuleError
from ncu_triage.units import show

# A quantity against a limit, with no arithmetic on either side.
_COMPARED = re.compile(
    r"(?<![\w*/+.-] )(?<![\w.])([a-z]\w*) *(?:[<>]=?|[=!]=) *([a-z]\w*)(?!\w| *[-*/+(])"
)
Outcome = Literal["fires", "silent", "excepted", "undecided", "does not apply", "failed"]


class Explanation(NamedTuple):
    """The outcome of one rule with its condition's values filled in."""

    rule: str
    outcome: Outcome
    condition: str
    missing: list[str]
    note: str


def explain(rules: RuleSet, scope: str, facts: Facts) -> list[Explanation]:
    """Explain every rule of a scope in the order of their ids."""
    return [
        _explain(rules, item, facts)
        for item in rules.rules
        if item.rule.scope == scope and item.rule.status != "deprecated"
    ]


def _explain(rules: RuleSet, item: CompiledRule, facts: Facts) -> Explanation:
    values = rules.language.values(facts.values)
    missing = [name for name in item.rule.needs if name not in facts.values]
    condition = _filled(item, item.rule.when, rules, facts)
    try:
        fires = decide(item.when, values)
        exceptions = [decide(expression, values) for expression in item.unless]
    except RuleError as error:
        return Explanation(item.rule.id, "failed", condition, missing, str(error))
    if fires is None and not facts.inapplicable.isdisjoint(item.rule.needs):
        return Explanation(item.rule.id, "does not apply", condition, missing, "")
    if fires is None:
        note = f"collect {item.rule.collect}"
        return Explanation(item.rule.id, "undecided", condition, missing, note)
    if fires and True in exceptions:
        met = item.rule.unless[exceptions.index(True)]
        note = f"exception: {_filled(item, met, rules, facts)}"
        return Explanation(item.rule.id, "excepted", condition, [], note)
    return Explanation(item.rule.id, "fires" if fires else "silent", condition, [], "")


def _limit_units(expression: str, item: CompiledRule, rules: RuleSet) -> dict[str, str]:
    """Return the units of limits: of the quantity that each is compared with, alone."""
    found: dict[str, str] = {}
    for one, limit in _COMPARED.findall(expression):
        if limit in item.rule.thresholds and one in rules.language.names:
            found[limit] = rules.unit(one)
    return found


def _filled(item: CompiledRule, expression: str, rules: RuleSet, facts: Facts) -> str:
    """Write each name's value behind it: `dram_throughput_pct [88.7 %] >= wall [80.0]`."""

    units = _limit_units(expression, item, rules)

    def value(match: re.Match[str]) -> str:
        name = match.group()
        if name in item.rule.thresholds:
            unit = units.get(name, "")
            limit = item.rule.thresholds[name]
            return f"{name} [{show(limit, unit) if unit else f'{limit:g}'}]"
        if name not in rules.language.names:
            return name
        found = facts.values.get(name)
        if found is None:
            return f"{name} [missing]"
        text = found if isinstance(found, str) else show(found, rules.unit(name))
        return f"{name} [{text}]"

    pieces = re.split(r'("[^"]*")', " ".join(expression.split()))
    words = re.compile(r"\b[a-z][a-z0-9_]*\b(?!\s*\()")
    return "".join(p if i % 2 else words.sub(value, p) for i, p in enumerate(pieces))

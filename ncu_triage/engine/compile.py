"""Hold a rule's names and expressions against the language, and compile them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from cel_expr_python import cel

from ncu_triage.engine.conditions import Conditions, names_in
from ncu_triage.engine.gain import UNITS
from ncu_triage.engine.kept import Shown
from ncu_triage.engine.rule import Rule
from ncu_triage.engine.text import faulty_places, places
from ncu_triage.engine.whole.survey import THEMES
from ncu_triage.errors import RuleError

_EVIDENCE = re.compile(r"^(\w+)(?:\s*(>=|<=|>|<|==)\s*(\w+|\d+\.\d+))?$")


class CompiledRule(NamedTuple):
    """A rule with its expressions compiled and its evidence taken apart."""

    rule: Rule
    when: cel.Expression
    unless: tuple[cel.Expression, ...]
    doubtful: cel.Expression | None
    evidence: tuple[Shown, ...]
    remaining: dict[str, cel.Expression]
    lost: cel.Expression | None

    def judges(self, scope: str) -> bool:
        """Say whether the rule is held against a kernel, or against the report."""
        return self.rule.scope == scope and self.rule.status != "deprecated"


class UnknownNameError(RuleError):
    """A name in a rule that nothing is called by; says the nearest that is."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        import difflib

        near = difflib.get_close_matches(name, list(known), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"{what} {name!r}{hint}")
        self._word = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")

    def line_in(self, path: Path) -> int:
        """Return the first line of the file that has the name."""
        lines = path.read_text(encoding="utf-8").splitlines()
        return next((i for i, text in enumerate(lines, 1) if self._word.search(text)), 0)


def checked(rule: Rule, language: Conditions, files: Mapping[str, Path]) -> CompiledRule:
    """Check a rule and compile it; `files` are all rules by id.

    Raises RuleError with file and field for what is wrong.
    """
    try:
        for cause in rule.because_of:
            if cause not in files:
                raise UnknownNameError("because_of: no rule", cause, files)
        _check_names(rule, language)
        _check_parts(rule)
        return _compile(rule, language)
    except UnknownNameError as error:
        line = error.line_in(files[rule.id])
        raise RuleError(f"rule file {rule.id}.yaml, line {line}: {error}") from error
    except RuleError as error:
        raise RuleError(f"rule file {rule.id}.yaml: {error}") from error


def _check_names(rule: Rule, language: Conditions) -> None:
    """Hold every name against the language, and the condition against its needs."""
    for text in (rule.title, rule.cause, *rule.remedies, *rule.remedies_library):
        if faults := faulty_places(text):
            raise RuleError(f"text: {faults[0]!r} is no place for a number; write {{name}}")
    shown = set().union(
        *(places(t) for t in (rule.title, rule.cause, *rule.remedies, *rule.remedies_library))
    )
    for fieldname, used in {
        "needs": set(rule.needs),
        "text": shown,
        "evidence": {_shown(line, rule).quantity for line in rule.evidence},
    }.items():
        for name in sorted(used - language.names):
            raise UnknownNameError(f"{fieldname}: no quantity", name, language.names)
    # Texts are there without being asked for, as far as they are known at all.
    declared = {*rule.needs, *rule.thresholds, *language.texts}
    undeclared = names_in(rule.when) - declared
    if undeclared:
        raise RuleError(f"when: {', '.join(sorted(undeclared))} is not among needs or thresholds")


def _check_parts(rule: Rule) -> None:
    """Hold the theme whose launches a rule lists against those that there are."""
    if rule.parts is None:
        return
    if rule.scope != "report":
        raise RuleError("parts: only a rule with scope: report has any")
    if rule.parts not in THEMES:
        raise UnknownNameError("parts: no theme", rule.parts, THEMES)


def _compile(rule: Rule, language: Conditions) -> CompiledRule:
    gain = rule.gain
    units = (set(gain.remaining) | set(gain.waste_in)) - set(UNITS) if gain else set()
    if units:
        raise RuleError(f"gain: no unit {', '.join(sorted(units))}; there are {', '.join(UNITS)}")
    if gain and not gain.waste_in and gain.lost is None:
        raise RuleError("gain: give waste_in or lost")
    constants = rule.thresholds
    doubtful = language.condition(rule.doubtful, constants) if rule.doubtful else None
    return CompiledRule(
        rule=rule,
        when=language.condition(rule.when, constants),
        unless=tuple(language.condition(text, constants) for text in rule.unless),
        doubtful=doubtful,
        evidence=tuple(_shown(line, rule) for line in rule.evidence),
        remaining={
            unit: language.number(text, constants)
            for unit, text in (gain.remaining if gain else {}).items()
        },
        lost=language.number(gain.lost, constants) if gain and gain.lost else None,
    )


def _shown(line: str, rule: Rule) -> Shown:
    """Take a line of evidence apart: `name`, or `name >= threshold`."""
    match = _EVIDENCE.match(line)
    if match is None:
        raise RuleError(f"evidence: {line!r} is neither a quantity nor 'quantity >= threshold'")
    name, operator, limit = match.groups()
    if limit is None:
        return Shown(name, None, None)
    if limit in rule.thresholds:
        return Shown(name, operator, rule.thresholds[limit])
    try:
        return Shown(name, operator, float(limit))
    except ValueError:
        raise RuleError(f"evidence: no threshold {limit!r}") from None

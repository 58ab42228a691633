"""Load rules, check them against the names there are, and compile them once."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from ncu_triage.engine.adjust import Adjustments, Configuration, adjusted
from ncu_triage.engine.compile import CompiledRule, checked
from ncu_triage.engine.conditions import Conditions
from ncu_triage.engine.kept import Kept, KeptRule, keep, made_from, recall, slot
from ncu_triage.engine.rule import OwnMetric, Rule, read_rule, rule_files
from ncu_triage.errors import RuleError
from ncu_triage.model import CatalogueEntry

NO_CONFIGURATION = Configuration(None, Adjustments())
# Texts that rules may compare with, beside the numbers of the catalogue.
TEXTS = (
    "name",
    "demangled",
    "workload",
    "waiting_for",
    "bottleneck",
    "busiest_pipe",
    "memory_limiter",
    "sm_limiter",
    "occupancy_limiters",
)
_PLAIN = re.compile(r"^[a-z][a-z0-9_]*$")


class RuleSet(NamedTuple):
    """All rules, the language they are written in, and what their names mean.

    `metrics` are those that rules read by names of their own: name -> metric.
    """

    rules: tuple[CompiledRule, ...]
    language: Conditions
    entries: Mapping[str, CatalogueEntry]
    version: str
    metrics: Mapping[str, str]

    def ids(self, scope: str) -> list[str]:
        """Return the ids of the rules that judge each kernel, or the report."""
        return [item.rule.id for item in self.rules if item.judges(scope)]

    def unit(self, name: str) -> str:
        """Return the unit of a name; a text has none."""
        return self.entries[name].unit if name in self.entries else ""


def load_rules(
    folders: list[Path],
    entries: Mapping[str, CatalogueEntry],
    wanted: Configuration = NO_CONFIGURATION,
) -> RuleSet:
    """Load every rule of the folders; `entries` are the numbers that rules may name.

    Raises RuleError with file and field for the first rule that is wrong.
    """
    files = {path.stem: path for path in rule_files(folders)}
    source = made_from(list(files.values()), entries, wanted)
    name = slot(folders, wanted)
    kept = recall(name, source)
    loaded = _recalled(kept, entries) if kept else None
    if loaded is None:
        own, loaded = _loaded(files, entries, wanted)
        keep(name, _to_keep(loaded, own, source))
    return loaded


def _loaded(
    files: Mapping[str, Path], entries: Mapping[str, CatalogueEntry], wanted: Configuration
) -> tuple[dict[str, OwnMetric], RuleSet]:
    """Read, check and compile the files; return the rules' own metrics too."""
    read = [read_rule(path) for path in files.values()]
    own = _own_metrics(read, entries)
    known, language = _language(own, entries)
    rules = adjusted(read, wanted)
    compiled = tuple(checked(rule, language, files) for rule in rules)
    version = hashlib.sha256(msgspec.json.encode(rules)).hexdigest()[:12]
    return own, RuleSet(compiled, language, known, version, _metrics(own))


def _recalled(kept: Kept, entries: Mapping[str, CatalogueEntry]) -> RuleSet | None:
    """Put kept rules to use; None where the compiler does not take them back."""
    known, language = _language(kept.own, entries)
    try:
        rules = tuple(_from_kept(item, language) for item in kept.rules)
    except RuntimeError:
        return None
    return RuleSet(rules, language, known, kept.version, _metrics(kept.own))


def _language(
    own: Mapping[str, OwnMetric], entries: Mapping[str, CatalogueEntry]
) -> tuple[dict[str, CatalogueEntry], Conditions]:
    """Return all names with their meaning, and the language over them."""
    known = {**entries, **{name: _entry(metric) for name, metric in own.items()}}
    return known, Conditions([name for name in known if name not in TEXTS], TEXTS)


def _metrics(own: Mapping[str, OwnMetric]) -> dict[str, str]:
    return {name: metric.metric for name, metric in own.items()}


def _to_keep(loaded: RuleSet, own: dict[str, OwnMetric], source: str) -> Kept:
    rules = [
        KeptRule(
            rule=item.rule,
            when=item.when.serialize(),
            unless=[condition.serialize() for condition in item.unless],
            doubtful=item.doubtful.serialize() if item.doubtful else None,
            evidence=item.evidence,
            remaining={unit: share.serialize() for unit, share in item.remaining.items()},
            lost=item.lost.serialize() if item.lost else None,
        )
        for item in loaded.rules
    ]
    return Kept(made_from=source, version=loaded.version, own=own, rules=rules)


def _from_kept(item: KeptRule, language: Conditions) -> CompiledRule:
    return CompiledRule(
        rule=item.rule,
        when=language.compiled(item.when),
        unless=tuple(map(language.compiled, item.unless)),
        doubtful=language.compiled(item.doubtful) if item.doubtful is not None else None,
        evidence=item.evidence,
        remaining={unit: language.compiled(share) for unit, share in item.remaining.items()},
        lost=language.compiled(item.lost) if item.lost is not None else None,
    )


def _own_metrics(rules: list[Rule], entries: Mapping[str, CatalogueEntry]) -> dict[str, OwnMetric]:
    """Collect the metrics that rules read under names of their own."""
    found: dict[str, OwnMetric] = {}
    for rule in rules:
        for name, metric in rule.metrics.items():
            taken = name in entries or name in TEXTS or found.get(name, metric) != metric
            if taken or not _PLAIN.match(name):
                why = "is taken" if taken else "must be small letters, digits and underscores"
                raise RuleError(f"rule file {rule.id}.yaml: metrics: the name {name!r} {why}")
            found[name] = metric
    return found


def _entry(own: OwnMetric) -> CatalogueEntry:
    return CatalogueEntry(unit=own.unit, label=own.label, basis=own.basis, metric=own.metric)

"""A rule as its file states it: read from YAML and checked field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec
from msgspec import Struct, field

from ncu_triage.errors import RuleError
from ncu_triage.model import Confidence, Severity
from ncu_triage.resources import LARGEST, too_large


class GainModel(Struct, frozen=True, forbid_unknown_fields=True):
    """How much time a fix could save; two forms, and the one that promises more counts.

    `remaining` is the share (0-1) of each unit's work that is left once the cause is gone; a
    unit that is not named keeps all of its work. Wasted work: `waste_in` names the units in
    which the cause sits. Lost time: `lost` is the share (0-1) of the time
    that nothing is done in, `likely` the part of it that such fixes usually win back, and
    `idle_sms` says that it is lost on SMs without work: then
    only DRAM and L2, which all SMs share, bound the gain. Shares are expressions.
    """

    waste_in: list[str] = field(default_factory=list)
    remaining: dict[str, str] = field(default_factory=dict)
    lost: str | None = None
    likely: float = 1.0
    idle_sms: bool = False


class Case(Struct, frozen=True, forbid_unknown_fields=True):
    """An example that belongs to the rule: numbers, and what must come of them."""

    name: str
    given: dict[str, float | str]
    expect: Literal["fires", "silent", "undecided"]


class OwnMetric(Struct, frozen=True, forbid_unknown_fields=True):
    """A metric of the report that a rule reads under a name of its own.

    The value is taken as the report stores it: ns, Hz, byte, %, cycle, inst.
    """

    metric: str
    unit: str
    label: str
    basis: str | None = None


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One rule, whole: what it looks for, what it says, and how it is proven.

    `severity` is the highest it may have, `least` the lowest however little could be saved,
    `as_consequence` the highest under a cause, and
    `alone` what it is raised to where nothing else is asserted of the kernel: a rule that
    has it only restates the bottleneck, and stands behind its equals. What `concerns` the
    measurement is remedied by the user, whoever owns the kernel. A rule about the report
    names in `parts` the theme whose launches its finding lists.
    """

    id: str
    title: str
    status: Literal["experimental", "stable", "deprecated"]
    scope: Literal["kernel", "report"] = "kernel"
    concerns: Literal["kernel", "measurement"] = "kernel"
    parts: str | None = None
    severity: Severity
    least: Severity = "info"
    as_consequence: Severity = "low"
    alone: Severity | None = None
    confidence: Confidence = "high"
    doubtful: str | None = None
    metrics: dict[str, OwnMetric] = field(default_factory=dict)
    needs: list[str]
    thresholds: dict[str, float] = field(default_factory=dict)
    when: str
    unless: list[str] = field(default_factory=list)
    evidence: list[str]
    cause: str
    because_of: list[str] = field(default_factory=list)
    remedies: list[str]
    remedies_library: list[str] = field(default_factory=list)
    gain: GainModel | None = None
    source: str | None = None
    nvidia: list[str] = field(default_factory=list)
    false_alarms: str
    collect: str
    references: list[str] = field(default_factory=list)
    cases: list[Case]


_NO_VALUE = (ValueError, KeyError, AttributeError, RecursionError)


def read_rule(path: Path) -> Rule:
    """Read one rule file.

    Raises RuleError with the file's name and the faulty field.
    """
    import yaml  # Kept rules do without, and it takes a twentieth of a short run.

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), Loader=loader)
        rule = msgspec.convert(raw, Rule)
    # Numbers, dates and truth values that are none come as errors of other kinds.
    except (yaml.YAMLError, msgspec.ValidationError, OSError, *_NO_VALUE) as error:
        claimed = isinstance(error, KeyError | AttributeError)
        reason = "a value is not what its tag says" if claimed else " ".join(str(error).split())
        raise RuleError(f"rule file {path.name}: {reason}") from error
    if rule.id != path.stem:
        raise RuleError(
            f"rule file {path.name}: its id is {rule.id!r}; id and file name must agree"
        )
    return rule


def rule_files(folders: list[Path]) -> list[Path]:
    """Return all rule files of the folders, sorted by id; a later folder replaces an id."""
    found = {path.stem: path for folder in folders for path in sorted(folder.glob("*.yaml"))}
    for path in found.values():
        if too_large(path):
            raise RuleError(f"rule file {path.name}: has more than {LARGEST} bytes; no rule has")
    return [found[stem] for stem in sorted(found)]

"""What is kept of a measurement so that any later rules can judge it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ncu_triage.engine.judge import judge
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.model import (
    Absence,
    CatalogueEntry,
    Kernel,
    KernelDiagnosis,
    MeasurementWarning,
    Provenance,
    Roofline,
    Stalls,
    Value,
)

# Of what is absent, rules ask only for what cannot exist.
_KEPT: Literal["not-applicable"] = "not-applicable"
_NO_ROOFLINE = Roofline(placed=False, why_not="not kept in the history")


class Facts(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A launch's numbers, as the rules see them; `rough` ones are only estimates."""

    quantities: dict[str, Value]
    absent: dict[str, Absence] = {}
    stalls: Stalls | None = None
    measurement: list[MeasurementWarning] = []
    rough: list[str] = []


class Verdict(Struct, frozen=True, kw_only=True):
    """What a set of rules says of a launch."""

    bottleneck: str
    confidence: str
    findings: list[dict[str, Any]]


def facts_of(kernel: Kernel, catalogue: Mapping[str, CatalogueEntry]) -> dict[str, Any]:
    """Return what is kept of a launch, ready to be stored as JSON."""
    origins = {**catalogue, **kernel.provenance}
    kept = Facts(
        quantities={k: v for k, v in kernel.quantities.items() if not isinstance(v, dict)},
        absent={name: why for name, why in kernel.absent.items() if why == _KEPT},
        stalls=kernel.stalls,
        measurement=kernel.measurement,
        rough=[name for name in kernel.quantities if name in origins and origins[name].rough],
    )
    found: dict[str, Any] = msgspec.to_builtins(kept)
    return found


def judged_again(stored: Any, names: tuple[str, str, str], rules: RuleSet) -> Verdict:
    """Judge what was kept; `names` are the kernel's short and full name, and its workload."""
    facts = msgspec.convert(stored, Facts)
    name, demangled, workload = names
    kernel = Kernel(
        id="",
        name=name,
        demangled=demangled,
        workload=msgspec.convert(workload, Literal["kernel", "range", "graph", "cmdlist"]),
        grid=None,
        block=None,
        device=None,
        stream=None,
        nvtx=[],
        quantities=facts.quantities,
        provenance={name: Provenance(estimated=True, rough=True) for name in facts.rough},
        absent=facts.absent,
        stalls=facts.stalls,
        roofline=_NO_ROOFLINE,
        measurement=facts.measurement,
        nvidia_rules=[],
    )
    return verdict_of(judge(kernel, rules, 0))


def verdict_of(kernel: KernelDiagnosis) -> Verdict:
    """Sum up a judgement: the findings by rule, with what they could save of the time."""
    return Verdict(
        bottleneck=kernel.bottleneck.kind,
        confidence=kernel.bottleneck.confidence,
        findings=[
            {
                "rule": finding.rule,
                "severity": finding.severity,
                "expected_pct": finding.gain.expected_pct if finding.gain else None,
            }
            for finding in kernel.findings
        ],
    )

"""What was judged of one kernel: its bottleneck, and the rules that fired."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from ncu_triage.model.kernel import Kernel
from ncu_triage.model.words import BottleneckKind, Confidence, Severity


class Bottleneck(Struct, frozen=True, kw_only=True):
    """What limits a kernel: exactly one kind, with a sentence that gives the numbers."""

    kind: BottleneckKind
    confidence: Confidence
    cause: str
    sentence: str


class Evidence(Struct, frozen=True, kw_only=True):
    """A number that a finding rests on, with the limit it was held against."""

    quantity: str
    value: float | str
    unit: str
    basis: str | None = None
    operator: str | None = None
    threshold: float | None = None


class Gain(Struct, frozen=True, kw_only=True):
    """How much of the kernel's time a fix could save, and what limits that."""

    expected_pct: float
    at_most_pct: float
    limited_by: str


class WhatIf(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the roofline allows the same work after one step.

    `saved_pct` is of the kernel's time, `limited_by` what holds it then. `intensity`
    (FLOP/byte) and `performance` (FLOP/s) of the `precision` are those after the step;
    `rule` is the finding that takes the kernel there, where there is one.
    """

    step: Literal["intensity-doubled", "bytes-halved", "next-limiter"]
    saved_pct: float
    limited_by: str
    precision: str | None = None
    intensity: float | None = None
    performance: float | None = None
    rule: str | None = None


class Where(Struct, frozen=True, kw_only=True):
    """A place in the code that carries a share of a finding."""

    file: str | None = None
    line: int | None = None
    sass: str | None = None
    share: float


class Part(Struct, frozen=True, kw_only=True):
    """One case of a finding about the whole report: its launches and its own numbers.

    `time` is the seconds in these launches, `share_pct` their part of the time of all.
    `sequence` says that the launches follow each other; `against` is the launch that they
    are held against.
    """

    kernels: list[str]
    time: float | None = None
    share_pct: float | None = None
    evidence: list[Evidence] = field(default_factory=list)
    sequence: bool = False
    against: str | None = None


class Finding(Struct, frozen=True, kw_only=True):
    """A rule that fired: what is wrong, by which numbers, and what to do.

    `parts` are the launches that a finding about the whole report speaks of.
    """

    rule: str
    severity: Severity
    confidence: Confidence
    title: str
    cause: str
    because_of: str | None
    evidence: list[Evidence]
    remedies: list[str]
    gain: Gain | None = None
    where: list[Where] = field(default_factory=list)
    nvidia: list[str] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)


class Undecided(Struct, frozen=True, kw_only=True):
    """A rule that could not be decided, and what to collect for it."""

    rule: str
    missing: list[str]
    collect: str


class RuleFailure(Struct, frozen=True, kw_only=True):
    """A rule whose evaluation failed; the run went on without it."""

    rule: str
    message: str


class KernelDiagnosis(Kernel, frozen=True, kw_only=True):
    """A kernel with its judgement."""

    group: int
    bottleneck: Bottleneck
    findings: list[Finding]
    undecided: list[Undecided]
    rule_errors: list[RuleFailure] = field(default_factory=list)
    what_if: list[WhatIf] = field(default_factory=list)

"""What a scan says of each report, and of all of them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct, field

from ncu_triage.gate.rows import Row as GateRow
from ncu_triage.gate.rows import Verdict
from ncu_triage.history.series import Happening
from ncu_triage.model import Severity, Tool

Loss: TypeAlias = Literal["unreadable", "crashed", "out-of-time", "out-of-memory", "bug"]
SCHEMA_VERSION = 1


class Worst(Struct, frozen=True, kw_only=True):
    """The finding of a report that is worth fixing first, by the seconds it could save."""

    rule: str
    title: str
    severity: Severity | None
    seconds: float
    share_pct: float


class Row(Struct, frozen=True, kw_only=True):
    """One content, under all the names it was found by.

    `page` and `data` are paths below the scan's folder. What could not be judged has a
    `loss` and its `reason` instead of them, or beside those that an earlier scan made of
    the same content. Times are in seconds, shares in percent.
    """

    names: list[str]
    sha256: str | None = None
    loss: Loss | None = None
    reason: str | None = None
    page: str | None = None
    data: str | None = None
    format: str | None = None
    ncu_version: str | None = None
    complete: bool = True
    lost_launches: int = 0
    notes: list[str] = field(default_factory=list)
    devices: list[str] = field(default_factory=list)
    launches: int = 0
    kernels: int = 0
    duration: float | None = None
    bottleneck: str | None = None
    bottleneck_pct: float | None = None
    worst: Worst | None = None
    severities: dict[str, int] = field(default_factory=dict)


class KernelEvent(Happening, frozen=True, kw_only=True):
    """What the history says of a kernel; `since` and `found` name a day and its report."""

    kernel: str
    shape: str
    device: str
    benchmark: str
    since: str
    found: str


class Gate(Struct, frozen=True, kw_only=True):
    """How the gate of a scan ended, and in words; `rows` are those that did not simply pass."""

    verdict: Verdict
    sentence: str
    rows: list[GateRow]
    passed: int


class Index(Struct, frozen=True, kw_only=True):
    """A whole scan: `index.json`, and what its page shows.

    Reports are sorted worst first, those that could not be judged last. `passed_over`
    counts files in the folders that are no profiles. `gate` where conditions were given.
    """

    schema_version: int = SCHEMA_VERSION
    tool: Tool
    reports: list[Row]
    passed_over: int = 0
    events: list[KernelEvent] = field(default_factory=list)
    gate: Gate | None = None

    @property
    def judged(self) -> list[Row]:
        """The reports with a page."""
        return [row for row in self.reports if row.loss is None]

    @property
    def lost(self) -> list[Row]:
        """The reports that could not be judged."""
        return [row for row in self.reports if row.loss is not None]

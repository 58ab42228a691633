"""What the readers give: a launch as the file holds it, and where it came from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from ncu_triage.model.words import Extent, Workload


class NvidiaRule(Struct, frozen=True, kw_only=True):
    """A message of NVIDIA's own rules, carried along and never the ranking."""

    rule: str
    section: str
    kind: Literal["none", "ok", "warning", "error", "optimization"]
    title: str
    text: str
    speedup_pct: float | None = None
    scope: Literal["unknown", "local", "global"] | None = None


class Launch(Struct, frozen=True, kw_only=True):
    """One profiled workload as the file holds it.

    `metrics` has finite numbers and strings only, in the file's base units (ns, Hz,
    byte, %, cycle, inst); `valueless` names metrics that exist without an aggregate,
    `nan` those whose value is not a number, `suspect` those that were taken out because
    they cannot be this launch's. `histograms` holds the instance lists
    that are keyed by text (opcode -> count).
    """

    id: str
    name: str
    demangled: str
    workload: Workload = "kernel"
    grid: Extent | None = None
    block: Extent | None = None
    process: int | None = None
    device: int | None = None
    context: int | None = None
    context_name: str | None = None
    stream: int | None = None
    stream_name: str | None = None
    nvtx: tuple[str, ...] = ()
    metrics: Mapping[str, float | str]
    valueless: frozenset[str] = frozenset()
    nan: frozenset[str] = frozenset()
    suspect: frozenset[str] = frozenset()
    histograms: Mapping[str, Mapping[str, float]] = {}
    sections: tuple[str, ...] = ()
    rules: tuple[NvidiaRule, ...] = ()


class Source(Struct, frozen=True, kw_only=True):
    """An input file: what it was, and how much of it could be read.

    `private` is what the file says about its origin (host, program, command line), by
    label; it is empty unless the user asked to see it.
    """

    name: str
    sha256: str
    format: str
    ncu_version: str | None = None
    complete: bool = True
    lost_launches: int = 0
    notes: list[str] = field(default_factory=list)
    private: dict[str, str] = field(default_factory=dict)


class Settings(Struct, frozen=True, kw_only=True):
    """How the profile was taken; None where the file does not say."""

    sections: list[str] = field(default_factory=list)
    set: str | None = None
    clock_control: str | None = None
    cache_control: str | None = None
    replay_mode: str | None = None

"""The words that the types share, and the versions of the JSON."""

from __future__ import annotations

from typing import Literal, TypeAlias

Workload: TypeAlias = Literal["kernel", "range", "graph", "cmdlist"]
Extent: TypeAlias = tuple[int, int, int]
Value: TypeAlias = float | str | list[str] | dict[str, float]
Absence: TypeAlias = Literal[
    "not-collected", "no-value", "nan", "not-on-this-gpu", "not-applicable", "suspect"
]
BottleneckKind: TypeAlias = Literal[
    "dram-bandwidth",
    "l2-bandwidth",
    "l1-shared-bandwidth",
    "compute-pipe",
    "issue-bound",
    "latency",
    "underfilled",
    "launch-dominated",
    "insufficient-data",
]
Confidence: TypeAlias = Literal["high", "medium", "low"]
Severity: TypeAlias = Literal["high", "medium", "low", "info"]

# What each workload is called; all but a kernel are many kernels, measured as one.
WORKLOADS: dict[str, str] = {
    "kernel": "kernel",
    "range": "range",
    "graph": "graph",
    "cmdlist": "command list",
}
# What stands for a name that a table has lost.
UNNAMED = "(unnamed)"
SCHEMA_VERSION = 1
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low", "info")

"""Speak of a range, a graph or a command list as what it is: many kernels, judged as one."""

from __future__ import annotations

import re

from ncu_triage.model import WORKLOADS

_KERNEL = re.compile(r"\b([Tt]he|[Tt]his|[Aa]) kernel\b(?!s)")


def noun(workload: str) -> str:
    """Return what a workload is called: `cmdlist` is a command list."""
    return WORKLOADS.get(workload, "kernel")


def about(text: str, workload: str) -> str:
    """Put a workload's own word where a text speaks of the kernel."""
    return text if workload == "kernel" else _KERNEL.sub(rf"\1 {noun(workload)}", text)


def about_this(text: str, workload: str) -> str:
    """Do so where a text speaks of this kernel alone: others it may mean as such."""
    return text.replace("this kernel", f"this {noun(workload)}")


def look_inside(workload: str) -> list[str]:
    """Return the remedy that comes before any other where many kernels are judged as one."""
    if workload == "kernel":
        return []
    how = " (`--graph-profiling node`)" if workload == "graph" else " (kernel replay)"
    return [
        f"Profile the kernels in the {noun(workload)} one by one{how}: these numbers are"
        " aggregates and do not tell which of them it is."
    ]

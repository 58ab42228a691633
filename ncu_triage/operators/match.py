"""Which launches belong to which operator, and how many calls they are."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.compare.names import base
from ncu_triage.errors import UsageError
from ncu_triage.model import KernelDiagnosis
from ncu_triage.operators.plan import Entry, Plan

_NEAREST = 3
_LONGEST = 80


class Matched(NamedTuple):
    """An operator with its launches, in their order; `counted` where nobody gave the calls."""

    entry: Entry
    launches: list[KernelDiagnosis]
    calls: int
    counted: bool


def matched(plan: Plan, kernels: Sequence[KernelDiagnosis]) -> list[Matched]:
    """Give each operator its launches. Raises UsageError where two claim the same one."""
    found: list[list[KernelDiagnosis]] = [[] for _ in plan.entries]
    for kernel in kernels:
        claims = [i for i, entry in enumerate(plan.entries) if entry.where.fits(kernel)]
        if len(claims) > 1:
            first, second = (plan.entries[i] for i in claims[:2])
            raise UsageError(
                f"{second.place}: matches launch {kernel.id} ({_short(kernel)}), as operator "
                f"{claims[0] + 1} ({first.name}) does: narrow one of them by kernel, nvtx, grid "
                "or block, or describe what the launch does by one formula"
            )
        for i in claims:
            found[i].append(kernel)
    return [_counted(entry, own) for entry, own in zip(plan.entries, found, strict=True)]


def _counted(entry: Entry, launches: list[KernelDiagnosis]) -> Matched:
    """Count the calls, where they are not given: as many as each kernel has launches.

    Where kernels differ in that, it is the most that all of them can be divided by: one
    call may launch a kernel several times.
    """
    if entry.calls is not None:
        return Matched(entry, launches, entry.calls, False)
    counts = Counter((kernel.demangled, kernel.grid, kernel.block) for kernel in launches)
    return Matched(entry, launches, math.gcd(*counts.values()) or 1, True)


def nearest(entry: Entry, kernels: Sequence[KernelDiagnosis]) -> str:
    """Say what there is, where an operator matches nothing: names or ranges like those wanted."""
    wanted, kind = (
        (entry.where.kernel, "kernels")
        if entry.where.kernel is not None
        else (entry.where.nvtx, "ranges")
    )
    if kind == "kernels":
        known = list(dict.fromkeys(_short(kernel) for kernel in kernels))
    else:
        known = list(dict.fromkeys(one[:_LONGEST] for kernel in kernels for one in kernel.nvtx))
        if not known:
            return "the report has no NVTX ranges; profile with --nvtx"
    plain = "".join(c for c in str(wanted).removeprefix("regex:") if c not in "*?^$")
    order = difflib.get_close_matches(plain, known, _NEAREST, 0.0)
    more = len(known) - len(order)
    return f"there are the {kind} {', '.join(order)}" + (f" and {more} more" if more else "")


def _short(kernel: KernelDiagnosis) -> str:
    return base(kernel.demangled or kernel.name)[:_LONGEST] or kernel.name[:_LONGEST]

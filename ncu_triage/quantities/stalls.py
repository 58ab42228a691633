"""What warps wait for: the distribution over warp states.

The hardware's counters say it for every cycle; sampling says it for a part of them and
needs a hundred samples to mean something. Both families spell some states differently.
"""

from __future__ import annotations

import re

from ncu_triage.model import Launch, Stalls

_HARDWARE = re.compile(r"^smsp__average_warps_issue_stalled_(\w+)_per_issue_active\.ratio$")
_LEGACY_HARDWARE = re.compile(r"^smsp__warp_cycles_per_issue_stall_(\w+)$")
_SAMPLED = re.compile(r"^smsp__pcsamp_warps_issue_stalled_(\w+?)$")
_LEGACY_SAMPLED = re.compile(r"^smsp__pcsamp_warp_stall_(\w+)$")
_SPELLINGS = {"no_instructions": "no_instruction", "warpgroup_arrive": "gmma"}
# Parts of another state, not states of their own.
_PARTS = {"long_scoreboard_pipe_l1tex", "mio_throttle_pipe_mio"}


def stalls(launch: Launch) -> Stalls | None:
    """Return the distribution over warp states, or None where none was collected."""
    for pattern in (_HARDWARE, _LEGACY_HARDWARE):
        shares = _shares(_matching(launch, pattern))
        if shares:
            return Stalls(source="hardware", fractions=shares)
    for pattern in (_SAMPLED, _LEGACY_SAMPLED):
        counts = _matching(launch, pattern)
        shares = _shares(counts)
        if shares:
            return Stalls(source="sampling", fractions=shares, samples=int(sum(counts.values())))
    return None


def _matching(launch: Launch, pattern: re.Pattern[str]) -> dict[str, float]:
    """Collect the family's members by state, in the order of their names."""
    found: dict[str, float] = {}
    for name in sorted(launch.metrics):
        match = pattern.match(name)
        value = launch.metrics[name]
        if match and isinstance(value, float) and not match[1].endswith("_not_issued"):
            state = _SPELLINGS.get(match[1], match[1])
            if state not in _PARTS:
                found[state] = value
    return found


def _shares(values: dict[str, float]) -> dict[str, float]:
    """Divide by the sum of the members present, not by a header metric that may differ."""
    total = sum(values.values())
    return {state: value / total for state, value in values.items()} if total > 0 else {}

"""What warps wait for: the distribution over warp states.

The hardware's counters say it for every cycle; sampling says it for a part of them and
needs a hundred samples to mean something. Both families spell some states differently.
"""

from __future__ import annotations

from ncu_triage.model import Stalls
from ncu_triage.quantities.ways import Numbers

# What stands before and behind the state's name, the present spelling first.
_HARDWARE = (
    ("smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"),
    ("smsp__warp_cycles_per_issue_stall_", ""),
)
_SAMPLED = (("smsp__pcsamp_warps_issue_stalled_", ""), ("smsp__pcsamp_warp_stall_", ""))
_SPELLINGS = {"no_instructions": "no_instruction", "warpgroup_arrive": "gmma"}
# Parts of another state, not states of their own.
_PARTS = {"long_scoreboard_pipe_l1tex", "mio_throttle_pipe_mio"}


def stalls(numbers: Numbers) -> Stalls | None:
    """Return the distribution over warp states, or None where none was collected."""
    for family in _HARDWARE:
        shares = _shares(_members(numbers, *family))
        if shares:
            return Stalls(source="hardware", fractions=shares)
    for family in _SAMPLED:
        counts = _members(numbers, *family)
        shares = _shares(counts)
        if shares:
            return Stalls(source="sampling", fractions=shares, samples=int(sum(counts.values())))
    return None


def _members(numbers: Numbers, prefix: str, suffix: str) -> dict[str, float]:
    """Collect the family's members by state, in the order of their names."""
    found: dict[str, float] = {}
    for name in numbers.names(prefix):
        state = name.removeprefix(prefix).removesuffix(suffix)
        value = numbers.metric(name)
        whole = name.endswith(suffix) and state.isidentifier()
        if whole and value is not None and not state.endswith("_not_issued"):
            state = _SPELLINGS.get(state, state)
            if state not in _PARTS:
                found[state] = value
    return found


def _shares(values: dict[str, float]) -> dict[str, float]:
    """Divide by the sum of the members present, not by a header metric that may differ."""
    total = sum(values.values())
    return {state: value / total for state, value in values.items()} if total > 0 else {}

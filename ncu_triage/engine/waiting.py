"""Say what warps wait for, in words, from the stall distribution."""

from __future__ import annotations

from ncu_triage.units import show

# States in which a warp is well: it issued, or was ready while another one issued.
_HEALTHY = ("stall_selected_pct", "stall_not_selected_pct")
_WORDS = {
    "long_scoreboard": "for data from global or local memory",
    "short_scoreboard": "for shared memory or special functions",
    "mio_throttle": "for a place in the shared-memory and special-function queue",
    "lg_throttle": "for a place in the global-memory queue",
    "tex_throttle": "for a place in the texture queue",
    "math_pipe_throttle": "for a busy math pipe",
    "wait": "for the previous instruction's fixed latency",
    "barrier": "at block barriers",
    "membar": "at memory fences",
    "branch_resolving": "for branch targets",
    "dispatch_stall": "for the dispatcher",
    "drain": "for the last stores to drain",
    "imc_miss": "for constants that miss their cache",
    "no_instruction": "for instructions to be fetched",
    "sleeping": "asleep by their own wish",
    "misc": "for reasons the hardware does not name",
    "gmma": "for warp-group matrix instructions",
}


def main_stall(n: dict[str, float]) -> tuple[str, float] | None:
    """Return the state with the largest share of waiting warps, in percent of all states."""
    states = {k: v for k, v in n.items() if k.startswith("stall_") and k not in _HEALTHY}
    if not states:
        return None
    top = max(states, key=lambda state: states[state])
    return top.removeprefix("stall_").removesuffix("_pct"), states[top]


def waiting_for(n: dict[str, float]) -> str | None:
    """Say in words what warps mostly wait for; None without stall data."""
    top = main_stall(n)
    if top is None:
        return None
    state, share = top
    return f"{_WORDS.get(state, state)} ({show(share, '%')} of warp states)"

"""How busy each unit was, on its own basis and made comparable with the others."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import NamedTuple

from ncu_triage.engine.gain import ASSUMED, CEILING, Achievable
from ncu_triage.engine.numbers import SM, UNITS, stands_for_the_sm
from ncu_triage.units import show

# Units that all SMs share are measured over elapsed time; those inside an SM over the
# cycles in which it had work.
_ELAPSED = ("dram_throughput_pct", "l2_throughput_pct", SM)


class Load(NamedTuple):
    """A unit's utilisation; `elapsed` is the same over elapsed time.

    `scale` makes a percentage comparable with those of units that reach other shares of
    their peaks: 90 % then stands for what the unit can reach, as it was `measured`. A `rough`
    utilisation was estimated.
    """

    quantity: str
    name: str
    value: float
    elapsed: float
    scale: float = 1.0
    measured: bool = False
    rough: bool = False

    @property
    def reach(self) -> float:
        """Return how near the unit is to what it can reach, 90 % being that."""
        return self.value * self.scale

    @property
    def reach_elapsed(self) -> float:
        """Return the same over elapsed time, for comparing units."""
        return self.elapsed * self.scale

    @property
    def text(self) -> str:
        """Say the percentage with what it is a percentage of."""
        over = "elapsed time" if self.quantity in _ELAPSED else "active cycles"
        return f"{'an estimated ' if self.rough else ''}{show(self.value, '%')} of {over}"

    @property
    def of_measured(self) -> str:
        """Say what part that is of a measured ceiling; nothing where none was measured."""
        if not self.measured:
            return ""
        return f", {show(self.reach / CEILING, '%')} of what was measured to be achievable"


def loads(
    n: Mapping[str, float], achievable: Achievable = ASSUMED, rough: Set[str] = frozenset()
) -> dict[str, Load]:
    """Return the load of every unit that was measured, or at least estimated, by its quantity."""
    active = min(1.0, n.get("sm_active_pct", 100.0) / 100)
    units = UNITS | ({SM: "the SM"} if stands_for_the_sm(n) else {})
    return {
        quantity: Load(
            quantity,
            name,
            n[quantity],
            n[quantity] * (1.0 if quantity in _ELAPSED else active),
            CEILING / achievable[quantity] if quantity in achievable else 1.0,
            quantity in achievable,
            quantity in rough,
        )
        for quantity, name in units.items()
        if quantity in n
    }


def next_to(found: Mapping[str, Load], *without: str) -> Load | None:
    """Return the busiest unit beside those named, compared over elapsed time."""
    others = [load for quantity, load in found.items() if quantity not in without]
    return max(others, key=lambda load: load.reach_elapsed, default=None)


def unmeasured(n: Mapping[str, float]) -> list[str]:
    """Name the units of the memory path and the issue slots that nothing is known of.

    The memory throughput is the highest of the memory units, so it stands for those.
    """
    memory = ("dram_throughput_pct", "l2_throughput_pct", "l1_throughput_active_pct")
    missing = [q for q in memory if q not in n] if "memory_throughput_pct" not in n else []
    if n.get("integrated") == 1.0:
        missing = [q for q in missing if q != "dram_throughput_pct"]
    if "issue_active_pct" not in n and "sm_throughput_pct" not in n:
        missing.append("issue_active_pct")
    return [UNITS[quantity] for quantity in missing]

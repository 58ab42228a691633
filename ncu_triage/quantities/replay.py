"""Find launches whose counters are copies of another launch's, and take those out.

Application replay has been seen to store the first launch's counters with every launch,
duration and DRAM bytes included; only what is counted by patched instructions is each
launch's own. Such a launch looks perfectly measured, and every verdict on it is wrong.
"""

from __future__ import annotations

from msgspec.structs import replace

from ncu_triage.model import Extent, Launch

# Long counts that two launches never share by chance, let alone all of them.
_FINGERPRINT = (
    "gpu__time_duration.sum",
    "gpc__cycles_elapsed.max",
    "sm__cycles_active.avg",
    "smsp__inst_executed.sum",
    "dram__bytes_read.sum",
    "dram__cycles_elapsed.avg.per_second",
)
_ENOUGH = 4
_LIMITS = ("sm__maximum_", "smsp__maximum_")
# Said of the device or the launch, not counted in a replay pass.
_STATED = (
    "device__",
    "launch__",
    "breakdown:",
    "group:",
    "numa__",
    "nvlink__",
    "c2clink__",
    *_LIMITS,
)


class ReplayCheck:
    """Remembers the launches of one file; `checked` takes out what is another's."""

    def __init__(self) -> None:
        self._seen: dict[tuple[float | str, ...], Launch] = {}

    def checked(self, launch: Launch) -> Launch:
        """Return the launch, without the counters that it shares with an earlier one.

        One kernel launched twice with one shape may well count the same, and numbers that
        fit are no copies to be taken out.
        """
        mark = tuple(launch.metrics[name] for name in _FINGERPRINT if name in launch.metrics)
        if len(mark) < _ENOUGH:
            return launch
        first = self._seen.setdefault(mark, launch)
        if _work(first) == _work(launch):
            return launch
        copied = frozenset(
            name
            for name, value in launch.metrics.items()
            if value == first.metrics.get(name) and not name.startswith(_STATED)
        )
        own = {name: value for name, value in launch.metrics.items() if name not in copied}
        return replace(launch, metrics=own, suspect=copied)


def _work(launch: Launch) -> tuple[str, Extent | None, Extent | None]:
    return launch.demangled, launch.grid, launch.block

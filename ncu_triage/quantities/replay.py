"""Find launches whose counters are copies of another launch's, and take those out.

Application replay has been seen to store the first launch's counters with every launch,
duration and DRAM bytes included; only what is counted by patched instructions is each
launch's own. Such a launch looks perfectly measured, and every verdict on it is wrong.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from math import nan
from typing import NamedTuple, TypeAlias

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


Mark: TypeAlias = tuple[float | str, ...]
Work: TypeAlias = tuple[str, Extent | None, Extent | None]


class _Counted(NamedTuple):
    """What a launch counted, small: thousands of launches may have to be remembered."""

    work: Work
    names: tuple[str, ...]
    values: array[float]

    def counters(self) -> dict[str, float]:
        """Return the counters by name; a text, which is no counter, is NaN."""
        return dict(zip(self.names, self.values, strict=True))


class ReplayCheck:
    """Remembers the launches of one file; `checked` takes out what is another's."""

    def __init__(self) -> None:
        self._seen: dict[Mark, _Counted] = {}
        # Launches of one file have the same metrics, nearly always.
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def checked(self, launch: Launch) -> Launch:
        """Return the launch, without the counters that it shares with an earlier one.

        One kernel launched twice with one shape may well count the same, and numbers that
        fit are no copies to be taken out.
        """
        mark = tuple(launch.metrics[name] for name in _FINGERPRINT if name in launch.metrics)
        if len(mark) < _ENOUGH:
            return launch
        first = self._seen.get(mark)
        if first is None:
            first = self._seen[mark] = self._counted(launch)
        if first.work == _work(launch):
            return launch
        counters = first.counters()
        copied = frozenset(
            name
            for name, value in launch.metrics.items()
            if value == counters.get(name) and not name.startswith(_STATED)
        )
        own = {name: value for name, value in launch.metrics.items() if name not in copied}
        return replace(launch, metrics=own, suspect=copied)

    def marks(self) -> list[tuple[Mark, Work]]:
        """Return what every launch is known by that others may be copies of."""
        return [(mark, first.work) for mark, first in self._seen.items()]

    def _counted(self, launch: Launch) -> _Counted:
        names = tuple(launch.metrics)
        values = (nan if isinstance(one, str) else one for one in launch.metrics.values())
        return _Counted(_work(launch), self._names.setdefault(names, names), array("d", values))


def _work(launch: Launch) -> Work:
    return launch.demangled, launch.grid, launch.block


def contradictory(marks: Iterable[tuple[Mark, Work]]) -> bool:
    """Tell whether one mark is that of launches that did different work."""
    known: dict[Mark, Work] = {}
    return any(known.setdefault(mark, work) != work for mark, work in marks)

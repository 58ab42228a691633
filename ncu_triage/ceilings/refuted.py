"""Which measured ceilings a launch refutes, by reaching more than the reference did."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ncu_triage.ceilings.file import TENSOR, Reached
from ncu_triage.engine.gain import UNITS
from ncu_triage.model import Kernel, MeasurementWarning, Provenance
from ncu_triage.units import percent, show

# The quantity family of each roof, as `UNITS` of the engine calls it.
UNIT_OF = {"DRAM": "dram", "L2": "l2", "L1": "l1", "fp64": "fp64", "fp32": "fma", "fp16": "fp16"}
# Launches of one kernel differ by about this much.
_MORE = 1.02
_EFFECT = (
    "that ceiling is not applied to this launch: the reference was not at the wall, so"
    " calibrate again with a better one"
)


class _Against(NamedTuple):
    """What a launch does of something, and what the ceiling says can be done."""

    does: float
    ceiling: float
    unit: str


def refuted(kernel: Kernel, rows: Mapping[str, Reached]) -> dict[str, MeasurementWarning]:
    """Return for each roof whose ceiling the launch clearly exceeds what is to be said."""
    found = {}
    for name, row in rows.items():
        beyond = [one for one in _held(kernel, row) if one.does > _MORE * one.ceiling]
        if beyond:
            found[name] = MeasurementWarning(warning=_said(row, beyond[0]), effect=_EFFECT)
    return found


def unit_of(roof: str) -> str:
    """Return the unit that a roof is of."""
    return "tensor" if roof.startswith(TENSOR) else UNIT_OF[roof]


def counted(kernel: Kernel, name: str) -> float | None:
    """Return a quantity that was counted, not estimated."""
    value = kernel.quantities.get(name)
    estimated = kernel.provenance.get(name, Provenance()).estimated
    return value if isinstance(value, float) and not estimated else None


def _held(kernel: Kernel, row: Reached) -> list[_Against]:
    """Hold a launch against a ceiling: by work a second, and by the profiler's percentage.

    For DRAM the bytes alone count where they are known: its busiest counter is no bandwidth.
    """
    if row.unit == "DRAM":
        moved = counted(kernel, "dram_bandwidth")
        if moved is not None:
            return [_Against(moved, row.value, "byte/s")]
    busy = kernel.quantities.get(UNITS[unit_of(row.unit)][0])
    found = [_Against(busy, row.busy_pct, "%")] if isinstance(busy, float) and row.busy_pct else []
    return [*_work(kernel, row), *found]


def _work(kernel: Kernel, row: Reached) -> list[_Against]:
    """Compare bytes or FLOPs a second with that share of the launch's own peak."""
    memory = row.unit in ("L2", "L1")
    what = "tensor" if row.unit.startswith(TENSOR) else row.unit.lower()
    if what == "tensor" and row.unit != f"{TENSOR}{kernel.quantities.get('tensor_precision')}":
        return []
    names = (f"{what}_bandwidth", f"{what}_peak_bandwidth")
    does, peak = (
        counted(kernel, name)
        for name in (names if memory else (f"flops_{what}", f"peak_flops_{what}"))
    )
    if does is None or peak is None:
        return []
    return [_Against(does, row.share * peak, "byte/s" if memory else "FLOP/s")]


def _said(row: Reached, one: _Against) -> str:
    """Say it with both numbers; a percentage names the unit that it is of."""
    if one.unit == "%":
        unit = UNITS[unit_of(row.unit)][1]
        return (
            f"{unit} runs at {percent(one.does)} of its peak, and the kernel of the measured"
            f" ceiling reached {percent(one.ceiling)}"
        )
    more = percent(100 * (one.does / one.ceiling - 1))
    verb = "moves" if one.unit == "byte/s" else "work does"
    return (
        f"{row.unit} {verb} {show(one.does, one.unit)}, {more} more than the measured ceiling of"
        f" {show(one.ceiling, one.unit)}"
    )

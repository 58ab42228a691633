"""Put measured ceilings in the place of assumed ones, for launches on the GPU they are of.

Only what can be reached changes: nominal peaks, and percentages that the profiler reported,
stay as they are. A share of nominal holds at any SM clock, so compute roofs, L2 and L1 are
that share of the launch's own peak; DRAM has a clock of its own, so its bytes per second
hold as they were measured. A ceiling that a launch exceeds is none for that launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from ncu_triage.ceilings.choose import bare, highest, same
from ncu_triage.ceilings.file import Ceilings, Mix, Reached, read
from ncu_triage.ceilings.refuted import counted, refuted, unit_of
from ncu_triage.engine.gain import ASSUMED, CEILING, UNITS, Achievable
from ncu_triage.model import (
    Ceiling,
    Device,
    Kernel,
    MeasurementWarning,
    Provenance,
    Roofline,
    Value,
)
from ncu_triage.units import percent

REACH = "dram_reach_pct"
_DRAM = "DRAM"
_ONE_WAY = 0.9


class Judged(NamedTuple):
    """A kernel under its ceilings, and what its units can reach, for the judgement."""

    kernel: Kernel
    achievable: Achievable


class Measured:
    """The ceilings of one or more files, for the launches of their GPUs."""

    def __init__(self, files: Sequence[Ceilings]) -> None:
        self._files = files

    def of(self, device: Device | None) -> Ceilings | None:
        """Return the ceilings of a GPU; of several files and each roof, the highest."""
        fitting = [file for file in self._files if device and same(file.gpu, device)]
        if not fitting:
            return None
        return replace(fitting[0], ceiling=highest(row for file in fitting for row in file.ceiling))

    def foreign(self, devices: Sequence[Device]) -> list[str]:
        """Name the GPUs that were measured where none of these devices is one of them.

        With files for a whole fleet it is enough that one of them fits.
        """
        if any(self.of(device) for device in devices):
            return []
        return list(dict.fromkeys(file.gpu.name for file in self._files))

    def applied(self, kernel: Kernel, device: Device | None) -> Judged:
        """Return the kernel under the measured ceilings, or with a caution that none apply."""
        found = self.of(device)
        if found is None:
            return Judged(_cautioned(kernel, [_another(self._files, device)]), ASSUMED)
        rows = rows_for(found, mix_of(kernel))
        beyond = refuted(kernel, rows)
        rows = {name: row for name, row in rows.items() if name not in beyond}
        changed = replace(
            kernel, roofline=_roofs(kernel.roofline, rows), **_reach(kernel, rows.get(_DRAM))
        )
        return Judged(_cautioned(changed, list(beyond.values())), _achievable(rows))


def measured(paths: Sequence[Path]) -> Measured:
    """Read files of ceilings. Raises UsageError for one that is wrong."""
    return Measured([read(path) for path in paths])


def mix_of(kernel: Kernel) -> Mix | None:
    """Tell whether a kernel reads DRAM, writes it, or does both; None where it is unknown."""
    read, written = (kernel.quantities.get(f"dram_bytes_{what}") for what in ("read", "written"))
    if not isinstance(read, float) or not isinstance(written, float) or not read + written:
        return None
    share = read / (read + written)
    return "read" if share >= _ONE_WAY else "write" if share <= 1 - _ONE_WAY else "copy"


def rows_for(ceilings: Ceilings, mix: Mix | None) -> dict[str, Reached]:
    """Return the ceiling of each roof; for DRAM that of the mix, else of a copy, else the highest.

    What was measured of one kind of traffic is near what another can reach, not equal to it.
    """
    rows = {one.unit: one for one in ceilings.ceiling if one.unit != _DRAM}
    dram = sorted((c for c in ceilings.ceiling if c.unit == _DRAM), key=lambda c: -c.value)
    by_mix = {one.mix: one for one in reversed(dram)}
    chosen = by_mix.get(mix) or by_mix.get("copy") or next(iter(dram), None)
    return rows | ({_DRAM: chosen} if chosen else {})


def shares_of(ceilings: Ceilings) -> dict[str, float]:
    """Return the percentage that each unit was measured to reach, by its quantity."""
    shares = _achievable(rows_for(ceilings, "copy"))
    return {name: 100 * share for name, share in shares.items()}


def source_of(one: Reached) -> str:
    """Say how a ceiling came about, without any name from a report."""
    what = {"read": ", reading", "write": ", writing", "copy": ", reading and writing"}
    return (
        f"measured on this kind of GPU{what[one.mix] if one.mix else ''}:"
        f" {percent(one.share_pct)} of nominal"
    )


def _roofs(roofline: Roofline, rows: Mapping[str, Reached]) -> Roofline:
    """Replace the assumed roofs, and add those that nothing was assumed for."""
    nominal = {c.name: c for c in roofline.ceilings if c.nominal}
    kept = [c for c in roofline.ceilings if c.nominal or c.name not in rows]
    measured = [
        Ceiling(
            kind=roof.kind,
            name=name,
            value=rows[name].value if name == _DRAM else rows[name].share * roof.value,
            nominal=False,
            source=source_of(rows[name]),
        )
        for name, roof in nominal.items()
        if name in rows
    ]
    return replace(roofline, ceilings=[*kept, *measured])


def _reach(kernel: Kernel, row: Reached | None) -> dict[str, object]:
    """Say anew how near DRAM comes to what can be reached, which is 90 by convention.

    By bytes where they were counted; else the profiler's percentage is held against the
    percentage that it gave for the reference.
    """
    if row is None:
        return {}
    moved, busy = counted(kernel, "dram_bandwidth"), kernel.quantities.get(UNITS["dram"][0])
    if moved is not None:
        value, of = moved / row.value, "dram_bandwidth"
    elif isinstance(busy, float) and row.busy_pct:
        value, of = busy / row.busy_pct, UNITS["dram"][0]
    else:
        return {}
    quantities: dict[str, Value] = {**kernel.quantities, REACH: 100 * CEILING * value}
    formula = f"90 * {of} / that of the measured ceiling"
    return {
        "quantities": quantities,
        "provenance": {**kernel.provenance, REACH: Provenance(formula=formula, inputs=[of])},
        "absent": {name: why for name, why in kernel.absent.items() if name != REACH},
    }


def _achievable(rows: Mapping[str, Reached]) -> dict[str, float]:
    """Return the share of its peak, as the profiler counts it, that each unit can reach."""
    found: dict[str, float] = {}
    for unit, row in rows.items():
        # By bytes DRAM is at most as busy as by the profiler's highest counter.
        busy = row.busy_pct or (row.share_pct if unit == _DRAM else None)
        if busy:
            name = UNITS[unit_of(unit)][0]
            found[name] = max(found.get(name, 0.0), busy / 100)
    return found


def _another(files: Sequence[Ceilings], device: Device | None) -> MeasurementWarning:
    """Say that the files are of other GPUs."""
    theirs = " and ".join(dict.fromkeys(f.gpu.name for f in files))
    this = device.name if device else "an unknown GPU"
    if device and any(bare(f.gpu.name) == bare(device.name) for f in files):
        theirs, this = f"another {theirs}", "this one (SMs or memory differ)"
    return MeasurementWarning(
        warning=f"the measured ceilings are of {theirs}, not of {this}",
        effect="they are not applied; what is achievable is assumed, as without them",
    )


def _cautioned(kernel: Kernel, warnings: Sequence[MeasurementWarning]) -> Kernel:
    return replace(kernel, measurement=[*kernel.measurement, *warnings]) if warnings else kernel

"""What each GPU of a report is taken to reach, and where that comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING

from msgspec.structs import replace

from ncu_triage.engine.gain import CEILING
from ncu_triage.gpus import facts
from ncu_triage.model import AssumedRoof, Balance, Ceiling, Device, DeviceCeilings, KernelDiagnosis

if TYPE_CHECKING:
    from ncu_triage.ceilings.apply import Measured
    from ncu_triage.ceilings.file import Ceilings, Reached

_DRAM = "DRAM"
# The precision whose balance points are quoted most.
_QUOTED = "tensor_fp16"


def assumed(
    kernels: Sequence[KernelDiagnosis], devices: Sequence[Device], measured: Measured | None
) -> list[DeviceCeilings]:
    """Describe the ceilings by which the kernels were judged, GPU by GPU."""
    highest: list[dict[tuple[str, bool], Ceiling]] = [{} for _ in devices]
    used: list[set[tuple[str, str]]] = [set() for _ in devices]
    for kernel in kernels:
        for ceiling in kernel.roofline.ceilings if kernel.device is not None else ():
            used[kernel.device or 0].add((ceiling.name, ceiling.source))
            seen, key = highest[kernel.device or 0], (ceiling.name, ceiling.nominal)
            if key not in seen or ceiling.value > seen[key].value:
                seen[key] = ceiling
    return [
        _of(i, device, highest[i], _held(measured, device, highest[i], used[i]))
        for i, device in enumerate(devices)
    ]


def _held(
    measured: Measured | None,
    device: Device,
    seen: Mapping[tuple[str, bool], Ceiling],
    used: Set[tuple[str, str]],
) -> Ceilings | None:
    """Return a GPU's measured ceilings, without those of a roof that every launch refutes."""
    found = measured.of(device) if measured else None
    if found is None:
        return None
    from ncu_triage.ceilings.apply import source_of

    held = {one.unit for one in found.ceiling if (one.unit, source_of(one)) in used}
    rows = [one for one in found.ceiling if one.unit in held or (one.unit, True) not in seen]
    return replace(found, ceiling=rows)


def _of(
    index: int,
    device: Device,
    seen: Mapping[tuple[str, bool], Ceiling],
    measured: Ceilings | None,
) -> DeviceCeilings:
    roofs = [
        row
        for (name, nominal), roof in seen.items()
        if nominal
        for row in _roofs(roof, seen.get((name, False)), measured.ceiling if measured else ())
    ]
    return DeviceCeilings(
        device=index,
        roofs=roofs,
        balance=_balance(device, roofs),
        assumed_pct=100 * CEILING,
        measured_pct=_shares(measured) if measured else {},
    )


def _shares(measured: Ceilings) -> dict[str, float]:
    from ncu_triage.ceilings.apply import shares_of  # Not asked for, not loaded.

    return shares_of(measured)


def _roofs(
    nominal: Ceiling, achievable: Ceiling | None, rows: Sequence[Reached]
) -> list[AssumedRoof]:
    """Return a roof; of a measured one a row for each mix, with the kernel it was taken from."""
    own = [row for row in rows if row.unit == nominal.name]
    if not own:
        roof = AssumedRoof(
            kind=nominal.kind,
            name=nominal.name,
            nominal=nominal.value,
            achievable=achievable.value if achievable else None,
            source=(achievable or nominal).source,
        )
        return [roof]
    return [
        AssumedRoof(
            kind=nominal.kind,
            name=nominal.name,
            nominal=nominal.value,
            achievable=row.value if nominal.name == _DRAM else row.share * nominal.value,
            source=row.how,
            reference=row.kernel,
            launches=row.launches,
            mix=row.mix,
        )
        for row in own
    ]


def _balance(device: Device, roofs: Sequence[AssumedRoof]) -> list[Balance]:
    """Return the ridge of each precision that has a roof, and the one of the data sheet."""
    memory = [roof for roof in roofs if roof.name == _DRAM]
    compute = {roof.name: roof for roof in roofs if roof.kind == "compute" and roof.name != "inst"}
    found = []
    for name in [*compute, *({_QUOTED} - set(compute))]:
        roof = compute.get(name)
        ridges = [_ridge(roof, one) for one in memory] if roof else []
        best = max(ridges, key=lambda ridge: -ridge[1], default=(None, None))
        sheet = facts.balance_point(device.compute_capability, device.name, device.sm_count, name)
        if sheet is not None or ridges:
            found.append(
                Balance(precision=name, nominal=best[0], achievable=best[1], at_boost_clock=sheet)
            )
    return found


def _ridge(compute: AssumedRoof, memory: AssumedRoof) -> tuple[float, float]:
    """Return the nominal ridge, and that of what can be reached as far as it is known."""
    reachable = compute.achievable or compute.nominal
    return compute.nominal / memory.nominal, reachable / (memory.achievable or memory.nominal)

"""Turn a launch into a kernel: all quantities, the stalls, the roofline, the warnings."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ncu_triage.model import Device, Kernel, Launch
from ncu_triage.quantities.catalogue import catalogue
from ncu_triage.quantities.measurement import measurement
from ncu_triage.quantities.resolve import Resolver
from ncu_triage.quantities.roofline import roofline
from ncu_triage.quantities.stalls import stalls


def derive(
    launch: Launch, device: int | None = None, own: Mapping[str, str] = MappingProxyType({})
) -> Kernel:
    """Derive every quantity that the launch's metrics allow.

    `device` is the place of the launch's GPU among all GPUs of the diagnosis; `own` are
    further metrics to carry along as they are, by the names that a user's rules give them.
    """
    numbers = Resolver(launch)
    for name, metric in own.items():
        numbers.carry(name, metric)
    for quantity in catalogue():
        numbers.value(quantity)
    names = (*catalogue(), *own)
    waiting = stalls(numbers)
    return Kernel(
        id=launch.id,
        name=launch.name,
        demangled=_demangled(launch),
        workload=launch.workload,
        grid=launch.grid,
        block=launch.block,
        device=device,
        context_name=launch.context_name,
        stream=launch.stream,
        stream_name=launch.stream_name,
        nvtx=list(launch.nvtx),
        quantities={q: numbers.values[q] for q in names if q in numbers.values},
        provenance={q: numbers.origins[q] for q in names if q in numbers.origins},
        absent={q: numbers.absent[q] for q in names if q in numbers.absent},
        stalls=waiting,
        roofline=roofline(numbers),
        measurement=measurement(numbers, waiting),
        nvidia_rules=list(launch.rules),
    )


def _demangled(launch: Launch) -> str:
    """Name a range or a graph after its NVTX ranges: it has no name of its own."""
    named = launch.workload in ("range", "graph") and launch.nvtx
    return " › ".join((launch.demangled, *launch.nvtx)) if named else launch.demangled


def device_of(launch: Launch) -> Device | None:
    """Describe the GPU from the attributes stored with a launch."""
    numbers = Resolver(launch)
    name = numbers.text("device__attribute_display_name")
    capability = numbers.number("compute_capability")
    if name is None and capability is None:
        return None
    sm_count = numbers.number("sm_count")
    return Device(
        name=name or "unknown GPU",
        compute_capability=f"{capability:.1f}" if capability else "unknown",
        sm_count=int(sm_count) if sm_count else None,
        l2_bytes=numbers.number("l2_size"),
        dram_peak_bandwidth=numbers.number("dram_peak_nominal"),
        integrated=numbers.number("integrated") == 1.0,
    )

"""Place a kernel under its roofs: a point a precision and level, and the roofs themselves."""

from __future__ import annotations

from msgspec.structs import replace

from ncu_triage.gpus import facts
from ncu_triage.model import WORKLOADS, Ceiling, Provenance, Roofline, RooflinePoint
from ncu_triage.quantities.gpu import compute_capability, product_name
from ncu_triage.quantities.resolve import Resolver

COLLECT_FLOPS = "--section SpeedOfLight_RooflineChart"
COLLECT_SPEED = "--section SpeedOfLight"
_BANDWIDTHS = {"DRAM": "dram_bandwidth", "L2": "l2_bandwidth", "L1": "l1_bandwidth"}
_PEAK_SOURCES = {
    "dram_peak_counted": "the report's counters",
    "dram_peak_nominal": "the device attributes",
}
_SCHEDULERS = 4
_NO_FLOPS = "no floating-point work: placed by executed instructions"
_ROUGH = "DRAM traffic is estimated from L2 misses"
_ALONE = "by bandwidth alone: FLOPs were not collected (" + COLLECT_FLOPS + ")"


def roofline(numbers: Resolver) -> Roofline:
    """Place a launch; one that cannot be placed says what to collect.

    A range, a graph or a command list has one place for all that ran in it, and says so.
    """
    found = _roofline(numbers)
    workload = numbers.launch.workload
    if not found.placed:
        return found
    if workload != "kernel":
        found = _noted(found, f"an aggregate of all that ran in the {WORKLOADS[workload]}")
    rough = numbers.origins.get("dram_bandwidth", Provenance()).rough
    return _noted(found, _ROUGH) if rough else found


def _noted(found: Roofline, note: str) -> Roofline:
    return replace(found, note=f"{note}; {found.note}" if found.note else note)


def _roofline(numbers: Resolver) -> Roofline:
    points = _work_points(numbers)
    roofs = _bandwidth_roofs(numbers)
    if points:
        roofs += _compute_roofs(numbers, {p.precision for p in points})
        return Roofline(placed=True, points=points, ceilings=roofs)
    if numbers.number("flops") == 0.0 and (points := _instruction_points(numbers)):
        return Roofline(
            placed=True, points=points, ceilings=roofs + _issue_roof(numbers), note=_NO_FLOPS
        )
    return _by_bandwidth(numbers, roofs)


def _work_points(numbers: Resolver) -> list[RooflinePoint]:
    """Return a point for each precision with work and each level with traffic."""
    points = []
    for name in ("fp64", "fp32", "fp16", "tensor"):
        work = numbers.number(f"flops_{name}")
        if not work:
            continue
        kind = f"tensor_{numbers.value('tensor_precision')}" if name == "tensor" else name
        for level, quantity in _BANDWIDTHS.items():
            bandwidth = numbers.number(quantity)
            if bandwidth:
                points.append(
                    RooflinePoint(
                        precision=kind, level=level, intensity=work / bandwidth, performance=work
                    )
                )
    return points


def _instruction_points(numbers: Resolver) -> list[RooflinePoint]:
    """Place a kernel without floating-point work by warp instructions per DRAM byte."""
    intensity, duration = numbers.number("instructions_per_byte"), numbers.number("duration")
    executed = numbers.number("instructions")
    if not intensity or not duration or not executed:
        return []
    rate = executed / duration
    return [RooflinePoint(precision="inst", level="DRAM", intensity=intensity, performance=rate)]


def _by_bandwidth(numbers: Resolver, roofs: list[Ceiling]) -> Roofline:
    """Show the bandwidth alone where no work is known, else say what is missing."""
    bandwidth = numbers.number("dram_bandwidth")
    if bandwidth is not None and roofs:
        point = RooflinePoint(
            precision="bandwidth", level="DRAM", intensity=0.0, performance=bandwidth
        )
        note = _ALONE if numbers.number("flops") is None else "no floating-point work"
        return Roofline(placed=True, points=[point], ceilings=roofs, note=note)
    if numbers.absent.get("dram_bandwidth") == "not-on-this-gpu":
        return Roofline(placed=False, why_not="this GPU has no DRAM counters")
    missing = COLLECT_SPEED if numbers.number("flops") is not None else COLLECT_FLOPS
    return Roofline(placed=False, why_not=f"not collected; add {missing}")


def _bandwidth_roofs(numbers: Resolver) -> list[Ceiling]:
    """Return the nominal DRAM roof, and what a kernel can reach of it."""
    peak = numbers.number("dram_peak_bandwidth")
    if not peak:
        return []
    source = _PEAK_SOURCES[numbers.origins["dram_peak_bandwidth"].formula or ""]
    share = _achievable(numbers)
    nominal = numbers.number("dram_peak_nominal") or peak
    reachable = min(peak, share.share * nominal)
    return [
        Ceiling(kind="bandwidth", name="DRAM", value=peak, nominal=True, source=source),
        Ceiling(
            kind="bandwidth",
            name="DRAM",
            value=reachable,
            nominal=False,
            source=f"{100 * share.share:.0f} % of nominal: {share.source}",
        ),
        *_cache_roofs(numbers),
    ]


def _cache_roofs(numbers: Resolver) -> list[Ceiling]:
    """Return the roofs of L2 and L1, which only the report's own counters tell."""
    return [
        Ceiling(
            kind="bandwidth",
            name=level,
            value=peak,
            nominal=True,
            source="the report's counters at the report's clock",
        )
        for level in ("L2", "L1")
        if (peak := numbers.number(f"{level.lower()}_peak_bandwidth"))
    ]


def _achievable(numbers: Resolver) -> facts.Share:
    """Return the part of the nominal DRAM bandwidth that kernels can reach."""
    return facts.dram_achievable(compute_capability(numbers) or "", product_name(numbers))


def _compute_roofs(numbers: Resolver, precisions: set[str]) -> list[Ceiling]:
    roofs = []
    for precision in sorted(precisions):
        quantity = f"peak_flops_{precision.split('_')[0]}"
        peak = numbers.number(quantity)
        if peak:
            tabled = numbers.origins[quantity].estimated
            source = "the architecture's rate" if tabled else "the report's counters"
            clock = f"{source} at the report's clock"
            roofs.append(
                Ceiling(kind="compute", name=precision, value=peak, nominal=True, source=clock)
            )
    return roofs


def _issue_roof(numbers: Resolver) -> list[Ceiling]:
    sm_count, clock = numbers.number("sm_count"), numbers.number("sm_clock")
    if not sm_count or not clock:
        return []
    peak = _SCHEDULERS * sm_count * clock
    source = "one instruction a cycle and scheduler at the report's clock"
    return [Ceiling(kind="compute", name="inst", value=peak, nominal=True, source=source)]

"""The roofs that an operator is held against, and the best time under them.

Best time = max(least bytes / DRAM bandwidth, FLOPs / compute peak): the roofline, read as
seconds. What can be achieved is known for DRAM only; compute stays at its nominal peak.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ncu_triage.gpus import facts
from ncu_triage.gpus.data import Product
from ncu_triage.model import Ceiling, Device, Kernel, OperatorBest
from ncu_triage.operators.theory import Theory
from ncu_triage.operators.types import precisions

DRAM = "dram"
_BY_CLOCK = "the architecture's rate at {} of {:,.0f} MHz"


class Peak(NamedTuple):
    """A roof's value (byte/s or FLOP/s), what it is called, and where it comes from."""

    value: float
    name: str
    source: str


class Roofs(NamedTuple):
    """What a GPU offers an operator; None where it is not known."""

    gpu: str
    nominal: Peak | None
    achievable: Peak | None
    compute: Peak | None


def best_times(theory: Theory, roofs: Roofs) -> list[OperatorBest]:
    """Return the best time under nominal and under achievable bandwidth, nominal first."""
    found = []
    for nominal, bandwidth in ((True, roofs.nominal), (False, roofs.achievable)):
        limits = list(_limits(theory, bandwidth, roofs.compute))
        if limits:
            time, name = max(limits)
            found.append(
                OperatorBest(
                    gpu=roofs.gpu,
                    nominal=nominal,
                    time=time,
                    limited_by=name,
                    bandwidth=bandwidth.value if bandwidth else None,
                    compute=roofs.compute.value if roofs.compute else None,
                    precision=roofs.compute.name if roofs.compute else None,
                    bandwidth_source=bandwidth.source if bandwidth else None,
                    compute_source=roofs.compute.source if roofs.compute else None,
                )
            )
    return found


def _limits(
    theory: Theory, bandwidth: Peak | None, compute: Peak | None
) -> Iterator[tuple[float, str]]:
    if bandwidth:
        yield theory.bytes / bandwidth.value, DRAM
    if compute and theory.flops:
        yield theory.flops / compute.value, compute.name


def roofs_of_launch(kernel: Kernel, device: Device | None, wanted: Iterable[str]) -> Roofs:
    """Return the roofs that a launch ran under, at its own clock."""
    name = device.name if device else "the GPU of the report"
    nominal, achievable = _launch_bandwidths(kernel, device)
    return Roofs(
        gpu=name,
        nominal=nominal,
        achievable=achievable,
        compute=next(_launch_peaks(kernel, device, wanted), None),
    )


def _launch_bandwidths(kernel: Kernel, device: Device | None) -> tuple[Peak | None, Peak | None]:
    """Return the nominal and the achievable roof; a kernel that has no place has none drawn."""
    drawn = [c for c in kernel.roofline.ceilings if c.kind == "bandwidth" and c.name == "DRAM"]
    if drawn:
        nominal = _ceiling(drawn, True)
        return nominal, _ceiling(drawn, False) or nominal
    peak = kernel.quantities.get("dram_peak_bandwidth")
    if device is None or not isinstance(peak, float):
        return None, None
    nominal = Peak(peak, DRAM, "the report")
    return nominal, _reachable(peak, device.compute_capability, device.name)


def _reachable(nominal: float, capability: str, name: str) -> Peak:
    share = facts.dram_achievable(capability, name)
    source = f"{100 * share.share:.0f} % of nominal: {share.source}"
    return Peak(nominal * share.share, DRAM, source)


def _ceiling(found: Sequence[Ceiling], nominal: bool) -> Peak | None:
    return next((Peak(c.value, DRAM, c.source) for c in found if c.nominal is nominal), None)


def _launch_peaks(kernel: Kernel, device: Device | None, wanted: Iterable[str]) -> Iterator[Peak]:
    """Yield compute peaks: from the report's counters, else by the architecture's rate."""
    clock, sms = (kernel.quantities.get(id) for id in ("sm_clock", "sm_count"))
    for precision in wanted:
        roofs = [c for c in kernel.roofline.ceilings if c.kind == "compute" and c.name == precision]
        if roofs:
            yield Peak(roofs[0].value, precision, roofs[0].source)
        elif device and isinstance(clock, float) and isinstance(sms, float):
            rate = facts.rate(device.compute_capability, device.name, precision)
            if rate:
                source = _BY_CLOCK.format("the report's clock", clock / 1e6)
                yield Peak(rate.flops_per_clock_per_sm * sms * clock, precision, source)


def roofs_of_product(product: Product, capability: str, wanted: Iterable[str]) -> Roofs:
    """Return a product's roofs by its data sheet, at its boost clock."""
    nominal = product.dram_bandwidth
    return Roofs(
        gpu=product.name,
        nominal=Peak(nominal, DRAM, "the data sheet") if nominal else None,
        achievable=_reachable(nominal, capability, product.name) if nominal else None,
        compute=next(_product_peaks(product, capability, wanted), None),
    )


def _product_peaks(product: Product, capability: str, wanted: Iterable[str]) -> Iterator[Peak]:
    for precision in wanted:
        tensor = precision.startswith("tensor")
        clock = product.tensor_clock if tensor else product.boost_clock
        rate = facts.rate(capability, product.name, precision)
        if rate and clock and product.sm_count:
            source = _BY_CLOCK.format("a boost clock", clock / 1e6)
            yield Peak(rate.flops_per_clock_per_sm * product.sm_count * clock, precision, source)


def wanted_precisions(type: str, math: str) -> list[str]:
    """Return the compute roofs that an operator's work can run under, the highest first."""
    return list(precisions(type, math))

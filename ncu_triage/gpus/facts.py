"""Questions about a GPU that its report does not answer, by compute capability and name.

Nothing here fails: what is not known is None, and an unknown GPU has no facts. Prefer
what the report states (its own peaks, clocks and attributes) wherever it does.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from ncu_triage.gpus.data import Architecture, Part, Product, architecture
from ncu_triage.model import Confidence

_WEAK_FP64 = 1 / 16


class Rate(NamedTuple):
    """Dense operations per clock and SM, where an FMA counts as two."""

    flops_per_clock_per_sm: float
    source: str
    confidence: Confidence


class Share(NamedTuple):
    """A share (0-1) of the nominal DRAM bandwidth."""

    share: float
    source: str
    confidence: Confidence


DEFAULT_DRAM_SHARE = Share(
    0.88, "median of the best kernels in public reports of eight parts, 0.84 to 0.95", "low"
)


@lru_cache(maxsize=1024)
def rates(compute_capability: str, product_name: str) -> tuple[tuple[str, Rate], ...]:
    """List the known rates of a GPU by precision; see `data.Precision` for the names.

    A name that fits no class of products has the rates that all of them share.
    """
    found = architecture(compute_capability)
    if found is None:
        return ()
    part = _part(found, product_name)
    return tuple(
        (precision, Rate(value, group.source, group.confidence))
        for group in found.rates
        if not group.parts or (part and part.name in group.parts)
        for precision, value in group.per_clock.items()
    )


def rate(compute_capability: str, product_name: str, precision: str) -> Rate | None:
    """Return a dense rate in FLOP per clock and SM; None where unknown or not there."""
    return dict(rates(compute_capability, product_name)).get(precision)


def product(name: str, compute_capability: str, sm_count: int | None = None) -> Product | None:
    """Find the one product of this name and, where given, this number of SMs.

    The whole name must match, so Laptop, Max-Q and MIG names never find the desktop part;
    a name that means several chips finds none unless the SM count decides.
    """
    found = architecture(compute_capability)
    candidates = [
        known
        for known in (found.products if found else ())
        if known.matches(_bare(name)) and (not sm_count or known.sm_count in (None, sm_count))
    ]
    return candidates[0] if len(candidates) == 1 else None


def balance_point(
    compute_capability: str, product_name: str, sm_count: int | None, precision: str
) -> float | None:
    """Return the FLOP/byte at which a product's data-sheet peaks meet; None where unknown.

    The dense rate times SMs and boost clock, over the nominal DRAM bandwidth. Tensor clocks
    lie below the boost clock on some parts, so their data sheets state a little less.
    """
    sold = product(product_name, compute_capability, sm_count)
    known = rate(compute_capability, product_name, precision)
    if sold is None or known is None or not (sold.sm_count and sold.boost_clock):
        return None
    if not sold.dram_bandwidth:
        return None
    peak = known.flops_per_clock_per_sm * sold.sm_count * sold.boost_clock
    return peak / sold.dram_bandwidth


def is_integrated(compute_capability: str) -> bool:
    """Tell whether the GPU shares the system's memory and has no DRAM counters."""
    found = architecture(compute_capability)
    return found is not None and found.integrated


def has_tensor_cores(compute_capability: str, product_name: str) -> bool | None:
    """Tell whether the GPU has tensor cores; None for an unknown architecture."""
    found = architecture(compute_capability)
    if found is None:
        return None
    part = _part(found, product_name)
    return part.tensor_cores if part else found.tensor_cores


def weak_fp64(compute_capability: str, product_name: str) -> bool | None:
    """Tell whether fp64 runs at 1/16 of fp32 or less; None where a rate is unknown."""
    fp64 = rate(compute_capability, product_name, "fp64")
    fp32 = rate(compute_capability, product_name, "fp32")
    if fp64 is None or fp32 is None:
        return None
    return fp64.flops_per_clock_per_sm <= _WEAK_FP64 * fp32.flops_per_clock_per_sm


def dram_achievable(compute_capability: str, product_name: str) -> Share:
    """Return how much of the nominal DRAM bandwidth can be had, and how that is known.

    Nominal is the data sheet's: memory clocks in reports are up to 8 % below it, so the
    same wall stands at a larger share of the peak that a report states.
    """
    found = architecture(compute_capability)
    for known in found.dram if found else ():
        if known.pattern.fullmatch(_bare(product_name)):
            return Share(known.share, known.source, known.confidence)
    return DEFAULT_DRAM_SHARE


def dram_achievable_share(compute_capability: str, product_name: str) -> float:
    """Return the achievable share (0-1) of the nominal DRAM bandwidth."""
    return dram_achievable(compute_capability, product_name).share


def _part(found: Architecture, product_name: str) -> Part | None:
    """Return the class of products that a name belongs to."""
    return next((part for part in found.parts if part.pattern.search(product_name)), None)


def _bare(name: str) -> str:
    """Drop the maker, which older drivers leave out."""
    return name.strip().removeprefix("NVIDIA ")

"""What `calibrate` says: what was found, what is no reference, and what to do with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ncu_triage.ceilings.choose import Calibration
from ncu_triage.ceilings.file import COMPUTE, TENSOR, Ceilings, Gpu, Reached
from ncu_triage.ceilings.reference import Refused
from ncu_triage.gpus import facts
from ncu_triage.units import percent, show

# Fewer names say what is wrong with a report as well.
_NAMED, _REASONS = 4, 6
# Good references reach this much of nominal on most GPUs.
_LOW_PCT = 80.0
_QUOTED = "tensor_fp16"


def summary(ceilings: Ceilings) -> Iterator[str]:
    """Say what was found, line by line, and at which FLOP/byte the walls meet."""
    gpu = ceilings.gpu
    yield f"{gpu.name} (compute capability {gpu.compute_capability}, {gpu.sm_count} SMs)"
    yield from (f"  {_line(one)}" for one in ceilings.ceiling)
    yield from (f"  {line}" for line in _ridges(ceilings))
    point = _at_boost_clock(gpu)
    if point:
        yield f"  {point}"


def advice(ceilings: Ceilings) -> Iterator[str]:
    """Say which ceilings a better reference could raise."""
    for one in ceilings.ceiling:
        if one.share_pct < _LOW_PCT:
            yield (
                f"{_name(one)} at {percent(one.share_pct)} of nominal is low for a reference:"
                f" another kernel than {one.kernel} may reach more"
            )
    if not any(one.unit == "DRAM" for one in ceilings.ceiling):
        yield "no kernel stands at the DRAM wall: add the report of a large copy"


def refusals(found: Calibration) -> Iterator[str]:
    """Say of each report which kernels are no reference, and why."""
    for report, refused in found.refused.items():
        reasons: dict[str, list[str]] = defaultdict(list)
        for kernel, why in _first_reason(refused):
            reasons[why].append(kernel)
        for why, kernels in list(reasons.items())[:_REASONS]:
            more = f" and {len(kernels) - _NAMED} more" if len(kernels) > _NAMED else ""
            yield f"{report}: no reference: {', '.join(kernels[:_NAMED])}{more}: {why}"
        left = sum(map(len, list(reasons.values())[_REASONS:]))
        if left:
            yield f"{report}: no reference: {left} more kernels, for other reasons"


def _first_reason(refused: Sequence[Refused]) -> Iterator[tuple[str, str]]:
    """Give one reason a kernel: its launches fail for much the same one."""
    seen = set()
    for kernel, why in refused:
        if kernel not in seen:
            seen.add(kernel)
            yield kernel, why


def _line(one: Reached) -> str:
    unit = "byte/s" if one.unit in ("DRAM", "L2", "L1") else "FLOP/s"
    clock = f" at {show(one.sm_clock, 'Hz')}" if one.sm_clock else ""
    return (
        f"{_name(one)}: {show(one.value, unit)}{clock}, {percent(one.share_pct)} of"
        f" {show(one.nominal, unit)} nominal; {one.kernel}, {one.how}"
    )


def _name(one: Reached) -> str:
    return f"{one.unit} {one.mix}" if one.mix else one.unit


def _ridges(ceilings: Ceilings) -> Iterator[str]:
    """Give the ridge of each precision, nominal and achievable, at the measured clock."""
    dram = max((c for c in ceilings.ceiling if c.unit == "DRAM"), key=_value, default=None)
    for one in ceilings.ceiling if dram else ():
        if dram and (one.unit in COMPUTE or one.unit.startswith(TENSOR)):
            nominal, reached = one.nominal / dram.nominal, one.value / dram.value
            yield (
                f"{one.unit} ridge: {show(nominal, 'FLOP/byte')} nominal,"
                f" {show(reached, 'FLOP/byte')} achievable"
            )


def _value(one: Reached) -> float:
    return one.value


def _at_boost_clock(gpu: Gpu) -> str | None:
    at = facts.balance_point(gpu.compute_capability, gpu.name, gpu.sm_count, _QUOTED)
    if at is None:
        return None
    return f"fp16 tensor work and DRAM balance at {at:.1f} FLOP/byte, nominal at boost clock"

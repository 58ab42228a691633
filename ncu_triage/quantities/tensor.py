"""Tensor work: from the operation counters, else from the shapes of the opcodes.

The counters come as totals over a type, as parts by instruction, and as parts with and
without sparsity. Totals state the sparse peak from Hopper on, so parts come first.
"""

from __future__ import annotations

import re
from collections import defaultdict

from ncu_triage.gpus import facts
from ncu_triage.quantities.gpu import compute_capability, product_name
from ncu_triage.quantities.ways import Numbers

MODIFIERS = "sass__inst_executed_per_opcode_with_modifier_all"
_COUNTERS = "sm__ops_path_tensor_"
_NAME = re.compile(
    r"sm__ops_path_tensor_(?:op_(?P<op>\w+?)_)?src_(?P<type>[a-z0-9]+(?:_fp6)*)"
    r"(?:_tf32|_bf16)*(?:_dst_\w+?)?(?:_sparsity_(?P<sparsity>on|off))?$"
)
_SHAPE = re.compile(r"^[HIDBQO]?MMA\.(?:\w+\.)*?(?P<shape>\d{3,6})(?:\.|$)")
_OPCODE_TYPES = {"HMMA": "fp16", "IMMA": "int8", "DMMA": "fp64", "BMMA": "int1", "QMMA": "fp8"}
# The digits of a shape run together: m, n, k as the instruction set writes them.
_SHAPES = {
    "884": 8 * 8 * 4,
    "1684": 16 * 8 * 4,
    "1688": 16 * 8 * 8,
    "16816": 16 * 8 * 16,
    "16832": 16 * 8 * 32,
    "16864": 16 * 8 * 64,
    "8816": 8 * 8 * 16,
    "8832": 8 * 8 * 32,
    "88128": 8 * 8 * 128,
    "168128": 16 * 8 * 128,
    "168256": 16 * 8 * 256,
}


def from_counters(numbers: Numbers) -> float | None:
    """Add up the tensor operations per second over all types."""
    rates = _rates(numbers, "sum.per_second")
    if rates:
        return sum(rates.values())
    duration = numbers.number("duration")
    counts = _rates(numbers, "sum")
    return sum(counts.values()) / duration if counts and duration else None


def from_shapes(numbers: Numbers) -> float | None:
    """Add up 2*m*n*k over the executed matrix opcodes, per second."""
    work = _by_opcode(numbers)
    duration = numbers.number("duration")
    return sum(work.values()) / duration if work is not None and duration else None


def main_type(numbers: Numbers) -> str | None:
    """Name the input type with most tensor operations, such as "fp16"."""
    work = _rates(numbers, "sum.per_second") or _rates(numbers, "sum") or _by_opcode(numbers) or {}
    main = max(work, key=lambda kind: work[kind], default=None)
    return main if main and work[main] > 0 else None


def counted_peak(numbers: Numbers) -> float | None:
    """Return the dense peak of the busiest counter of the main type, in FLOP/s.

    Totals count only before Hopper: from there on they state the sparse peak.
    """
    main, clock = main_type(numbers), numbers.number("sm_clock")
    if main is None or clock is None:
        return None
    sparse_totals = (numbers.number("compute_capability") or 0.0) >= 9.0
    busiest: tuple[float, float] = (-1.0, 0.0)
    for name in numbers.names(_COUNTERS):
        base, _, rest = name.partition(".")
        match = _NAME.match(base) if rest == "sum.peak_sustained" else None
        if match is None or match["type"] != main or match["sparsity"] == "on":
            continue
        if match["sparsity"] is None and sparse_totals:
            continue
        work = numbers.metric(f"{base}.sum.per_second") or 0.0
        busiest = max(busiest, (work, numbers.metric(name) or 0.0))
    return busiest[1] * clock or None


def tabled_peak(numbers: Numbers) -> float | None:
    """Return the architecture's dense rate for the main type, in FLOP/s."""
    main = main_type(numbers)
    sm_count, clock = numbers.number("sm_count"), numbers.number("sm_clock")
    capability = compute_capability(numbers)
    if main is None or capability is None or not sm_count or not clock:
        return None
    rate = facts.rate(capability, product_name(numbers), f"tensor_{main}")
    return rate.flops_per_clock_per_sm * sm_count * clock if rate else None


def _rates(numbers: Numbers, ending: str) -> dict[str, float]:
    """Return operations by input type; parts where there are parts, else totals."""
    kinds: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    for name in numbers.names(_COUNTERS):
        base, _, rest = name.partition(".")
        match = _NAME.match(base) if rest == ending else None
        value = numbers.metric(name)
        if match and value is not None:
            detail = "op" if match["op"] else "sparsity" if match["sparsity"] else "total"
            kinds[match["type"]][detail] += value
    return {
        kind: next(parts[d] for d in ("op", "sparsity", "total") if d in parts)
        for kind, parts in kinds.items()
    }


def _by_opcode(numbers: Numbers) -> dict[str, float] | None:
    """Return operations by input type from the opcode histogram; None without one."""
    counts = numbers.histogram(MODIFIERS)
    if counts is None:
        return None
    work: dict[str, float] = defaultdict(float)
    for opcode, count in counts.items():
        match = _SHAPE.match(opcode)
        size = _SHAPES.get(match["shape"]) if match else None
        if size:
            work[_OPCODE_TYPES.get(opcode.split(".")[0], "fp16")] += 2.0 * size * count
    return dict(work)

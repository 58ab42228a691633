"""The numbers of a kernel by the names that rules use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ncu_triage.model import CatalogueEntry, Kernel

_STALL = "stall_{}_pct"
PIPES = {
    "pipe_fma_pct": "the FMA pipe",
    "pipe_alu_pct": "the ALU pipe",
    "pipe_fp16_pct": "the FP16 pipe",
    "pipe_fp64_pct": "the FP64 pipe",
    "pipe_tensor_pct": "the tensor pipe",
    "pipe_xu_pct": "the XU pipe",
}
SM = "sm_throughput_pct"
UNITS = {
    "dram_throughput_pct": "DRAM",
    "l2_throughput_pct": "L2",
    "l1_throughput_active_pct": "L1/shared memory",
    "issue_active_pct": "instruction issue",
    **PIPES,
}


def numbers(kernel: Kernel) -> dict[str, float]:
    """Return every number of a kernel: its quantities and its stalls in percent.

    A state that the profiler measured nothing for is 0 once any state was measured;
    without stall data no stall name is present at all.
    """
    found = {k: v for k, v in kernel.quantities.items() if isinstance(v, float)}
    if kernel.stalls:
        found |= {_STALL.format(s): 0.0 for s in STALL_STATES}
        found |= {_STALL.format(s): 100 * v for s, v in kernel.stalls.fractions.items()}
    for name, units in (("busiest_unit_pct", UNITS), ("busiest_pipe_pct", PIPES)):
        unit = busiest(found, units)
        if unit:
            found[name] = found[unit]
    if SM in found and stands_for_the_sm(found):
        found["busiest_unit_pct"] = max(found.get("busiest_unit_pct", 0.0), found[SM])
    if batch := batch_at_ridge(found):
        found["batch_at_ridge"] = batch
    return found


def rough(kernel: Kernel) -> frozenset[str]:
    """Name the quantities that are a rough estimate: no limit may be read off them."""
    return frozenset(name for name, origin in kernel.provenance.items() if origin.rough)


def batch_at_ridge(n: Mapping[str, float]) -> float | None:
    """Return how many vectors at once bring a matrix-vector product to the ridge.

    A batch of b does b times the work. The matrix is read once, while what belongs to one
    vector moves b times; of that the written part is known. With F FLOP and R bytes read and
    W written by one launch, (b * F) / (R + b * W) is the ridge at b = ridge * R / (F - ridge
    * W). None where even that traffic alone stays left of the ridge. The bytes read for each
    vector count as the matrix's, so it is rather more.
    """
    names = ("flops", "duration", "ridge_point", "dram_bytes_read", "dram_bytes_written")
    if not all(name in n for name in names):
        return None
    flops, duration, ridge, read, written = (n[name] for name in names)
    beyond = flops * duration - ridge * written
    return ridge * read / beyond if beyond > 0 else None


def stands_for_the_sm(n: Mapping[str, float]) -> bool:
    """Say whether the SM throughput is all that is known of the inside of an SM.

    It is the highest of the SM's units, so it adds nothing where those were collected; it
    says nothing of the memory, so it is no busiest unit where it stands alone.
    """
    return not any(unit in n for unit in ("issue_active_pct", *PIPES)) and any(
        unit in n for unit in UNITS
    )


def busiest(n: Mapping[str, float], units: Iterable[str]) -> str | None:
    """Return the unit with the highest utilisation, or None where none is known."""
    return max((unit for unit in units if unit in n), key=lambda unit: n[unit], default=None)


def texts(kernel: Kernel) -> dict[str, str]:
    """Return every text of a kernel that a rule may ask for."""
    found = {k: v for k, v in kernel.quantities.items() if isinstance(v, str)}
    found |= {"name": kernel.name, "demangled": kernel.demangled, "workload": kernel.workload}
    pipe = busiest({k: v for k, v in kernel.quantities.items() if isinstance(v, float)}, PIPES)
    if pipe:
        found["busiest_pipe"] = PIPES[pipe][:1].upper() + PIPES[pipe][1:]
    return found


STALL_STATES = (
    "barrier",
    "branch_resolving",
    "dispatch_stall",
    "drain",
    "gmma",
    "imc_miss",
    "lg_throttle",
    "long_scoreboard",
    "math_pipe_throttle",
    "membar",
    "mio_throttle",
    "misc",
    "no_instruction",
    "not_selected",
    "selected",
    "short_scoreboard",
    "sleeping",
    "tex_throttle",
    "wait",
)


def engine_entries() -> dict[str, CatalogueEntry]:
    """Describe the names made here, for the evidence that cites them."""
    stalls = {
        _STALL.format(state): CatalogueEntry(
            unit="%",
            label=f"Warps in state {state.replace('_', ' ')}",
            basis="warp states",
            formula=f"100 * stalls.{state}",
        )
        for state in STALL_STATES
    }
    return stalls | {
        "busiest_unit_pct": CatalogueEntry(
            unit="%", label="Busiest unit", basis="its own peak", formula="max of all units"
        ),
        "busiest_pipe_pct": CatalogueEntry(
            unit="%", label="Busiest math pipe", basis="active", formula="max of the math pipes"
        ),
        "batch_at_ridge": CatalogueEntry(
            unit="",
            label="Batch at the ridge",
            formula="ridge_point * dram_bytes_read"
            " / (flops * duration - ridge_point * dram_bytes_written)",
            estimated=True,
        ),
    }

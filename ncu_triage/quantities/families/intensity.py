"""Work per byte at each level of memory, and the ridge that divides the two walls."""

from ncu_triage.quantities.catalogue import Labels, Quantity, quantity
from ncu_triage.quantities.ways import Computed, Numbers, formula

_PARTS = ("flops_fp64", "flops_fp32", "flops_fp16", "flops_tensor")
# Single half-precision instructions pass through the tensor pipe on some parts.
_TRACE = 1.0
# A wavefront of the L1's return path carries 128 bytes; the counter's name changed.
_L1 = ("_mem_lgds", "_mem_lg", "")


def _all_flops(numbers: Numbers) -> float | None:
    """Add up the precisions; the sum is known only where its main parts are.

    Tensor work that was not counted is none where the tensor pipe was idle.
    """
    if numbers.number("flops_fp32") is None or numbers.number("flops_fp64") is None:
        return None
    if numbers.number("flops_tensor") is None and not _no_tensor_work(numbers):
        return None
    return sum(numbers.number(part) or 0.0 for part in _PARTS)


def _no_tensor_work(numbers: Numbers) -> bool:
    pipe = numbers.number("pipe_tensor_pct")
    return numbers.number("tensor_over_fp32_rate") == 0.0 or (pipe is not None and pipe < _TRACE)


def _main_peak(numbers: Numbers) -> float | None:
    """Return the peak of the precision that does most of the work, fp32 where none does."""
    work = {part: numbers.number(part) or 0.0 for part in _PARTS}
    main = max(work, key=lambda part: work[part]) if any(work.values()) else "flops_fp32"
    return numbers.number(f"peak_{main}")


def _ai(id: str, label: str, bandwidth: str) -> Quantity:
    basis = Labels(label, f"{label.split()[-1]} bytes")
    return quantity(id, "FLOP/byte", basis, formula(f"flops / {bandwidth}"))


QUANTITIES = (
    quantity(
        "flops",
        "FLOP/s",
        "Floating-point work",
        Computed(_all_flops, " + ".join(_PARTS), (), _PARTS),
    ),
    quantity(
        "l2_bandwidth",
        "byte/s",
        "L2 to SM bandwidth",
        formula("32 * [lts__lts2xbar_cycles_active.sum.per_second]"),
        formula("32 * [lts__t_sectors_srcunit_tex.sum] / duration"),
    ),
    quantity(
        "l1_bandwidth",
        "byte/s",
        "L1 bandwidth",
        *(formula(f"128 * [l1tex__lsu_writeback_active{end}.sum.per_second]") for end in _L1),
        *(formula(f"128 * [l1tex__lsu_writeback_active{end}.sum] / duration") for end in _L1),
    ),
    quantity(
        "l2_peak_bandwidth",
        "byte/s",
        "L2 peak bandwidth",
        formula(
            "32 * [lts__lts2xbar_cycles_active.sum.peak_sustained]"
            " * [lts__cycles_elapsed.avg.per_second]"
        ),
    ),
    quantity(
        "l1_peak_bandwidth",
        "byte/s",
        "L1 peak bandwidth",
        *(
            formula(
                f"128 * [l1tex__lsu_writeback_active{end}.sum.peak_sustained]"
                " * [l1tex__cycles_elapsed.avg.per_second]"
            )
            for end in _L1
        ),
    ),
    _ai("arithmetic_intensity", "Work per byte of DRAM", "dram_bandwidth"),
    _ai("arithmetic_intensity_l2", "Work per byte of L2", "l2_bandwidth"),
    _ai("arithmetic_intensity_l1", "Work per byte of L1", "l1_bandwidth"),
    quantity(
        "ridge_point",
        "FLOP/byte",
        "Ridge of the main precision",
        Computed(
            lambda numbers: (
                peak / bandwidth
                if (peak := _main_peak(numbers))
                and (bandwidth := numbers.number("dram_peak_bandwidth"))
                else None
            ),
            "peak of the main precision / dram_peak_bandwidth",
            (),
            ("dram_peak_bandwidth",),
        ),
    ),
)

"""The memory system above DRAM: L1/TEX, shared memory, L2."""

from ncu_triage.quantities.catalogue import Labels, quantity
from ncu_triage.quantities.ways import Computed, Numbers, formula

_THROUGHPUT = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
_SM_THROUGHPUT = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
_ELAPSED = ".avg.pct_of_peak_sustained_elapsed"
# Constituents by unit, for exports that lack the breakdown's list of names.
_MEMORY_UNITS = ("dram__cycles_active", "fbpa__dram_sectors", "l1tex__", "lts__")
_NOT_CONSTITUENTS = ("throughput", "_mem_", "_pipe_lsu_", "_pipe_tex_", "srcunit")
_SM_UNITS = ("idc__request_cycles_active", "sm__inst_executed", "sm__issue_active", "sm__mio")
_SM_PIPES = ("sm__pipe_", "sm__mem_tensor")


def _busiest(numbers: Numbers, headline: str, prefixes: tuple[str, ...]) -> str | None:
    """Name the busiest constituent of a throughput metric."""
    listed = numbers.text(f"breakdown:{headline}")
    if listed:
        names = listed.split(",")
    else:
        names = [
            name
            for prefix in prefixes
            for name in numbers.names(prefix)
            if name.endswith(_ELAPSED) and not any(part in name for part in _NOT_CONSTITUENTS)
        ]
    found = [(value, name) for name in names if (value := numbers.metric(name)) is not None]
    return max(found)[1].removesuffix(_ELAPSED) if found else None


def _memory_limiter(numbers: Numbers) -> str | None:
    return _busiest(numbers, _THROUGHPUT, _MEMORY_UNITS)


def _sm_limiter(numbers: Numbers) -> str | None:
    return _busiest(numbers, _SM_THROUGHPUT, (*_SM_UNITS, *_SM_PIPES))


QUANTITIES = (
    quantity(
        "memory_throughput_pct",
        "%",
        Labels("Memory throughput", "elapsed"),
        _THROUGHPUT,
        "gpu__compute_memory_sol_pct",
    ),
    quantity(
        "memory_limiter",
        "",
        "Busiest memory constituent",
        Computed(_memory_limiter, "the constituent of memory throughput with the highest value"),
    ),
    quantity(
        "sm_limiter",
        "",
        "Busiest SM constituent",
        Computed(_sm_limiter, "the constituent of SM throughput with the highest value"),
    ),
    quantity(
        "l1_throughput_active_pct",
        "%",
        Labels("L1/TEX and shared memory", "active"),
        "l1tex__throughput.avg.pct_of_peak_sustained_active",
        formula(
            "[l1tex__throughput.avg.pct_of_peak_sustained_elapsed] * 100 / sm_active_pct",
            estimated=True,
        ),
        "tex__sol_pct",
    ),
    quantity(
        "l1_throughput_elapsed_pct",
        "%",
        Labels("L1/TEX and shared memory", "elapsed"),
        "l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
        formula("l1_throughput_active_pct * sm_active_pct / 100", estimated=True),
    ),
    quantity(
        "l2_throughput_pct",
        "%",
        Labels("L2 throughput", "elapsed"),
        "lts__throughput.avg.pct_of_peak_sustained_elapsed",
        "ltc__sol_pct",
    ),
    quantity(
        "l1_hit_pct",
        "%",
        Labels("L1 hit rate", "L1 sectors looked up", at_most=100),
        "l1tex__t_sector_hit_rate.pct",
    ),
    quantity(
        "l2_hit_pct",
        "%",
        Labels("L2 hit rate", "L2 sectors looked up", at_most=100),
        "lts__t_sector_hit_rate.pct",
    ),
    quantity(
        "l2_slice_imbalance",
        "",
        "Busiest L2 slice over the average",
        formula("[lts__cycles_active.max] / [lts__cycles_active.avg]"),
    ),
    quantity(
        "system_memory_pct",
        "%",
        Labels("L2 misses to system memory", "L2 misses of the SMs", at_most=100),
        formula(
            "100 * [lts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss.sum]"
            " / [lts__t_sectors_srcunit_tex_lookup_miss.sum]"
        ),
    ),
)

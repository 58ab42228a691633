"""The memory system above DRAM: L1/TEX, shared memory, L2."""

from ncu_triage.quantities.catalogue import Labels, quantity
from ncu_triage.quantities.ways import Computed, Numbers, formula

_THROUGHPUT = "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
_SM_THROUGHPUT = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
_ELAPSED = ".avg.pct_of_peak_sustained_elapsed"
# The constituents by name, for exports that lack the breakdown's own list of them.
_MEMORY = (
    *("dram__cycles_active", "fbpa__dram_sectors", "lts__d_atomic_input_cycles_active"),
    *("l1tex__data_bank_reads", "l1tex__data_bank_writes", "l1tex__data_pipe_lsu_wavefronts"),
    *("l1tex__data_pipe_tex_wavefronts", "l1tex__f_wavefronts", "l1tex__lsu_writeback_active"),
    *("l1tex__lsuin_requests", "l1tex__m_l1tex2xbar_req_cycles_active"),
    *("l1tex__m_xbar2l1tex_read_sectors", "l1tex__tex_writeback_active"),
    *("l1tex__texin_sm2tex_req_cycles_active", "l1tex__tmain_requests", "lts__d_sectors"),
    *("lts__d_sectors_fill_device", "lts__d_sectors_fill_sysmem", "lts__lts2xbar_cycles_active"),
    *("lts__t_sectors", "lts__t_tag_requests", "lts__xbar2lts_cycles_active"),
)
_SM = (
    *("idc__request_cycles_active", "sm__inst_executed", "sm__inst_executed_pipe_adu"),
    *("sm__inst_executed_pipe_cbu_pred_on_any", "sm__inst_executed_pipe_ipa"),
    *("sm__inst_executed_pipe_lsu", "sm__inst_executed_pipe_tex", "sm__inst_executed_pipe_xu"),
    *("sm__inst_executed_pipe_uniform", "sm__inst_executed_pipe_fp16", "sm__issue_active"),
    *("sm__mio2rf_writeback_active", "sm__mio_inst_issued", "sm__mio_pq_read_cycles_active"),
    *(
        "sm__mio_pq_write_cycles_active",
        "sm__pipe_alu_cycles_active",
        "sm__mem_tensor_cycles_active",
    ),
    *("sm__pipe_aluheavy_cycles_active", "sm__pipe_fma_cycles_active", "sm__pipe_tc_cycles_active"),
    *(
        "sm__pipe_fmaheavy_cycles_active",
        "sm__pipe_fp64_cycles_active",
        "sm__pipe_tma_cycles_active",
    ),
    *("sm__pipe_shared_cycles_active", "sm__pipe_tensor_cycles_active"),
    *("sm__pipe_tensor_op_dmma_cycles_active",),
    "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active",
)


def _busiest(numbers: Numbers, headline: str, known: tuple[str, ...]) -> str | None:
    """Name the busiest constituent of a throughput metric."""
    listed = numbers.text(f"breakdown:{headline}")
    names = listed.split(",") if listed else [name + _ELAPSED for name in known]
    found = [(value, name) for name in names if (value := numbers.metric(name)) is not None]
    return max(found)[1].removesuffix(_ELAPSED) if found else None


def _memory_limiter(numbers: Numbers) -> str | None:
    return _busiest(numbers, _THROUGHPUT, _MEMORY)


def _sm_limiter(numbers: Numbers) -> str | None:
    return _busiest(numbers, _SM_THROUGHPUT, _SM)


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

"""The SM: issue slots, pipes, instructions per cycle."""

from ncu_triage.quantities.catalogue import Labels, Quantity, quantity
from ncu_triage.quantities.ways import MaxOf, Metric, Way, formula

_ACTIVE = ".avg.pct_of_peak_sustained_active"
_ELAPSED = ".avg.pct_of_peak_sustained_elapsed"


def _pipe(id: str, label: str, *counters: str) -> Quantity:
    """Declare a pipe's utilisation while SMs are active, from the first counter present.

    The basic set stores pipes over elapsed time only; over active time they are larger
    by the share of time in which the SMs worked.
    """
    active: list[Way] = [Metric(counter + _ACTIVE) for counter in counters]
    elapsed: list[Way] = [
        formula(f"[{counter}{_ELAPSED}] * 100 / sm_active_pct", estimated=True)
        for counter in counters
    ]
    return quantity(id, "%", Labels(label, "active"), *active, *elapsed)


_TENSOR = (
    "sm__pipe_tensor_cycles_active",
    "sm__pipe_tensor_cycles_active_v2",
    "sm__pipe_tensor_op_hmma_cycles_active",
    "sm__pipe_tensor_op_hmma_cycles_active_v2",
    "sm__pipe_tensor_op_imma_cycles_active",
    "sm__pipe_tensor_op_dmma_cycles_active",
    "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active",
    "sm__pipe_tensor_subpipe_hmma_cycles_active",
    "sm__pipe_tensor_subpipe_imma_cycles_active",
    "sm__pipe_tc_cycles_active",
)

QUANTITIES = (
    quantity(
        "sm_throughput_pct",
        "%",
        Labels("SM throughput", "elapsed"),
        "sm__throughput.avg.pct_of_peak_sustained_elapsed",
        "sm__sol_pct",
    ),
    quantity(
        "sm_busy_active_pct",
        "%",
        Labels("SM busy (pipes and issue)", "active"),
        "sm__instruction_throughput.avg.pct_of_peak_sustained_active",
    ),
    quantity(
        "sm_busy_elapsed_pct",
        "%",
        Labels("SM busy (pipes and issue)", "elapsed"),
        "sm__instruction_throughput.avg.pct_of_peak_sustained_elapsed",
        formula("sm_busy_active_pct * sm_active_pct / 100", estimated=True),
    ),
    quantity(
        "issue_active_pct",
        "%",
        Labels("Issue slots", "active"),
        "smsp__issue_active.avg.pct_of_peak_sustained_active",
        formula("100 * [smsp__issue_active.avg.per_cycle_active]"),
        "sm__inst_issued.avg.pct_of_peak_sustained_active",
        formula(
            "100 * [sm__issue_active.avg.pct_of_peak_sustained_elapsed] / sm_active_pct",
            estimated=True,
        ),
    ),
    quantity(
        "issue_active",
        "",
        Labels("Issue slots in use", "active cycles of a scheduler"),
        "smsp__issue_active.avg.per_cycle_active",
        formula("issue_active_pct / 100"),
    ),
    quantity(
        "ipc",
        "inst/cycle",
        Labels("Instructions per cycle and SM", "active"),
        "sm__inst_executed.avg.per_cycle_active",
    ),
    quantity(
        "active_warps",
        "warp",
        Labels("Active warps per scheduler", "active cycles"),
        "smsp__warps_active.avg.per_cycle_active",
        formula("[sm__warps_active.avg.per_cycle_active] / 4"),
    ),
    quantity(
        "eligible_warps",
        "warp",
        Labels("Eligible warps per scheduler", "active cycles"),
        "smsp__warps_eligible.avg.per_cycle_active",
    ),
    _pipe(
        "pipe_fma_pct",
        "FMA pipe",
        "sm__pipe_fma_cycles_active",
        "sm__inst_executed_pipe_fma",
    ),
    _pipe(
        "pipe_alu_pct",
        "ALU pipe",
        "sm__pipe_alu_cycles_active",
        "sm__inst_executed_pipe_alu",
    ),
    _pipe(
        "pipe_fp16_pct",
        "FP16 pipe",
        "sm__inst_executed_pipe_fp16",
        "sm__inst_executed_pipe_fma_type_fp16",
    ),
    _pipe(
        "pipe_fp64_pct",
        "FP64 pipe",
        "sm__pipe_fp64_cycles_active",
        "sm__inst_executed_pipe_fp64",
        "sm__inst_executed_pipe_fp64_op_fp64",
    ),
    quantity(
        "pipe_tensor_elapsed_pct",
        "%",
        Labels("Tensor pipe", "elapsed"),
        MaxOf(tuple(name + _ELAPSED for name in _TENSOR)),
    ),
    quantity(
        "pipe_tensor_pct",
        "%",
        Labels("Tensor pipe", "active"),
        MaxOf(tuple(name + _ACTIVE for name in _TENSOR)),
        formula("pipe_tensor_elapsed_pct * 100 / sm_active_pct", estimated=True),
    ),
    _pipe("pipe_lsu_pct", "Load/store pipe", "sm__inst_executed_pipe_lsu"),
    _pipe("pipe_xu_pct", "XU pipe (special functions)", "sm__inst_executed_pipe_xu"),
)

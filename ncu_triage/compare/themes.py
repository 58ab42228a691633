"""What the quantities are about: the themes that explain why a kernel's time moved.

A theme has the id of the rule on the same subject where there is one. The sign before a
quantity says which way is the better one: + up, - down, . neither.
"""

from __future__ import annotations

from typing import NamedTuple


class Subject(NamedTuple):
    """A theme: its words, and the signed quantities that belong to it."""

    label: str
    quantities: tuple[str, ...]


THEMES = {
    "uncoalesced-access": Subject(
        "Access to global memory",
        (
            "-excess_sectors_pct",
            "-load_sectors_per_request",
            "-store_sectors_per_request",
            "+bytes_per_sector_load",
        ),
    ),
    "bank-conflicts": Subject(
        "Shared-memory bank conflicts",
        (
            "-bank_conflict_pct",
            "-shared_load_ways",
            "-shared_store_ways",
            "-bank_conflict_load_pct",
            "-bank_conflict_store_pct",
            "-excess_shared_wavefronts_pct",
        ),
    ),
    "no-data-reuse": Subject(
        "Bytes moved, and reuse",
        ("-dram_bytes", "-l2_bytes", ".l1_hit_pct", ".l2_hit_pct", "-dram_bytes_read"),
    ),
    "unit-work": Subject(
        "Work of the units", ("-l2_busy_cycles", "-l1_busy_cycles", "-sm_busy_cycles")
    ),
    "shared-memory": Subject(
        "Use of shared memory",
        (".shared_ld_requests", ".shared_st_requests", ".shared_memory_per_block"),
    ),
    "instruction-overhead": Subject(
        "Instructions executed", ("-instructions", "-overhead_pct", "-mov_pct")
    ),
    "fp64": Subject("Double precision", ("-fp64_operations", ".fp64_math_pct", "-conversion_pct")),
    "fp32": Subject("Single precision", (".fp32_operations", "-non_fused_pct")),
    "tensor": Subject("Tensor cores", (".tensor_operations", ".warp_mma_pct", ".group_mma_pct")),
    "warp-divergence": Subject(
        "Divergence",
        ("+threads_per_instruction", "+predicated_threads_per_instruction", "+branch_uniform_pct"),
    ),
    "atomics-contention": Subject(
        "Atomics and L2 slices", ("-atomic_requests", "-l2_slice_imbalance")
    ),
    "local-memory-traffic": Subject(
        "Local memory and spills",
        (
            "-local_sectors_pct",
            "-local_load_requests",
            "-local_store_requests",
            "-spill_instructions",
        ),
    ),
    "low-occupancy": Subject(
        "Occupancy",
        ("+achieved_occupancy_pct", "+theoretical_occupancy_pct", ".registers_per_thread"),
    ),
    "small-grid": Subject(
        "How the grid fills the GPU",
        (
            "+sm_active_pct",
            "+tail_efficiency_pct",
            ".waves_per_sm",
            "-sm_imbalance_pct",
            ".grid_size",
            ".block_size",
        ),
    ),
    "scalar-loads": Subject("Width of loads", ("-scalar_load_pct",)),
    "synchronous-copies": Subject("Asynchronous copies", (".async_copy_pct",)),
    "system-memory-traffic": Subject("Traffic to system memory", ("-system_memory_pct",)),
    "barrier-stalls": Subject("Waiting at barriers", ("-stall_barrier_pct",)),
    "latency-not-hidden": Subject(
        "Waiting for memory", ("-stall_long_scoreboard_pct", "-stall_lg_throttle_pct")
    ),
    "stall-short-scoreboard": Subject(
        "Waiting for shared memory", ("-stall_short_scoreboard_pct", "-stall_mio_throttle_pct")
    ),
    "stall-math-throttle": Subject("Waiting for a math pipe", ("-stall_math_pipe_throttle_pct",)),
    "stall-instruction-cache": Subject(
        "Waiting for instructions", ("-stall_no_instruction_pct", "-stall_branch_resolving_pct")
    ),
}

# Rules about a theme that has another rule's id.
SAME_THEME = {
    "accidental-fp64": "fp64",
    "block-size-not-warp-multiple": "warp-divergence",
    "fp64-on-weak-gpu": "fp64",
    "gemv-like": "no-data-reuse",
    "issue-slots-bound": "instruction-overhead",
    "non-fused-arithmetic": "fp32",
    "register-spilling": "local-memory-traffic",
    "single-resident-block": "low-occupancy",
    "stall-lg-throttle": "latency-not-hidden",
    "stall-long-scoreboard": "latency-not-hidden",
    "stall-mio-throttle": "stall-short-scoreboard",
    "tail-effect": "small-grid",
    "tensor-cores-idle": "tensor",
    "workload-imbalance": "small-grid",
}

# How busy the units are: where the kernel leans now, and where it leaned.
UNITS = (
    "dram_throughput_pct",
    "l2_throughput_pct",
    "l1_throughput_active_pct",
    "issue_active_pct",
)
PIPES = (
    "pipe_fma_pct",
    "pipe_alu_pct",
    "pipe_fp16_pct",
    "pipe_fp64_pct",
    "pipe_tensor_pct",
    "pipe_xu_pct",
)

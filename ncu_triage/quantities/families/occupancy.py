"""The launch's shape, how many warps fit an SM, and how full the last wave is."""

from ncu_triage.quantities.catalogue import LAUNCH_SHAPE, Labels, Quantity, quantity
from ncu_triage.quantities.ways import Computed, Numbers, Way, formula

_LIMITS = {
    "blocks": "launch__occupancy_limit_blocks",
    "registers": "launch__occupancy_limit_registers",
    "shared memory": "launch__occupancy_limit_shared_mem",
    "warps": "launch__occupancy_limit_warps",
    "barriers": "launch__occupancy_limit_barriers",
}


def _limits(numbers: Numbers) -> dict[str, float]:
    found = {what: numbers.metric(name) for what, name in _LIMITS.items()}
    return {what: value for what, value in found.items() if value}


def _blocks_per_sm(numbers: Numbers) -> float | None:
    return min(_limits(numbers).values(), default=None)


def _limiters(numbers: Numbers) -> str | None:
    """Name every limit that is tied at the lowest number of blocks."""
    limits = _limits(numbers)
    lowest = min(limits.values(), default=0.0)
    return ", ".join(what for what, value in limits.items() if value == lowest) or None


def _shape(id: str, unit: str, label: str, *ways: Way | str) -> Quantity:
    return quantity(id, unit, Labels(label, None, LAUNCH_SHAPE), *ways)


_NAMES = tuple(_LIMITS.values())

QUANTITIES = (
    _shape(
        "grid_size",
        "block",
        "Blocks in the grid",
        "launch__grid_size",
        formula("[launch__grid_dim_x] * [launch__grid_dim_y] * [launch__grid_dim_z]"),
    ),
    _shape(
        "block_size",
        "thread",
        "Threads in a block",
        "launch__block_size",
        formula("[launch__block_dim_x] * [launch__block_dim_y] * [launch__block_dim_z]"),
    ),
    quantity(
        "warp_fill_pct",
        "%",
        Labels("Threads that the block's warps really have", "32 per warp", LAUNCH_SHAPE),
        formula("100 * block_size / (32 * ceil(block_size / 32))"),
    ),
    _shape(
        "register_cap",
        "",
        "Registers per thread that such a block can have",
        formula(
            "min(255, 8 * floor([device__attribute_max_registers_per_block] / (8 * block_size)))"
        ),
    ),
    _shape("registers_per_thread", "", "Registers per thread", "launch__registers_per_thread"),
    _shape(
        "shared_memory_per_block",
        "byte",
        "Shared memory per block",
        "launch__shared_mem_per_block",
        formula(
            "[launch__shared_mem_per_block_static] + [launch__shared_mem_per_block_dynamic]"
            " + [launch__shared_mem_per_block_driver]"
        ),
    ),
    _shape(
        "blocks_per_sm",
        "block",
        "Blocks that fit an SM",
        Computed(_blocks_per_sm, "the lowest of the occupancy limits", _NAMES),
    ),
    _shape(
        "occupancy_limiters",
        "",
        "What limits occupancy",
        Computed(_limiters, "every limit that equals the lowest", _NAMES),
    ),
    _shape(
        "waves_per_sm",
        "",
        "Waves",
        formula("grid_size / (blocks_per_sm * sm_count)"),
        "launch__waves_per_multiprocessor",
    ),
    _shape(
        "tail_efficiency_pct",
        "%",
        "Wave quantisation",
        formula("100 * waves_per_sm / ceil(waves_per_sm)"),
    ),
    _shape(
        "last_wave_pct",
        "%",
        "How full the last wave is",
        formula("100 * (waves_per_sm - (ceil(waves_per_sm) - 1))"),
    ),
    quantity(
        "theoretical_occupancy_pct",
        "%",
        Labels("Theoretical occupancy", "warps that fit an SM", LAUNCH_SHAPE),
        "sm__maximum_warps_per_active_cycle_pct",
        formula("100 * blocks_per_sm * ceil(block_size / 32) / warps_per_sm_maximum"),
    ),
    quantity(
        "achieved_occupancy_pct",
        "%",
        Labels("Achieved occupancy", "active", LAUNCH_SHAPE),
        "sm__warps_active.avg.pct_of_peak_sustained_active",
        "sm__active_warps_avg_per_active_cycle_pct",
        formula("100 * [sm__warps_active.avg.per_cycle_active] / warps_per_sm_maximum"),
    ),
    quantity(
        "sm_imbalance_pct",
        "%",
        Labels("SM imbalance", "busiest SM"),
        formula("100 * (1 - [sm__cycles_active.avg] / [sm__cycles_active.max])"),
    ),
)

"""Time, cycles and clocks of one launch."""

from ncu_triage.quantities.catalogue import Labels, quantity
from ncu_triage.quantities.ways import Metric, formula

_DAY = 86400  # No kernel runs for longer: what says so is not a time.

QUANTITIES = (
    quantity(
        "duration",
        "s",
        Labels("Duration", at_most=_DAY, above=0),
        Metric("gpu__time_duration.sum", 1e-9),
        Metric("gpu__time_duration.max", 1e-9),
        Metric("gpu__time_duration.avg", 1e-9),
        Metric("gpu__time_duration", 1e-9),
        formula("[gpc__cycles_elapsed.max] / [gpc__cycles_elapsed.avg.per_second]"),
    ),
    quantity(
        "elapsed_cycles",
        "cycle",
        "Elapsed cycles",
        "gpc__cycles_elapsed.max",
        "sm__cycles_elapsed.max",
        "gpc__elapsed_cycles_max",
    ),
    quantity(
        "sm_active_pct",
        "%",
        Labels("SM active time", "elapsed", at_most=102),
        formula("100 * [sm__cycles_active.avg] / elapsed_cycles"),
        formula("100 * [sm__active_cycles_avg] / elapsed_cycles"),
    ),
    quantity(
        "sm_clock",
        "Hz",
        "SM clock",
        "gpc__cycles_elapsed.avg.per_second",
        "sm__cycles_elapsed.avg.per_second",
        "smsp__cycles_elapsed.avg.per_second",
        "gpc__frequency",
    ),
    quantity(
        "sm_clock_maximum",
        "Hz",
        "Highest SM clock",
        Metric("device__attribute_clock_rate", 1e3),
    ),
    quantity(
        "sm_clock_ratio",
        "",
        "SM clock over the highest",
        formula("sm_clock / sm_clock_maximum"),
    ),
    quantity(
        "dram_clock",
        "Hz",
        "DRAM clock",
        "dram__cycles_elapsed.avg.per_second",
        "dram__frequency",
    ),
    quantity("replay_passes", "", "Replay passes", "profiler__replayer_passes"),
    quantity(
        "sampling_samples",
        "",
        "Warp-state samples",
        "smsp__pcsamp_sample_count",
    ),
)

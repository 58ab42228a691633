"""Where kernels lie under their roofs."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel

FLOP = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
CLOCK = {"gpc__cycles_elapsed.avg.per_second": 1e9}


def _flops(**per_cycle: float) -> dict[str, float | str]:
    every = [f"{p}{op}" for p in "df" for op in ("add", "mul", "fma")]
    return {FLOP.format(op): per_cycle.get(op, 0.0) for op in every}


def test_a_point_is_work_over_bandwidth_under_the_reports_own_peaks() -> None:
    metrics = {
        **A4500,
        **CLOCK,
        **_flops(ffma=100.0),
        "dram__bytes.sum.per_second": 400e9,
        "sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained": 7168.0,
    }
    roof = kernel(metrics).roofline
    (point,) = roof.points
    assert (point.precision, point.level) == ("fp32", "DRAM")
    assert point.performance == 200e9
    assert point.intensity == pytest.approx(0.5)
    compute = next(c for c in roof.ceilings if c.kind == "compute")
    assert compute.value == 2 * 7168 * 1e9
    assert "report's counters" in compute.source


def test_without_the_reports_peaks_the_architecture_gives_them_and_says_so() -> None:
    metrics = {**A4500, **CLOCK, **_flops(dadd=10.0), "dram__bytes.sum.per_second": 400e9}
    compute = next(c for c in kernel(metrics).roofline.ceilings if c.kind == "compute")
    assert compute.value == 4 * 56 * 1e9
    assert "architecture" in compute.source


def test_two_precisions_are_two_points() -> None:
    metrics = {
        **A4500,
        **CLOCK,
        **_flops(fadd=10.0, dadd=10.0),
        "dram__bytes.sum.per_second": 1e9,
    }
    assert {p.precision for p in kernel(metrics).roofline.points} == {"fp32", "fp64"}


def test_the_reachable_bandwidth_lies_below_the_nominal_one() -> None:
    metrics = {**A4500, "dram__bytes.sum.per_second": 400e9}
    nominal, reachable = (c for c in kernel(metrics).roofline.ceilings if c.kind == "bandwidth")
    assert nominal.nominal and not reachable.nominal
    assert 0.8 * nominal.value < reachable.value < nominal.value


def test_a_kernel_without_floating_point_is_placed_by_instructions() -> None:
    metrics = {
        **A4500,
        **CLOCK,
        **_flops(),
        "gpu__time_duration.sum": 1e6,
        "smsp__inst_executed.sum": 5e6,
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 0.0,
        "dram__bytes_read.sum": 1e8,
        "dram__bytes_write.sum": 0.0,
    }
    roof = kernel(metrics).roofline
    (point,) = roof.points
    assert (point.precision, point.performance, point.intensity) == ("inst", 5e9, 0.05)
    assert roof.note and "no floating-point work" in roof.note


def test_a_basic_report_shows_the_bandwidth_alone_and_what_to_collect() -> None:
    metrics = {**A4500, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 50.0}
    roof = kernel(metrics).roofline
    assert roof.placed
    assert roof.points[0].precision == "bandwidth"
    assert roof.note and "--section SpeedOfLight_RooflineChart" in roof.note


def test_what_cannot_be_placed_says_what_to_collect() -> None:
    roof = kernel({}).roofline
    assert not roof.placed
    assert roof.why_not and "--section" in roof.why_not


def test_a_gpu_without_dram_counters_says_that() -> None:
    roof = kernel({"device__attribute_integrated": 1.0}).roofline
    assert roof.why_not == "this GPU has no DRAM counters"


def test_tensor_work_that_was_not_counted_leaves_the_sum_unknown() -> None:
    pipe = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
    busy = kernel({**A4500, **CLOCK, **_flops(ffma=1.0), pipe: 60.0})
    idle = kernel({**A4500, **CLOCK, **_flops(ffma=1.0), pipe: 0.4})
    assert "flops" not in busy.quantities
    assert idle.quantities["flops"] == 2e9

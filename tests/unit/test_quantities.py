"""Quantities from metrics, with numbers worked out by hand."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel, launch

from ncu_triage.quantities.catalogue import catalogue
from ncu_triage.quantities.resolve import Resolver

HMMA = "sass__inst_executed_per_opcode_with_modifier_all"
OPS = "sm__ops_path_tensor_"


def _number(name: str, metrics: dict[str, float | str], **fields: object) -> float | None:
    return Resolver(launch(metrics, **fields)).number(name)


@pytest.mark.parametrize(
    ("name", "metrics", "expected"),
    [
        ("duration", {"gpu__time_duration.sum": 1_420_832.0}, 1.420832e-3),
        ("duration", {"gpu__time_duration": 2_000.0}, 2e-6),
        (
            "duration",
            {"gpc__cycles_elapsed.max": 2e6, "gpc__cycles_elapsed.avg.per_second": 1e9},
            2e-3,
        ),
        (
            "sm_active_pct",
            {"sm__cycles_active.avg": 250.0, "gpc__cycles_elapsed.max": 1000.0},
            25.0,
        ),
        # 2 x 8 GHz x 320 bit / 8
        ("dram_peak_bandwidth", A4500, 640e9),
        ("dram_bytes", {"dram__bytes_read.sum": 3e6, "dram__bytes_write.sum": 1e6}, 4e6),
        ("dram_bytes", {"dram__sectors_read.sum": 10.0, "dram__sectors_write.sum": 5.0}, 480.0),
        (
            "waves_per_sm",
            {**A4500, "launch__grid_size": 120.0, "launch__occupancy_limit_warps": 2.0},
            120 / (2 * 56),
        ),
        (
            "waves_per_sm",
            {
                "launch__grid_size": 120.0,
                "launch__sm_count": 108.0,
                "launch__occupancy_limit_blocks": 16.0,
                "launch__occupancy_limit_shared_mem": 1.0,
            },
            120 / 108,
        ),
        (
            "bank_conflict_pct",
            {
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 92.0,
                "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 100.0,
            },
            92.0,
        ),
        (
            "load_sectors_per_request",
            {
                "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 2400.0,
                "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 100.0,
            },
            24.0,
        ),
        (
            "excess_sectors_pct",
            {
                "memory_l2_theoretical_sectors_global": 300.0,
                "memory_l2_theoretical_sectors_global_ideal": 100.0,
            },
            200 / 3,
        ),
        # Pipes of the basic set: 20 % of elapsed time, SMs active in half of it.
        (
            "pipe_fma_pct",
            {
                "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_elapsed": 20.0,
                "sm__cycles_active.avg": 500.0,
                "gpc__cycles_elapsed.max": 1000.0,
            },
            40.0,
        ),
    ],
)
def test_a_quantity_by_hand(name: str, metrics: dict[str, float | str], expected: float) -> None:
    assert _number(name, metrics) == pytest.approx(expected)


def test_the_last_wave_of_120_blocks_on_108_sms_is_eleven_percent_full() -> None:
    metrics = {
        "launch__grid_size": 120.0,
        "launch__sm_count": 108.0,
        "launch__occupancy_limit_shared_mem": 1.0,
    }
    assert _number("last_wave_pct", metrics) == pytest.approx(11.1, abs=0.05)
    assert _number("tail_efficiency_pct", metrics) == pytest.approx(55.6, abs=0.05)


def test_flops_count_an_fma_twice_and_half_precision_in_pairs() -> None:
    per_cycle = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
    metrics = {per_cycle.format(f"{p}{op}"): 10.0 for p in "dfh" for op in ("add", "mul", "fma")}
    metrics["gpc__cycles_elapsed.avg.per_second"] = 1e9
    assert _number("flops_fp32", metrics) == 40e9
    assert _number("flops_fp64", metrics) == 40e9
    assert _number("flops_fp16", metrics) == 80e9


def test_flops_come_from_the_opcodes_where_no_counter_is() -> None:
    counts = {"FADD": 100.0, "FFMA": 200.0, "HFMA2": 50.0, "MOV": 1e6}
    fields = {"histograms": {"sass__thread_inst_executed_true_per_opcode": counts}}
    metrics = {"gpu__time_duration.sum": 1000.0}
    assert _number("flops_fp32", metrics, **fields) == pytest.approx(500 / 1e-6)
    assert _number("flops_fp16", metrics, **fields) == pytest.approx(200 / 1e-6)
    assert _number("flops_fp64", metrics, **fields) == 0.0


def test_tensor_work_from_shapes_leaves_out_the_fma_that_is_called_mma() -> None:
    counts = {"HMMA.16816.F32": 10.0, "IMMA.8816.S8.S8.SAT": 1.0, "HFMA2.MMA": 1e9}
    numbers = Resolver(launch({"gpu__time_duration.sum": 1e9}, histograms={HMMA: counts}))
    assert numbers.number("flops_tensor") == 10 * 4096 + 2048
    assert numbers.value("tensor_precision") == "fp16"


def test_tensor_totals_are_not_added_to_their_parts() -> None:
    metrics = {
        f"{OPS}src_fp16.sum.per_second": 100.0,
        f"{OPS}op_hgmma_src_fp16_sparsity_off.sum.per_second": 60.0,
        f"{OPS}op_hmma_src_fp16_dst_fp32_sparsity_off.sum.per_second": 40.0,
        f"{OPS}src_fp64.sum.per_second": 5.0,
    }
    assert _number("flops_tensor", metrics) == 105.0


def test_a_dense_peak_is_not_the_sparse_total() -> None:
    metrics = {
        "device__attribute_compute_capability_major": 9.0,
        "device__attribute_compute_capability_minor": 0.0,
        "gpc__cycles_elapsed.avg.per_second": 1e9,
        f"{OPS}src_fp16.sum.per_second": 100.0,
        f"{OPS}src_fp16.sum.peak_sustained": 8192.0,
        f"{OPS}op_hgmma_src_fp16_sparsity_off.sum.per_second": 100.0,
        f"{OPS}op_hgmma_src_fp16_sparsity_off.sum.peak_sustained": 4096.0,
    }
    assert _number("peak_flops_tensor", metrics) == 4096e9


@pytest.mark.parametrize(
    ("metrics", "fields", "reason"),
    [
        ({}, {}, "not-collected"),
        ({}, {"valueless": frozenset({"l1tex__t_sector_hit_rate.pct"})}, "no-value"),
        ({}, {"nan": frozenset({"l1tex__t_sector_hit_rate.pct"})}, "nan"),
    ],
)
def test_what_is_missing_is_absent_with_its_reason(
    metrics: dict[str, float | str], fields: dict[str, object], reason: str
) -> None:
    made = kernel(metrics, **fields)
    assert "l1_hit_pct" not in made.quantities
    assert made.absent["l1_hit_pct"] == reason


def test_a_ratio_without_its_denominator_does_not_apply() -> None:
    made = kernel(
        {
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 0.0,
            "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 0.0,
        }
    )
    assert made.absent["bank_conflict_pct"] == "not-applicable"


def test_an_integrated_gpu_has_no_dram_counters() -> None:
    made = kernel({"device__attribute_integrated": 1.0})
    assert made.absent["dram_throughput_pct"] == "not-on-this-gpu"
    assert "dram_peak_bandwidth" not in made.quantities


def test_a_range_has_no_launch_shape() -> None:
    made = kernel({"launch__grid_size": 64.0}, workload="range")
    assert made.absent["grid_size"] == "not-applicable"


def test_the_limiter_is_the_busiest_constituent_itself() -> None:
    end = ".avg.pct_of_peak_sustained_elapsed"
    metrics = {
        f"breakdown:gpu__compute_memory_throughput{end}": f"dram__cycles_active{end},lts__x{end}",
        f"dram__cycles_active{end}": 30.0,
        f"lts__x{end}": 40.0,
        f"l1tex__not_listed{end}": 90.0,
    }
    assert Resolver(launch(metrics)).value("memory_limiter") == "lts__x"


def test_provenance_names_the_metric_or_the_formula() -> None:
    made = kernel({"dram__bytes_read.sum": 1.0, "dram__bytes_write.sum": 2.0})
    assert made.provenance["dram_bytes_read"].metric == "dram__bytes_read.sum"
    assert made.provenance["dram_bytes"].formula == "dram_bytes_read + dram_bytes_written"
    assert made.provenance["dram_bytes"].inputs == ["dram_bytes_read", "dram_bytes_written"]


def test_an_estimate_says_so() -> None:
    made = kernel({**A4500, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 50.0})
    assert made.quantities["dram_bandwidth"] == 320e9
    assert made.provenance["dram_bandwidth"].estimated


def test_every_input_of_a_quantity_exists_and_none_goes_in_circles() -> None:
    order: dict[str, int] = {}

    def depth(name: str, path: tuple[str, ...]) -> int:
        assert name not in path, f"circle: {' -> '.join((*path, name))}"
        if name not in order:
            inputs = {q for way in catalogue()[name].ways for q in way.quantities}
            order[name] = 1 + max((depth(q, (*path, name)) for q in inputs), default=0)
        return order[name]

    assert all(depth(name, ()) for name in catalogue())


def test_every_percentage_names_its_denominator() -> None:
    exempt = {"tail_efficiency_pct", "last_wave_pct"}
    unsaid = [
        item.id
        for item in catalogue().values()
        if item.unit == "%" and not item.basis and item.id not in exempt
    ]
    assert unsaid == []


ORIN = {
    "device__attribute_display_name": "Orin",
    "device__attribute_compute_capability_major": 8.0,
    "device__attribute_compute_capability_minor": 7.0,
    "device__attribute_multiprocessor_count": 16.0,
    "device__attribute_integrated": 1.0,
}


def test_an_integrated_gpus_traffic_is_estimated_from_l2_misses() -> None:
    misses = {"lts__t_sectors_srcunit_tex_lookup_miss.sum": 3.2e6, "gpu__time_duration.sum": 1e6}
    made = kernel({**ORIN, **misses})
    assert made.quantities["dram_bandwidth"] == pytest.approx(32 * 3.2e6 / 1e-3)
    assert made.quantities["dram_peak_bandwidth"] == pytest.approx(204.8e9)
    assert made.quantities["dram_throughput_pct"] == pytest.approx(50.0)
    assert made.provenance["dram_throughput_pct"].estimated
    assert made.provenance["dram_bandwidth"].estimated


def test_profiler_samples_that_end_with_a_metrics_name_are_not_that_metric() -> None:
    twin = "TriageSCG.sm__throughput.avg.pct_of_peak_sustained_elapsed"
    assert "sm_throughput_pct" not in kernel({twin: 1.8e6}).quantities


def test_branch_efficiency_zero_means_no_branches() -> None:
    name = "smsp__sass_average_branch_targets_threads_uniform.pct"
    assert "branch_uniform_pct" not in kernel({name: 0.0}).quantities
    assert kernel({name: 97.0}).quantities["branch_uniform_pct"] == 97.0


def test_an_impossible_ratio_is_suspect_and_noise_is_not() -> None:
    assert kernel({"l1tex__t_sector_hit_rate.pct": 181.0}).absent["l1_hit_pct"] == "suspect"
    assert kernel({"l1tex__t_sector_hit_rate.pct": 100.2}).quantities["l1_hit_pct"] == 100.2


def test_the_peak_is_the_same_for_every_launch_and_says_where_it_is_from() -> None:
    counted = {"dram__bytes.sum.peak_sustained": 79.0, "dram__cycles_elapsed.avg.per_second": 8e9}
    known = kernel({**A4500, **counted})
    assert known.quantities["dram_peak_bandwidth"] == 640e9
    assert known.provenance["dram_peak_bandwidth"].formula == "dram_peak_nominal"
    unknown = kernel(counted)
    assert unknown.quantities["dram_peak_bandwidth"] == 79 * 8e9
    assert unknown.provenance["dram_peak_bandwidth"].formula == "dram_peak_counted"


def test_the_reach_of_bytes_alone_is_against_what_can_be_had() -> None:
    # The best kernels on this card reach 84 % of nominal: that is the wall, at 90.
    made = kernel({**A4500, "dram__bytes.sum.per_second": 0.84 * 640e9})
    assert made.quantities["dram_throughput_pct"] == pytest.approx(84.0)
    assert made.quantities["dram_reach_pct"] == pytest.approx(90.0)


def test_excess_sectors_are_seen_among_all_sectors() -> None:
    made = kernel(
        {
            "memory_l2_theoretical_sectors_global": 100.0,
            "memory_l2_theoretical_sectors_global_ideal": 30.0,
            "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum": 800.0,
            "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum": 100.0,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": 60.0,
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": 40.0,
        }
    )
    assert made.quantities["excess_sectors_pct"] == pytest.approx(70.0)
    assert made.quantities["excess_share_pct"] == pytest.approx(7.0)


@pytest.mark.parametrize(
    ("name", "metric", "value", "believed"),
    [
        ("duration", "gpu__time_duration.sum", 1.0, True),
        ("duration", "gpu__time_duration.sum", 0.0, False),
        ("duration", "gpu__time_duration.sum", -5.0, False),
        # A day has 86,400 s.
        ("duration", "gpu__time_duration.sum", 86_000e9, True),
        ("duration", "gpu__time_duration.sum", 90_000e9, False),
        ("dram_bytes_read", "dram__bytes_read.sum", 0.0, True),
        ("dram_bytes_read", "dram__bytes_read.sum", -1.0, False),
        ("dram_bytes_read", "dram__bytes_read.sum", 1e30, False),
        ("sm_throughput_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed", 104.0, True),
        ("sm_throughput_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed", 250.0, False),
        ("sm_throughput_pct", "sm__throughput.avg.pct_of_peak_sustained_elapsed", -3.0, False),
    ],
)
def test_a_number_that_cannot_be_is_not_believed(
    name: str, metric: str, value: float, believed: bool
) -> None:
    one = kernel({metric: value})
    assert (name in one.quantities) is believed
    assert (one.absent.get(name) == "suspect") is not believed
    assert any("impossible values" in w.warning for w in one.measurement) is not believed

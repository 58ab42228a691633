"""What counts as a reference, what is refused, and which launch stands for a kernel."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fixtures.example import kernels
from fixtures.references import changed, copy, other_gpu, product
from fixtures.report_writer import Workload, write_report

from ncu_triage.ceilings.choose import Calibration, calibrate, same, taken
from ncu_triage.ceilings.file import Gpu
from ncu_triage.ceilings.told import advice, refusals, summary
from ncu_triage.errors import InputError
from ncu_triage.model import Device
from ncu_triage.pipeline import diagnose, rules

L1 = "l1tex__throughput.avg.pct_of_peak_sustained_active"


def calibrated(folder: Path, *reports: list[Workload]) -> Calibration:
    diagnosed = []
    for i, launches in enumerate(reports):
        path = write_report(folder / f"{i}.ncu-rep", launches)
        found, failures = diagnose([path], rules())
        assert failures == []
        diagnosed.append((str(path), found))
    return calibrate(diagnosed)


def test_a_copy_and_a_product_give_bandwidth_and_work(tmp_path: Path) -> None:
    found = calibrated(tmp_path, [copy(0.88), copy(0.885)], [product(0.85)])
    gpu = found.ceilings.gpu
    assert (gpu.name, gpu.compute_capability, gpu.sm_count) == ("NVIDIA RTX A4500", "8.6", 56)
    dram, fp32 = found.ceilings.ceiling
    assert (dram.unit, dram.mix, dram.kernel) == ("DRAM", "copy", "copy_rows")
    assert dram.value == pytest.approx(0.88 * 640.08e9)
    assert (dram.busy_pct, dram.sm_clock, dram.report) == (92.0, 1.05e9, "0.ncu-rep")
    assert (fp32.unit, fp32.mix, fp32.launches) == ("fp32", None, 1)
    assert fp32.value == pytest.approx(0.85 * 15.0528e12)
    assert fp32.share_pct == pytest.approx(85.0)
    assert fp32.busy_pct == 86.0
    assert found.useless == []


@pytest.mark.parametrize(
    ("values", "value", "how"),
    [
        ([88.0], 88.0, "one launch, unconfirmed"),
        ([86.0, 88.0], 86.0, "median of 2 launches, which differ by more than 2 %"),
        ([88.0, 87.5, 80.0], 87.5, "highest of 3 launches that another confirms"),
        # One wild measurement is passed over.
        ([99.0, 88.0, 87.9, 60.0], 87.9, "highest of 4 launches"),
        ([99.0, 80.0, 60.0], 80.0, "median of 3 launches"),
    ],
)
def test_the_highest_that_another_launch_confirms(
    values: list[float], value: float, how: str
) -> None:
    found = taken(values)
    assert found.value == value
    assert how in found.how


def test_the_kernel_that_reached_most_counts_also_if_it_was_seen_once(tmp_path: Path) -> None:
    once = replace(copy(0.92), name="another", demangled="another(float *)")
    (dram,) = calibrated(tmp_path, [copy(0.88), copy(0.882), once]).ceilings.ceiling
    assert (dram.kernel, dram.launches) == ("another", 1)
    assert dram.how.startswith("one launch, unconfirmed")


def test_each_mix_of_traffic_has_a_ceiling_of_its_own(tmp_path: Path) -> None:
    launches = [copy(0.86), copy(0.90, read=1.0), copy(0.80, read=0.0)]
    found = calibrated(tmp_path, launches).ceilings.ceiling
    assert {one.mix: round(one.share_pct) for one in found} == {"copy": 86, "read": 90, "write": 80}


def refused(folder: Path, one: Workload) -> str:
    found = calibrated(folder, [one, copy(us=2000.0)])
    ((refusal,),) = found.refused.values()
    return refusal.why


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (copy(us=12.0), "runs for less than 20.0 µs: too short"),
        (copy(share=0.50, busy=81.0), "DRAM at 50.0 % of nominal: far from its wall"),
        (copy(share=1.02, busy=99.0), "DRAM at 102.0 % of nominal: the counter or the peak"),
        (copy(busy=103.0), "the measurement is suspect: dram_throughput_pct is above 100 %"),
        (kernels()[3], "limited by latency: far from any wall"),
        (kernels()[5], "limited by too few blocks: far from any wall"),
        (kernels()[1], "the bytes of L1 or their peak were not counted"),
        (kernels()[6], "limited by latency: far from any wall"),
        (product(share=0.4), "fp32 at 40.0 % of nominal: far from its wall"),
        (replace(copy(), kind="range"), "a range of several kernels"),
    ],
)
def test_what_is_no_reference_is_named_with_its_reason(
    tmp_path: Path, one: Workload, why: str
) -> None:
    assert refused(tmp_path, one).startswith(why)


def test_an_estimate_is_no_measurement(tmp_path: Path) -> None:
    metrics = {k: v for k, v in copy().metrics.items() if not k.startswith("dram__bytes")}
    assert refused(tmp_path, replace(copy(), metrics=metrics)).startswith(
        "its DRAM bytes were not counted"
    )


def test_a_counter_that_failed_makes_the_launch_suspect(tmp_path: Path) -> None:
    broken = changed(copy(), **{"dram__bytes.sum.per_second": float("nan")})
    assert refused(tmp_path, broken).startswith("the measurement is suspect")


def test_a_product_counts_beside_a_busy_l1_if_its_pipe_is_busier(tmp_path: Path) -> None:
    found = calibrated(tmp_path, [changed(product(0.85, busy=86.0), **{L1: 80.0})])
    assert [one.unit for one in found.ceilings.ceiling] == ["fp32"]
    with_l1 = changed(product(0.85, busy=86.0), **{L1: 92.0})
    assert calibrated(tmp_path, [with_l1]).ceilings.ceiling == []


def test_caches_are_measured_where_the_report_counts_them(tmp_path: Path) -> None:
    unit = "l1tex__lsu_writeback_active_mem_lg.sum"
    one = changed(
        kernels()[4],
        **{
            # 128 byte a cycle and SM at 1.05 GHz is 7.526 TB/s; four fifths of it move.
            f"{unit}.peak_sustained": 56.0,
            f"{unit}.per_second": 0.8 * 56 * 1.05e9,
            "l1tex__cycles_elapsed.avg.per_second": 1.05e9,
        },
    )
    (found,) = calibrated(tmp_path, [one]).ceilings.ceiling
    assert (found.unit, found.busy_pct) == ("L1", 94.0)
    assert found.value == pytest.approx(0.8 * 128 * 56 * 1.05e9)


def test_tensor_work_is_measured_by_its_input_type(tmp_path: Path) -> None:
    unit = "sm__ops_path_tensor_src_fp16_dst_fp32_sparsity_off.sum"
    peak = 1024.0 * 56  # operations a cycle
    one = changed(
        product(share=0.01, busy=8.0),
        **{
            f"{unit}.peak_sustained": peak,
            f"{unit}.per_second": 0.72 * peak * 1.05e9,
            "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active": 75.0,
            "smsp__issue_active.avg.per_cycle_active": 0.3,
        },
    )
    (found,) = calibrated(tmp_path, [one]).ceilings.ceiling
    assert (found.unit, found.busy_pct) == ("tensor_fp16", 75.0)
    assert found.share_pct == pytest.approx(72.0)
    assert found.nominal == pytest.approx(60.2112e12)


def test_reports_of_two_gpus_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"are of 2 GPUs: .*56 SMs .*48 SMs .*by itself"):
        calibrated(tmp_path, [copy()], [other_gpu(copy())])


def test_a_report_without_a_gpu_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no report tells which GPU"):
        calibrated(tmp_path, [Workload()])


def device(**changes: object) -> Device:
    fields: dict[str, object] = {
        "name": "NVIDIA RTX A4500",
        "compute_capability": "8.6",
        "sm_count": 56,
        "dram_peak_bandwidth": 640.08e9,
    }
    return Device(**fields | changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "alike"),
    [
        ({}, True),
        ({"name": "RTX A4500"}, True),
        ({"dram_peak_bandwidth": 645e9}, True),
        ({"dram_peak_bandwidth": None}, True),
        ({"name": "NVIDIA RTX A4500 Laptop GPU"}, False),
        ({"sm_count": 48}, False),
        ({"compute_capability": "8.9"}, False),
        ({"dram_peak_bandwidth": 600e9}, False),
    ],
)
def test_a_gpu_is_the_same_with_its_sms_and_its_memory(
    changes: dict[str, object], alike: bool
) -> None:
    gpu = Gpu(name="NVIDIA RTX A4500", compute_capability="8.6", sm_count=56, dram_nominal=640.08e9)
    assert same(gpu, device(**changes)) is alike


def test_the_summary_gives_values_shares_and_both_ridges(tmp_path: Path) -> None:
    found = calibrated(tmp_path, [copy(0.88), copy(0.882)], [product(0.85)])
    lines = list(summary(found.ceilings))
    assert lines[0] == "NVIDIA RTX A4500 (compute capability 8.6, 56 SMs)"
    assert lines[1].startswith("  DRAM copy: 563 GB/s at 1.05 GHz, 88.0 % of 640 GB/s nominal;")
    assert lines[2].startswith("  fp32: 12.8 TFLOP/s at 1.05 GHz, 85.0 % of 15.1 TFLOP/s nominal;")
    # 15052.8 / 640.08, and 12794.9 / 563.27.
    assert lines[3] == "  fp32 ridge: 23.5 FLOP/byte nominal, 22.7 FLOP/byte achievable"
    # 1024 * 56 * 1.65 GHz over 640.1 GB/s.
    assert "balance at 147.8 FLOP/byte" in lines[4]


def test_a_poor_reference_is_accepted_with_a_word(tmp_path: Path) -> None:
    found = calibrated(tmp_path, [copy(0.70, busy=76.0)])
    (line,) = advice(found.ceilings)
    assert line.startswith("DRAM copy at 70.0 % of nominal is low for a reference")
    (only,) = advice(calibrated(tmp_path, [product()]).ceilings)
    assert only.startswith("no kernel stands at the DRAM wall")


def test_refusals_are_told_once_a_kernel_and_report(tmp_path: Path) -> None:
    found = calibrated(tmp_path, kernels(), [kernels()[3]])
    lines = list(refusals(found))
    assert len(lines) == len(set(lines))
    assert sum("set_boundary" in line for line in lines) == 1
    assert found.useless == [str(tmp_path / "1.ncu-rep")]


def test_many_refusals_stay_a_few_lines(tmp_path: Path) -> None:
    many = [
        changed(product(share=0.2 + i / 100), **{"gpu__time_duration.sum": 2e6 + i})
        for i in range(9)
    ]
    many = [replace(one, name=f"k{i}", demangled=f"k{i}()") for i, one in enumerate(many)]
    lines = list(refusals(calibrated(tmp_path, many)))
    assert len(lines) == 7
    assert lines[-1].endswith("no reference: 3 more kernels, for other reasons")


def test_a_launch_with_the_counters_of_another_kernel_is_no_reference(tmp_path: Path) -> None:
    again = replace(copy(0.88), name="again", demangled="again(float *)")
    found = calibrated(tmp_path, [copy(0.88), again])
    (dram,) = found.ceilings.ceiling
    assert (dram.kernel, dram.launches) == ("copy_rows", 1)
    ((refusal,),) = found.refused.values()
    assert refusal.kernel == "again"
    assert refusal.why.startswith("the measurement is suspect") and "earlier launch" in refusal.why

"""Operators held against a report: whose launches, how many calls, and what that amounts to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from fixtures.launches import A4500
from fixtures.operators_case import (
    CLOCK,
    DRAM,
    TENSOR,
    TIME,
    add,
    attention,
    gemm,
    write_case,
)
from fixtures.references import copy
from fixtures.report_writer import Workload, launch, write_report

from ncu_triage.ceilings.apply import Measured
from ncu_triage.ceilings.file import Ceilings, Gpu, Reached
from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis, Operator
from ncu_triage.operators.judge import unmatched
from ncu_triage.operators.plan import read_plan
from ncu_triage.pipeline import diagnose, rules

ADD = "operator: elementwise, type: fp16, shape: {elements: 53760000, inputs: 2}"
GEMM = "operator: gemm, type: fp16, shape: {m: 4096, n: 4096, k: 4096}"


def _judged(tmp_path: Path, launches: Sequence[Workload], text: str) -> Diagnosis:
    operators = tmp_path / "ops.yaml"
    operators.write_text(text, encoding="utf-8")
    report = write_report(tmp_path / "r.ncu-rep", launches)
    return diagnose([report], rules(), operators=read_plan(operators))[0]


def _one(tmp_path: Path, launches: Sequence[Workload], entry: str) -> Operator:
    (found,) = _judged(tmp_path, launches, f"operators: [{{{entry}}}]").operators
    return found


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Operator]:
    report, operators = write_case(tmp_path_factory.mktemp("operators"))
    found, _ = diagnose([report], rules(), operators=read_plan(operators))
    return {one.name: one for one in found.operators}


def test_a_bandwidth_bound_operator_has_known_numbers(case: dict[str, Operator]) -> None:
    one = case["Residual add"]
    nominal, best = one.best
    assert (one.kernels, one.calls) == (["0/0/0", "0/0/2"], 2)
    assert one.measured is not None and one.measured.duration == pytest.approx(0.9e-3)
    assert (nominal.time, best.time) == (pytest.approx(0.504e-3), pytest.approx(0.6e-3))
    assert best.limited_by == "dram"
    assert one.time_over_best == pytest.approx(1.5)
    assert one.traffic_amplification == pytest.approx(2.0)
    assert one.intensity == pytest.approx(1 / 6)
    # FLOPs were not counted: 53.76 MFLOP in theory over 645.12 MB
    assert one.intensity_measured == pytest.approx(1 / 12)
    assert one.absent["flops"] == "not collected"


def test_a_compute_bound_operator_has_known_numbers(case: dict[str, Operator]) -> None:
    one = case["QKV projection"]
    assert one.best[-1].time == pytest.approx(137_438_953_472 / 57.344e12)
    assert (one.best[-1].limited_by, one.best[-1].gpu) == ("tensor_fp16", "NVIDIA RTX A4500")
    assert one.time_over_best == pytest.approx(2.0, rel=1e-5)
    assert one.traffic_amplification == pytest.approx(10.0)
    assert one.work_amplification == pytest.approx(1.0)
    # 137.4 GFLOP over 1.0066 GB, a tenth of 1365.33
    assert one.intensity_measured == pytest.approx(136.533, rel=1e-5)
    assert one.useful_pct == 100
    assert one.notes[0].startswith("Why more bytes move than have to, usually: blocks read")


def test_an_operator_of_several_launches_is_told_by_the_call(case: dict[str, Operator]) -> None:
    one = case["Attention"]
    assert (len(one.kernels), one.calls) == (6, 2)
    assert one.measured is not None
    assert one.measured.duration == pytest.approx(16e-3)
    assert one.measured.dram_bytes == pytest.approx(4e9)
    assert one.traffic_amplification == pytest.approx(4e9 / 134_217_728)
    assert one.time_over_best == pytest.approx(16e-3 / (274_877_906_944 / 57.344e12))
    assert (
        one.notes[0]
        == "Its 6 launches are taken for 2 calls of 3 each; `calls:` sets another number."
    )


def test_the_calls_may_be_given(tmp_path: Path) -> None:
    one = _one(tmp_path, [add(), add()], f"{ADD}, kernel: add, calls: 1")
    assert one.calls == 1
    assert one.time_over_best == pytest.approx(3.0)
    assert (
        one.notes[0] == "What passes from one launch of a call to the next counts as traffic, too."
    )


def test_a_call_may_launch_one_kernel_several_times(tmp_path: Path) -> None:
    # two scores and one softmax a call, twice
    scores, softmax, _ = attention()
    entry = "operator: copy, type: fp32, shape: {elements: 1000000}, nvtx: attention"
    one = _one(tmp_path, [scores, scores, softmax] * 2, entry)
    assert one.calls == 2


def test_launches_of_one_kernel_with_other_grids_are_told(tmp_path: Path) -> None:
    small = launch(name="add_kernel", grid=(8, 1, 1), metrics=dict(add().metrics))
    one = _one(tmp_path, [add(), small], f"{ADD}, kernel: add")
    assert any("2 different grids" in note for note in one.notes)
    narrowed = _one(tmp_path, [add(), small], f"{ADD}, kernel: add, grid: 8")
    assert narrowed.kernels == ["0/0/1"]
    assert not any("different grids" in note for note in narrowed.notes)


def test_two_operators_that_claim_one_launch_are_refused(tmp_path: Path) -> None:
    text = f"operators:\n- {{name: A, {ADD}, kernel: add}}\n- {{name: B, {ADD}, kernel: '*'}}\n"
    with pytest.raises(
        UsageError, match=r"line 3, operator 2 \(B\): matches launch 0/0/0"
    ) as caught:
        _judged(tmp_path, [add()], text)
    assert "(add_kernel), as operator 1 (A) does: narrow one" in str(caught.value)


def test_an_operator_without_a_launch_is_said_and_keeps_its_theory(tmp_path: Path) -> None:
    text = f"operators: [{{{ADD}, kernel: ad_kernel}}]"
    found = _judged(tmp_path, [add(), gemm()], text)
    (one,) = found.operators
    assert (one.kernels, one.calls, one.measured, one.best) == ([], None, None, [])
    assert one.absent["kernels"] == "no launch matches"
    assert one.flops == 53_760_000
    (line,) = unmatched(found, read_plan(tmp_path / "ops.yaml"))
    assert "operator 1: no launch matches; there are the kernels add_kernel" in line


def test_a_range_that_is_not_there_is_said(tmp_path: Path) -> None:
    text = f"operators: [{{{ADD}, nvtx: atention}}]"
    found = _judged(tmp_path, attention(), text)
    assert "the ranges attention" in unmatched(found, read_plan(tmp_path / "ops.yaml"))[0]
    found = _judged(tmp_path, [add()], text)
    assert "profile with --nvtx" in unmatched(found, read_plan(tmp_path / "ops.yaml"))[0]


def test_what_stays_in_l2_is_no_error(tmp_path: Path) -> None:
    # 3 MB in an L2 of 6 MB: 1 MB of it came from DRAM
    fast = add(**{DRAM: 1e6, TIME: 3000.0, "device__attribute_l2_cache_size": 6e6})
    entry = "operator: elementwise, type: fp16, shape: {elements: 500000, inputs: 2}, kernel: add"
    one = _one(tmp_path, [fast], entry)
    assert one.traffic_amplification == pytest.approx(1 / 3)
    # 3 MB at 537.6 GB/s are 5.58 µs
    assert one.time_over_best == pytest.approx(0.5376)
    assert "L2 (6.00 MB) had a part of the inputs before" in one.notes[0]
    assert (
        one.notes[1]
        == "It took less than the roofline's best, because not everything came from DRAM."
    )


def test_more_than_l2_can_hold_points_at_a_wrong_shape(tmp_path: Path) -> None:
    one = _one(
        tmp_path,
        [add(**{DRAM: 1e8, "device__attribute_l2_cache_size": 6e6})],
        f"{ADD}, kernel: add",
    )
    assert "more than L2 (6.00 MB) can hold. Check the shape" in one.notes[0]
    assert one.doubtful


L2 = "device__attribute_l2_cache_size"


def test_what_l2_cannot_hold_is_not_explained_by_l2(tmp_path: Path) -> None:
    # of 322.56 MB 222.56 are missing, and 0.252 ms are half of 0.504 ms at nominal bandwidth
    fast = add(**{DRAM: 1e8, TIME: 252_000.0, L2: 6e6})
    one = _one(tmp_path, [fast], f"{ADD}, kernel: add")
    assert one.notes[0] == (
        "DRAM moved 223 MB less than the least, which is more than L2 (6.00 MB) can hold. It took "
        "0.500 times the best at nominal peak, which cannot be. Check the shape, the type and the "
        "number of calls."
    )
    assert not any("not everything came from DRAM" in note for note in one.notes)


def test_too_many_calls_are_not_called_no_error(tmp_path: Path) -> None:
    # a quarter of the bytes is 20.7 MB less than the least, which twice an L2 of 12 MB holds;
    # but a quarter of the time is half of what the tensor cores need at their peak
    product = gemm(**{DRAM: 320e6, L2: 12e6})
    one = _one(tmp_path, [product], f"{GEMM}, kernel: gemm, calls: 4")
    assert one.notes == [
        "It took 0.500 times the best at nominal peak, which cannot be. Only 0.250 times the FLOPs "
        "of this shape were counted. Check the shape, the type and the number of calls."
    ]
    # with one call there is no doubt, and no word of it
    one = _one(tmp_path, [gemm(**{DRAM: 80e6, L2: 12e6})], f"{GEMM}, kernel: gemm")
    assert "That is no error." in one.notes[0] and not one.doubtful


def test_more_bytes_than_l2_would_let_through_point_at_a_larger_shape(tmp_path: Path) -> None:
    # 3 * 128 * 128 * 2 bytes are 98.3 KB; 10 MB moved
    small = "operator: gemm, type: fp16, shape: {m: 128, n: 128, k: 128}, kernel: gemm"
    one = _one(tmp_path, [gemm(**{DRAM: 1e7, L2: 6e6, TENSOR: 512 * 4_194_304.0})], small)
    assert one.doubtful
    assert one.notes == [
        "All its tensors (98.3 KB) fit in L2 (6.00 MB), yet DRAM moved 9.90 MB more, which reading "
        "them again does not do: a larger shape than is given, or a workspace in memory. 512 times "
        "the FLOPs of this shape were counted. Check the shape, the type and the number of calls."
    ]
    # its FLOPs are right, or L2 may have been written back: no doubt
    for product in (
        gemm(**{DRAM: 1e7, L2: 6e6, TENSOR: 4_194_304.0}),
        gemm(**{DRAM: 5e6, L2: 6e6, TENSOR: 512 * 4_194_304.0}),
    ):
        assert not _one(tmp_path, [product], small).doubtful


def test_less_bytes_explain_a_time_below_the_best_as_far_as_they_go(tmp_path: Path) -> None:
    # 96 % of the bytes in 96 % of 0.6 ms: the bandwidth is the achievable one
    one = _one(tmp_path, [add(**{TIME: 576_000.0, DRAM: 309_657_600.0})], f"{ADD}, kernel: add")
    assert one.notes[0].startswith("It took less than the roofline's best, because not everything")


def test_a_measured_ceiling_that_the_launch_exceeds_is_not_its_best(tmp_path: Path) -> None:
    gpu = Gpu(name="RTX A4500", compute_capability="8.6", sm_count=56, dram_nominal=640.08e9)
    reached = Reached(
        unit="DRAM",
        value=480.06e9,
        nominal=640.08e9,
        share_pct=75,
        kernel="copy",
        launches=3,
        how="the highest of 3 launches",
        mix="copy",
    )
    operators = tmp_path / "ops.yaml"
    entry = "operator: copy, type: fp16, shape: {elements: 128016000}, kernel: copy_rows"
    operators.write_text(f"operators: [{{{entry}}}]", encoding="utf-8")
    # 512.064 MB in a millisecond, more than 480.06 GB/s; at the assumed 84 % of nominal they
    # take 0.9524.
    report = write_report(tmp_path / "r.ncu-rep", [copy(share=0.8)])
    measured = Measured([Ceilings(format=1, gpu=gpu, ceiling=[reached])])
    found, _ = diagnose([report], rules(), operators=read_plan(operators), ceilings=measured)
    (one,) = found.operators
    assert one.time_over_best == pytest.approx(1.05)
    assert not any("experience" in note for note in one.notes)
    assert any("not applied" in warning.effect for warning in found.kernels[0].measurement)


def test_a_time_below_the_nominal_best_points_at_a_wrong_shape(tmp_path: Path) -> None:
    # 0.504 ms is the best at nominal bandwidth, 0.6 ms the best from experience
    one = _one(tmp_path, [add(**{TIME: 252_000.0, DRAM: 322_560_000.0})], f"{ADD}, kernel: add")
    assert "0.500 times the best at nominal peak, which cannot be" in one.notes[0]
    one = _one(tmp_path, [add(**{TIME: 550_000.0, DRAM: 322_560_000.0})], f"{ADD}, kernel: add")
    assert "faster than the best from experience" in one.notes[0]


@pytest.mark.parametrize(
    ("counted", "words"),
    [(2.0, "2.00 times the FLOPs of this shape"), (0.5, "Only 0.500 times the FLOPs")],
)
def test_other_work_than_the_shapes_is_said(tmp_path: Path, counted: float, words: str) -> None:
    one = _one(tmp_path, [gemm(**{TENSOR: counted * 137_438_953_472})], f"{GEMM}, kernel: gemm")
    assert one.work_amplification == pytest.approx(counted)
    assert any(words in note for note in one.notes)


def test_what_was_not_collected_is_missing_with_its_reason(tmp_path: Path) -> None:
    bare = launch(name="add_kernel", metrics={**A4500, TIME: 1e6})
    one = _one(tmp_path, [bare, add(**{TIME: 1e6})], f"{ADD}, kernel: add")
    assert one.measured is not None
    assert (one.measured.dram_bytes, one.measured.flops) == (None, None)
    assert one.absent["dram_bytes"] == "not collected in 1 of 2 launches"
    assert one.traffic_amplification is None and one.intensity_measured is None
    assert one.notes[-2:] == [
        "DRAM bytes were not collected: add `--section MemoryWorkloadAnalysis`.",
        "FLOPs were not collected: add `--section SpeedOfLight_RooflineChart`.",
    ]
    # the peak bandwidth comes from the device's attributes, so the best time is there
    assert one.time_over_best == pytest.approx(1 / 0.6)


def test_bytes_that_are_an_estimate_are_marked(tmp_path: Path) -> None:
    pct = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
    guess = launch(name="add_kernel", metrics={**A4500, TIME: 1e6, CLOCK: 1e9, pct: 50.4})
    one = _one(tmp_path, [guess], f"{ADD}, kernel: add")
    assert one.measured is not None and one.measured.estimated
    assert one.traffic_amplification == pytest.approx(1.0)


def test_without_a_gpu_there_is_no_best(tmp_path: Path) -> None:
    one = _one(tmp_path, [launch(name="add_kernel", metrics={TIME: 1e6})], f"{ADD}, kernel: add")
    assert (one.best, one.time_over_best) == ([], None)
    assert "neither bandwidth nor clocks" in one.absent["best"]


def test_a_type_without_tensor_cores_runs_on_the_vector_units(tmp_path: Path) -> None:
    one = _one(tmp_path, [gemm()], GEMM.replace("fp16", "fp32") + ", kernel: gemm")
    assert one.best[-1].limited_by == "fp32"
    assert one.best[-1].compute == pytest.approx(14.336e12)


def test_integer_work_is_not_held_against_counters_of_flops(tmp_path: Path) -> None:
    entry = "operator: reduction, type: int32, shape: {elements: 251658240}, kernel: gemm"
    one = _one(tmp_path, [gemm()], entry)
    assert one.absent["flops"] == "integers are not counted"
    assert one.work_amplification is None
    # 251,658,239 additions over 1,006,632,960 bytes
    assert one.intensity_measured == pytest.approx(0.25)


def test_what_speaks_against_the_numbers_comes_first(tmp_path: Path) -> None:
    small = launch(name="add_kernel", grid=(8, 1, 1), metrics=dict(add().metrics))
    one = _one(tmp_path, [add(), small], f"{ADD}, kernel: add")
    firsts = [note.split()[0] for note in one.notes]
    assert firsts == ["Launches", "Its", "What", "Why", "FLOPs"]


def test_two_gpus_are_said(tmp_path: Path) -> None:
    other = add(**{"device__attribute_display_name": "NVIDIA RTX A5000", TIME: 1.8e6})
    one = _one(tmp_path, [add(), other], f"{ADD}, kernel: add")
    assert one.best[0].gpu == "NVIDIA RTX A5000"
    assert any("It ran on 2 GPUs" in note for note in one.notes)


def test_a_report_without_operators_has_none(tmp_path: Path) -> None:
    report = write_report(tmp_path / "r.ncu-rep", [add()])
    assert diagnose([report], rules())[0].operators == []

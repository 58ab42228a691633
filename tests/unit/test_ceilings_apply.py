"""Measured ceilings in the judgement: on the GPU they are of, and only what they change."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.example import kernels
from fixtures.references import changed, copy, other_gpu, product
from fixtures.report_writer import Workload, write_report
from msgspec.structs import replace

import ncu_triage
from ncu_triage.ceilings.apply import Measured, mix_of, rows_for
from ncu_triage.ceilings.file import Ceilings, Gpu, Reached
from ncu_triage.engine.gain import by_lost_time, by_waste
from ncu_triage.model import Ceiling, Diagnosis, KernelDiagnosis
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.privacy.aliases import anonymous, kernel_alias
from ncu_triage.render.json_ import read, render

NOMINAL, FP32 = 640.08e9, 15.0528e12
GPU = Gpu(name="RTX A4500", compute_capability="8.6", sm_count=56, dram_nominal=NOMINAL)


def row(unit: str, nominal: float, share: float, **more: object) -> Reached:
    fields: dict[str, object] = {
        "unit": unit,
        "value": share * nominal,
        "nominal": nominal,
        "share_pct": 100 * share,
        "kernel": "reference_kernel",
        "launches": 3,
        "how": "the highest of 3 launches that another confirms within 2 %",
        "sm_clock": 1.05e9,
    }
    return Reached(**fields | more)  # type: ignore[arg-type]


COPY = row("DRAM", NOMINAL, 0.75, mix="copy", busy_pct=78.0)
READ = row("DRAM", NOMINAL, 0.82, mix="read", busy_pct=84.0)
PRODUCT = row("fp32", FP32, 0.80, busy_pct=82.0)


def file(*rows: Reached) -> Ceilings:
    return Ceilings(format=1, gpu=GPU, ceiling=list(rows))


Judge = Callable[..., Diagnosis]


@pytest.fixture
def judged(tmp_path: Path) -> Judge:
    def judge(*launches: Workload, by: Ceilings | None = None) -> Diagnosis:
        path = write_report(tmp_path / "a.ncu-rep", list(launches))
        found, failures = diagnose([path], rules(), ceilings=Measured([by]) if by else None)
        assert failures == []
        return found

    return judge


def roofs(kernel: KernelDiagnosis) -> dict[tuple[str, bool], Ceiling]:
    return {(c.name, c.nominal): c for c in kernel.roofline.ceilings}


def test_a_kernel_at_three_quarters_of_nominal_is_at_the_wall_where_no_more_can_be_had(
    judged: Judge,
) -> None:
    one = copy(share=0.68, busy=70.0)
    (before,), (after,) = judged(one).kernels, judged(one, by=file(COPY)).kernels
    assert before.bottleneck.kind == "latency"
    assert (after.bottleneck.kind, after.bottleneck.confidence) == ("dram-bandwidth", "high")
    # 0.68 of the 0.75 that a copy reaches.
    assert "90.7 % of what was measured to be achievable" in after.bottleneck.sentence
    assert after.quantities["dram_reach_pct"] == pytest.approx(90 * 0.68 / 0.75)
    assert "bandwidth-wall" in {f.rule for f in after.findings if f.severity != "info"}


def test_what_the_profiler_reports_keeps_its_denominator(judged: Judge) -> None:
    one = copy(share=0.68, busy=70.0)
    (before,), (after,) = judged(one).kernels, judged(one, by=file(COPY)).kernels
    changed_ids = {
        id for id, value in after.quantities.items() if before.quantities.get(id) != value
    }
    assert changed_ids == {"dram_reach_pct"}
    assert after.quantities["dram_throughput_pct"] == 70.0
    assert "70.0 % of its peak" in after.bottleneck.sentence


def test_nominal_roofs_stay_and_achievable_ones_are_measured(judged: Judge) -> None:
    (kernel,) = judged(product(0.78, 80.0), by=file(COPY, PRODUCT)).kernels
    found = roofs(kernel)
    assert found["DRAM", True].value == pytest.approx(NOMINAL)
    assert found["DRAM", False].value == pytest.approx(0.75 * NOMINAL)
    assert found["fp32", True].value == pytest.approx(FP32)
    assert found["fp32", False].value == pytest.approx(0.80 * FP32)
    assert "reference_kernel" not in found["DRAM", False].source
    assert "75.0 % of nominal" in found["DRAM", False].source


def test_compute_scales_with_the_clock_and_dram_does_not(judged: Judge) -> None:
    fast = changed(product(0.78, 80.0), **{"gpc__cycles_elapsed.avg.per_second": 2 * 1.05e9})
    (kernel,) = judged(fast, by=file(COPY, PRODUCT)).kernels
    found = roofs(kernel)
    assert found["fp32", False].value == pytest.approx(2 * 0.80 * FP32)
    assert found["DRAM", False].value == pytest.approx(0.75 * NOMINAL)


@pytest.mark.parametrize(("share", "mix"), [(0.95, "read"), (0.05, "write"), (0.5, "copy")])
def test_a_kernel_is_held_against_its_own_mix_of_traffic(
    judged: Judge, share: float, mix: str
) -> None:
    (kernel,) = judged(copy(read=share)).kernels
    assert mix_of(kernel) == mix


def test_a_mix_that_was_not_measured_has_the_ceiling_of_a_copy_else_the_highest() -> None:
    both = file(READ, COPY)
    assert rows_for(both, "read")["DRAM"] == READ
    assert rows_for(both, "write")["DRAM"] == COPY
    assert rows_for(both, None)["DRAM"] == COPY
    lower = replace(READ, value=0.70 * NOMINAL, share_pct=70.0, mix="write")
    assert rows_for(file(lower, READ), "copy")["DRAM"] == READ
    assert "DRAM" not in rows_for(file(PRODUCT), "copy")


def test_without_byte_counts_percentages_are_compared(judged: Judge) -> None:
    metrics = {k: v for k, v in copy(busy=72.0).metrics.items() if not k.startswith("dram__bytes")}
    (kernel,) = judged(Workload(name="copy", metrics=metrics), by=file(COPY)).kernels
    assert kernel.quantities["dram_reach_pct"] == pytest.approx(90 * 72 / 78)


def test_gains_are_limited_by_what_the_next_unit_can_reach() -> None:
    numbers = {"l1_throughput_active_pct": 90.0, "dram_throughput_pct": 63.0}
    usual = by_waste(numbers, ["l1"], {"l1": 0.1})
    measured = by_waste(numbers, ["l1"], {"l1": 0.1}, {"dram_throughput_pct": 0.78})
    assert usual and measured
    assert usual.expected_pct == pytest.approx(100 * (1 - 63 / 90))
    assert measured.expected_pct == pytest.approx(100 * (1 - 63 / 78))
    # At most is where a unit would be at its whole peak, which no measurement changes.
    assert measured.at_most_pct == usual.at_most_pct == pytest.approx(37.0)


def test_lost_time_is_won_up_to_the_measured_ceiling() -> None:
    gain = by_lost_time({"dram_throughput_pct": 63.0}, 0.5, achievable={"dram_throughput_pct": 0.7})
    assert gain.expected_pct == pytest.approx(10.0)


def test_a_unit_at_its_measured_wall_is_busy_whatever_its_percentage() -> None:
    # 63 of 70 % is as 81 of 90 %: the gate for waste is open.
    numbers = {"dram_throughput_pct": 63.0, "l2_throughput_pct": 20.0}
    gain = by_waste(numbers, ["dram"], {"dram": 0.5}, {"dram_throughput_pct": 0.70})
    assert gain is not None
    assert gain.expected_pct == pytest.approx(100 * (1 - 0.315 / 0.7))


def test_a_pipe_at_its_measured_wall_is_the_limit(judged: Judge) -> None:
    one = changed(product(share=0.6, busy=62.0), **{"smsp__issue_active.avg.per_cycle_active": 0.6})
    weak = file(COPY, row("fp32", FP32, 0.62, busy_pct=64.0))
    (before,), (after,) = judged(one).kernels, judged(one, by=weak).kernels
    assert before.bottleneck.kind != "compute-pipe"
    assert after.bottleneck.kind == "compute-pipe"
    assert "96.9 % of what was measured to be achievable" in after.bottleneck.sentence


def test_another_gpu_is_told_and_judged_as_without(judged: Judge) -> None:
    one = other_gpu(copy(share=0.68, busy=70.0))
    (before,), (after,) = judged(one).kernels, judged(one, by=file(COPY)).kernels
    caution = after.measurement[-1]
    assert caution.warning == (
        "the measured ceilings are of another RTX A4500, not of this one (SMs or memory differ)"
    )
    assert "not applied" in caution.effect
    assert replace(after, measurement=before.measurement) == before


def test_a_kernel_beyond_the_ceiling_says_that_the_reference_was_poor(judged: Judge) -> None:
    (kernel,) = judged(copy(share=0.90, busy=92.0), by=file(COPY)).kernels
    (caution,) = (w for w in kernel.measurement if "measured ceiling" in w.warning)
    assert caution.warning == (
        "DRAM moves 576 GB/s, 20.0 % more than the measured ceiling of 480 GB/s"
    )
    assert "calibrate again" in caution.effect


def test_a_ceiling_that_a_launch_exceeds_is_not_applied_to_it(judged: Judge) -> None:
    # The pipe is three tenths busier than in the product of the file: 82 of 62 %.
    weak = row("fp32", FP32, 0.61, busy_pct=62.0)
    one = product(share=0.60, busy=82.0)
    (before,), (after,) = judged(one).kernels, judged(one, by=file(weak)).kernels
    (caution,) = (w for w in after.measurement if "measured ceiling" in w.warning)
    assert caution.warning == (
        "the FMA pipe runs at 82.0 % of its peak, and the kernel of the measured ceiling reached"
        " 62.0 %"
    )
    assert "not applied to this launch" in caution.effect
    assert replace(after, measurement=before.measurement) == before
    # By work a second as well: 0.7 of the peak where 0.61 was measured, without percentages.
    unsaid = replace(weak, busy_pct=None)
    (kernel,) = judged(product(share=0.70), by=file(unsaid)).kernels
    (caution,) = (w for w in kernel.measurement if "measured ceiling" in w.warning)
    assert caution.warning.startswith("fp32 work does 10.5 TFLOP/s, 14.8 % more than the measured")


def test_without_byte_counts_a_percentage_refutes_the_ceiling(judged: Judge) -> None:
    metrics = {k: v for k, v in copy(busy=90.0).metrics.items() if not k.startswith("dram__bytes")}
    made = judged(Workload(name="copy", metrics=metrics), by=file(COPY))
    (kernel,) = made.kernels
    assert any("DRAM runs at 90.0 %" in w.warning for w in kernel.measurement)
    (before,) = judged(Workload(name="copy", metrics=metrics)).kernels
    assert replace(kernel, measurement=before.measurement) == before
    # No launch is judged by it, so the page does not say so either.
    assert {roof.reference for roof in made.ceilings[0].roofs} == {None}
    assert made.ceilings[0].measured_pct == {}


def test_of_several_files_for_a_gpu_the_highest_of_each_roof_counts(judged: Judge) -> None:
    found = judged(copy()).devices[0]
    other = Ceilings(format=1, gpu=replace(GPU, name="Tesla T4"), ceiling=[])
    lower = replace(COPY, value=0.65 * NOMINAL, share_pct=65.0)
    for files in ([file(READ, lower), file(COPY)], [file(COPY), file(READ, lower)]):
        chosen = Measured([*files, other]).of(found)
        assert chosen is not None
        assert {one.mix: one for one in chosen.ceiling} == {"read": READ, "copy": COPY}
    measured = Measured([file(READ), file(COPY), other])
    assert measured.of(None) is None
    assert measured.foreign([found]) == []
    assert Measured([other, other]).foreign([found]) == ["Tesla T4"]


def test_the_diagnosis_says_which_ceilings_were_used(judged: Judge) -> None:
    (found,) = judged(product(0.78, 80.0), by=file(READ, COPY, PRODUCT)).ceilings
    dram = [(r.mix, r.reference, round(r.achievable or 0)) for r in found.roofs if r.name == "DRAM"]
    assert dram == [
        ("read", "reference_kernel", round(0.82 * NOMINAL)),
        ("copy", "reference_kernel", round(0.75 * NOMINAL)),
    ]
    (fp32,) = (r for r in found.roofs if r.name == "fp32")
    assert (fp32.nominal, fp32.achievable) == (pytest.approx(FP32), pytest.approx(0.8 * FP32))
    assert found.measured_pct == {"dram_throughput_pct": 78.0, "pipe_fma_pct": 82.0}
    assert found.assumed_pct == 90.0
    balance = {one.precision: one for one in found.balance}
    assert balance["fp32"].nominal == pytest.approx(FP32 / NOMINAL)
    assert balance["fp32"].achievable == pytest.approx(0.80 * FP32 / (0.82 * NOMINAL))


def test_without_a_file_it_says_what_is_assumed_and_from_where(judged: Judge) -> None:
    made = judged(product())
    (found,) = made.ceilings
    (dram,) = (r for r in found.roofs if r.name == "DRAM")
    assert dram.reference is None
    assert dram.achievable == pytest.approx(0.84 * NOMINAL, rel=1e-3)
    assert dram.source.startswith("84 % of nominal: ")
    (fp32,) = (r for r in found.roofs if r.name == "fp32")
    assert fp32.achievable is None
    assert fp32.source == "the report's counters at the report's clock"
    assert found.measured_pct == {}
    assert read(render(made)) == made


def test_an_anonymous_report_does_not_name_the_reference(judged: Judge) -> None:
    made = anonymous(judged(product(0.78, 80.0), by=file(COPY, PRODUCT)))
    assert {r.reference for r in made.ceilings[0].roofs if r.reference} == {
        kernel_alias("reference_kernel", "reference_kernel")
    }
    assert b"reference_kernel" not in render(made)


def test_python_takes_files_of_ceilings(tmp_path: Path) -> None:
    from ncu_triage.ceilings.file import text_of

    report = write_report(tmp_path / "a.ncu-rep", [copy(share=0.68, busy=70.0)])
    (tmp_path / "c.toml").write_text(text_of(file(COPY)))
    for given in (tmp_path / "c.toml", [tmp_path / "c.toml"]):
        (kernel,) = ncu_triage.diagnose(report, ceilings=given).kernels
        assert kernel.bottleneck.kind == "dram-bandwidth"


def test_other_verdicts_keep_their_order_under_the_same_ceilings(judged: Judge) -> None:
    # L1 at 91 % and DRAM at 60 of the 78 % that can be had: L1 is closer to its limit.
    made = judged(kernels()[1], by=file(COPY)).kernels
    assert made[0].bottleneck.kind == "l1-shared-bandwidth"

"""What the roofline allows, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from fixtures.diagnosis_builder import bottleneck, finding, kernel, quantities, roofline

from ncu_triage.engine.gain import by_waste
from ncu_triage.engine.what_if import what_if
from ncu_triage.model import Gain, KernelDiagnosis, WhatIf

BUSY = {"pipe_fma_pct": 30.0, "issue_active_pct": 20.0}


def stream(**numbers: Any) -> KernelDiagnosis:
    """Build a kernel of 100 µs at 80 % of DRAM: 0.25 FLOP/byte of 512 GB/s are 128 GFLOP/s."""
    usual = {"dram_throughput_pct": 80.0, "l2_throughput_pct": 36.0, **BUSY}
    return kernel(
        quantities=quantities(100e-6, **usual | numbers),
        roofline=roofline(("fp32", "DRAM", 0.25, 128e9)),
        bottleneck=bottleneck("dram-bandwidth"),
    )


def steps(one: KernelDiagnosis, *found: Any, **reach: float) -> dict[str, WhatIf]:
    return {step.step: step for step in what_if(one, one.bottleneck, list(found), reach)}


def test_half_the_bytes_take_half_the_time_at_the_same_share_of_bandwidth() -> None:
    made = steps(stream())
    assert made["bytes-halved"].saved_pct == pytest.approx(50.0)
    assert made["bytes-halved"].limited_by == "DRAM"
    # Twice the intensity in half the time is twice the work a second.
    more = made["intensity-doubled"]
    assert (more.precision, more.intensity) == ("fp32", 0.5)
    assert more.performance == pytest.approx(256e9)
    assert more.saved_pct == pytest.approx(50.0)


def test_the_next_unit_is_where_less_dram_work_ends() -> None:
    # The FMA pipe at 63 % reaches 90 % at best, so 0.63 / 0.9 of the time stays.
    made = steps(stream(pipe_fma_pct=63.0))
    for step in ("bytes-halved", "intensity-doubled", "next-limiter"):
        assert made[step].saved_pct == pytest.approx(30.0)
        assert made[step].limited_by == "the FMA pipe at 63.0 %"
    assert made["intensity-doubled"].performance == pytest.approx(128e9 / 0.7)


def test_bytes_that_do_not_reach_dram_do_not_pass_l2_either() -> None:
    # L2 at 54 %: half of its work fits in 0.3 of the time, all of it takes 0.6.
    made = steps(stream(l2_throughput_pct=54.0))
    assert made["bytes-halved"].limited_by == "DRAM"
    assert made["next-limiter"].saved_pct == pytest.approx(40.0)
    assert made["next-limiter"].limited_by == "L2 at 54.0 %"


def test_the_compute_roof_ends_what_more_intensity_gives() -> None:
    # 10.5 of 15.05 TFLOP/s is 69.8 % of the peak, of which 90 % can be had at best.
    one = kernel(
        quantities=quantities(1e-4, dram_throughput_pct=85.0, **BUSY),
        roofline=roofline(("fp32", "DRAM", 20.0, 10.5e12)),
        bottleneck=bottleneck("dram-bandwidth"),
    )
    more = steps(one)["intensity-doubled"]
    assert more.limited_by == "the compute roof at 69.8 %"
    assert more.performance == pytest.approx(0.9 * 15.05e12)
    assert more.saved_pct == pytest.approx(100 * (1 - 10.5 / (0.9 * 15.05)))


@pytest.mark.parametrize(
    ("kind", "numbers", "limit"),
    [
        ("l1-shared-bandwidth", {"l1_throughput_active_pct": 91.0}, "L1/shared memory"),
        ("compute-pipe", {"pipe_fma_pct": 88.0}, "the FMA pipe"),
        ("issue-bound", {"issue_active_pct": 82.0}, "issue slots"),
    ],
)
def test_fewer_bytes_gain_nothing_where_dram_is_not_the_limit(
    kind: str, numbers: dict[str, float], limit: str
) -> None:
    busy = {"dram_throughput_pct": 45.0, "pipe_fma_pct": 20.0} | numbers
    one = kernel(
        quantities=quantities(1e-3, **busy),
        roofline=roofline(("fp32", "DRAM", 5.0, 1e12)),
        bottleneck=bottleneck(kind),
    )
    made = steps(one)
    for step in ("bytes-halved", "intensity-doubled"):
        assert (made[step].saved_pct, made[step].limited_by) == (0.0, limit)
    # DRAM at 45 of 90 %.
    assert made["next-limiter"].saved_pct == pytest.approx(50.0)
    assert made["next-limiter"].limited_by == "DRAM at 45.0 %"


def test_half_the_bytes_help_a_kernel_that_l2_limits() -> None:
    one = kernel(
        quantities=quantities(1e-3, l2_throughput_pct=85.0, dram_throughput_pct=40.0),
        roofline=roofline(("fp32", "DRAM", 0.2, 1e11)),
        bottleneck=bottleneck("l2-bandwidth"),
    )
    assert steps(one)["bytes-halved"].saved_pct == pytest.approx(50.0)


def test_a_measured_ceiling_moves_the_next_limit() -> None:
    made = steps(stream(pipe_fma_pct=63.0), pipe_fma_pct=0.70)
    assert made["bytes-halved"].saved_pct == pytest.approx(10.0)


def test_without_floating_point_work_nothing_is_said_of_intensity() -> None:
    one = stream()
    copy = kernel(
        quantities=one.quantities,
        roofline=roofline(("fp32", "DRAM", 0.0005, 3e8), ("inst", "DRAM", 0.05, 9e9)),
        bottleneck=bottleneck("dram-bandwidth"),
    )
    assert list(steps(copy)) == ["bytes-halved", "next-limiter"]


def waste(expected: float, at_most: float, limited_by: str) -> Any:
    gain = Gain(expected_pct=expected, at_most_pct=at_most, limited_by=limited_by)
    return finding("uncoalesced-access", gain=gain)


def test_a_finding_whose_waste_loads_the_next_limiter_goes_further() -> None:
    one = stream(l2_throughput_pct=63.0)
    # Alone, L2 would end at 0.7 of the time; without the waste it has 0.27 / 0.9 left.
    numbers = {"dram_throughput_pct": 80.0, "l2_throughput_pct": 63.0}
    left = {"dram": 0.3, "l2": 3 / 7}
    gain = by_waste(numbers, ["dram", "l2"], left)
    assert gain is not None
    last = steps(one, finding("uncoalesced-access", gain=gain))["next-limiter"]
    assert (last.saved_pct, last.limited_by) == (gain.expected_pct, gain.limited_by)
    assert last.rule == "uncoalesced-access"
    assert last.saved_pct == pytest.approx(70.0)
    assert last.saved_pct <= gain.at_most_pct


def test_a_finding_that_stops_before_the_next_limiter_says_nothing_of_it() -> None:
    alone = steps(stream(pipe_fma_pct=63.0))["next-limiter"]
    smaller = steps(stream(pipe_fma_pct=63.0), waste(10.0, 12.0, "DRAM at 70.0 %"))
    assert smaller["next-limiter"] == alone


def test_a_finding_that_moves_the_work_elsewhere_goes_further_than_the_next_unit() -> None:
    # The FMA pipe ends at 0.63 / 0.9 of the time, 30 % less.
    last = steps(stream(pipe_fma_pct=63.0), waste(60.0, 70.0, "the work itself"))["next-limiter"]
    assert (last.saved_pct, last.limited_by) == (60.0, "the work itself")
    assert last.rule == "uncoalesced-access"


def test_a_second_unit_at_its_limit_is_named_and_its_share_with_it() -> None:
    # L1 at 99.9 % of its cycles takes all of the time with half of the bytes, too.
    made = steps(stream(l1_throughput_active_pct=99.9))
    assert made["bytes-halved"].saved_pct == 0.0
    assert made["bytes-halved"].limited_by == "L1/shared memory at 99.9 %"


@pytest.mark.parametrize(
    "one",
    [
        kernel(quantities=quantities(1e-3), bottleneck=bottleneck("latency")),
        kernel(quantities=quantities(2e-6), bottleneck=bottleneck("launch-dominated")),
        kernel(quantities=quantities(1e-3), bottleneck=bottleneck("underfilled")),
        kernel(quantities=quantities(1e-3), bottleneck=bottleneck("dram-bandwidth")),
        kernel(
            quantities={"duration": 1e-3, "dram_throughput_pct": 88.0, "sm_throughput_pct": 9.0},
            roofline=roofline(("fp32", "DRAM", 0.25, 128e9)),
            bottleneck=bottleneck("dram-bandwidth"),
        ),
        kernel(
            quantities=quantities(1e-3, dram_throughput_pct=88.0),
            roofline=roofline(("fp32", "DRAM", 0.25, 128e9)),
            bottleneck=bottleneck("dram-bandwidth", "low"),
        ),
    ],
    ids=["latency", "launch", "underfilled", "not placed", "L1 and L2 unmeasured", "unsure"],
)
def test_where_the_arithmetic_is_not_sound_nothing_is_said(one: KernelDiagnosis) -> None:
    assert what_if(one, one.bottleneck) == []


def test_the_sm_as_a_whole_stands_for_its_units_where_only_that_was_measured() -> None:
    numbers = {"duration": 1e-3, "dram_throughput_pct": 88.0, "l2_throughput_pct": 30.0}
    numbers |= {"l1_throughput_active_pct": 20.0, "sm_throughput_pct": 72.0}
    one = kernel(
        quantities=numbers,
        roofline=roofline(("bandwidth", "DRAM", 0.0, 560e9)),
        bottleneck=bottleneck("dram-bandwidth"),
    )
    assert steps(one)["bytes-halved"].limited_by == "the SM at 72.0 %"
    assert steps(one)["bytes-halved"].saved_pct == pytest.approx(20.0)

"""What limits a kernel, from the numbers that matter."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel

from ncu_triage.engine.bottleneck import bottleneck

PCT = ".avg.pct_of_peak_sustained_"
DRAM = f"gpu__dram_throughput{PCT}elapsed"
L2 = f"lts__throughput{PCT}elapsed"
L1 = f"l1tex__throughput{PCT}active"
FMA = f"sm__pipe_fma_cycles_active{PCT}active"
ALU = f"sm__pipe_alu_cycles_active{PCT}active"
ISSUE = "smsp__issue_active.avg.per_cycle_active"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
LONG = {**A4500, "gpu__time_duration.sum": 1e6}
FULL = {"launch__grid_size": 11200.0, "launch__occupancy_limit_warps": 2.0}
MEASURED = {DRAM: 30.0, L2: 20.0, L1: 25.0, ISSUE: 0.2}
FEW = {"launch__occupancy_limit_warps": 8.0}
ACTIVE = {"sm__cycles_active.avg": 990.0, "gpc__cycles_elapsed.max": 1000.0}


def test_counters_that_failed_are_no_numbers_that_nobody_collected() -> None:
    nan = frozenset({"gpu__time_duration.sum", DRAM, L2})
    failed = bottleneck(kernel({}, nan=nan))
    assert (failed.kind, failed.cause) == ("insufficient-data", "its counters failed")
    assert failed.sentence.startswith("Its counters failed (a replay pass failed")
    bare = bottleneck(kernel({}))
    assert (bare.kind, bare.cause) == ("insufficient-data", "no unit's utilisation was collected")
    # What was measured speaks for itself.
    assert bottleneck(kernel({**LONG, L2: 84.0}, nan=frozenset({DRAM}))).kind == "l2-bandwidth"


@pytest.mark.parametrize(
    ("metrics", "kind", "confidence"),
    [
        ({"gpu__time_duration.sum": 3000.0, DRAM: 90.0}, "launch-dominated", "high"),
        ({"gpu__time_duration.sum": 6000.0}, "launch-dominated", "medium"),
        (LONG, "insufficient-data", "low"),
        # The pipes idle, but nobody looked at DRAM.
        ({**LONG, **FULL, ALU: 10.0, ISSUE: 0.1}, "insufficient-data", "low"),
        ({**LONG, DRAM: 88.7, L1: 30.0}, "dram-bandwidth", "high"),
        ({**LONG, DRAM: 76.0, L1: 30.0}, "dram-bandwidth", "medium"),
        ({**LONG, DRAM: 86.0, L1: 99.9}, "dram-bandwidth", "medium"),
        ({**LONG, DRAM: 72.6, L1: 95.5}, "l1-shared-bandwidth", "high"),
        ({**LONG, L2: 84.0, DRAM: 20.0}, "l2-bandwidth", "high"),
        ({**LONG, **FULL, L1: 90.5, DRAM: 61.9}, "l1-shared-bandwidth", "high"),
        ({**LONG, **FULL, FMA: 85.0, ISSUE: 0.5}, "compute-pipe", "high"),
        # Nearly all that is issued is the pipe's own math: the pipe is the limit.
        ({**LONG, **FULL, FMA: 69.0, ISSUE: 0.79}, "compute-pipe", "medium"),
        ({**LONG, **FULL, ALU: 60.0, ISSUE: 0.83}, "issue-bound", "high"),
        # DRAM alone was looked at: the other units could still be the limit.
        ({**LONG, **FULL, **ACTIVE, DRAM: 20.0}, "latency", "low"),
        ({**LONG, **FULL, **ACTIVE, **MEASURED}, "latency", "medium"),
        ({**LONG, **FULL, **ACTIVE, **MEASURED, STALL.format("wait"): 1.0}, "latency", "high"),
        # Few waves of large blocks that keep every SM at work are no empty GPU.
        ({**LONG, **ACTIVE, **MEASURED, **FEW, "launch__grid_size": 65.0}, "latency", "medium"),
        (
            {
                **LONG,
                **FULL,
                "sm__cycles_active.avg": 600.0,
                "gpc__cycles_elapsed.max": 1e3,
                L2: 9.0,
            },
            "underfilled",
            "medium",
        ),
    ],
)
def test_the_unit_closest_to_its_limit_wins(
    metrics: dict[str, float | str], kind: str, confidence: str
) -> None:
    found = bottleneck(kernel(metrics))
    assert (found.kind, found.confidence) == (kind, confidence)


def test_few_blocks_are_underfilled_before_any_unit_inside_an_sm() -> None:
    few = {"launch__grid_size": 20.0, "launch__occupancy_limit_warps": 2.0}
    found = bottleneck(kernel({**LONG, **few, FMA: 90.0}))
    assert found.kind == "underfilled"
    assert found.sentence.startswith(
        "20 blocks on 56 SMs: at most 20 of them have work; the busiest"
    )
    active = {"sm__cycles_active.avg": 1e6, "sm__cycles_elapsed.max": 4e6}
    assert (
        "SMs have work in 25.0 % of the time"
        in bottleneck(kernel({**LONG, **few, **active, FMA: 90.0})).sentence
    )


def test_the_sentence_gives_the_numbers() -> None:
    metrics = {**LONG, DRAM: 88.7, L1: 30.0, "dram__bytes.sum.per_second": 536e9}
    assert bottleneck(kernel(metrics)).sentence == (
        "DRAM runs at 88.7 % of elapsed time (536 GB/s of 640 GB/s, 83.8 % by bytes);"
        " next is L1/shared memory at 30.0 % of active cycles."
    )


@pytest.mark.parametrize(
    ("metrics", "confidence", "told"),
    [
        # 99.9 of 90 % is more than 86 of 90 %.
        (
            {DRAM: 86.0, L1: 99.9},
            "medium",
            ", and L1/shared memory runs at 99.9 % of active cycles: both are at their limits.",
        ),
        ({DRAM: 76.0, L1: 74.0}, "medium", "; L1/shared memory leans on its limit as well, at 74"),
        ({**FULL, FMA: 69.0, ISSUE: 0.79}, "medium", "; instruction issue is at its limit as well"),
        (
            {**FULL, FMA: 85.0, ISSUE: 0.88},
            "medium",
            "active cycles, and instruction issue runs at 88.0 % of active cycles: both are",
        ),
        # More than 5 points below, it is the next and no second limit.
        ({DRAM: 90.0, L1: 82.0}, "high", "; next is L1/shared memory at 82.0 % of active cycles."),
        ({**FULL, FMA: 85.0, ISSUE: 0.5}, "high", "; next is instruction issue at 50.0 %"),
    ],
)
def test_two_units_at_their_limits_are_both_named(
    metrics: dict[str, float | str], confidence: str, told: str
) -> None:
    found = bottleneck(kernel({**LONG, **metrics}))
    assert found.confidence == confidence
    assert told in found.sentence


def test_units_on_two_bases_are_compared_over_elapsed_time() -> None:
    # L1 at 80 % of the cycles in which half of the time SMs had work is 40 % of the time.
    half = {"sm__cycles_active.avg": 500.0, "gpc__cycles_elapsed.max": 1000.0}
    found = bottleneck(kernel({**LONG, **half, DRAM: 75.0, L1: 80.0}))
    assert found.kind == "dram-bandwidth"


def test_latency_says_what_warps_wait_for_or_that_it_cannot_be_told() -> None:
    base = {**LONG, **FULL, **ACTIVE, **MEASURED}
    stalled = {STALL.format("barrier"): 6.0, STALL.format("selected"): 4.0}
    assert (
        bottleneck(kernel({**base, **stalled})).cause == "at block barriers (60.0 % of warp states)"
    )
    assert bottleneck(kernel(base)).cause == "cannot be told from this report"


def test_a_doubtful_measurement_lowers_the_confidence() -> None:
    metrics = {**LONG, DRAM: 88.7, "gpu__time_duration.sum": 12_000.0}
    assert bottleneck(kernel(metrics)).confidence == "medium"

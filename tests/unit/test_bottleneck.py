"""What limits a kernel, from the numbers that matter."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel

from ncu_triage.engine.bottleneck import bottleneck

PCT = ".avg.pct_of_peak_sustained_"
DRAM = f"gpu__dram_throughput{PCT}elapsed"
L2 = f"lts__throughput{PCT}elapsed"
L1 = f"l1tex__throughput{PCT}active"
MEMORY = f"gpu__compute_memory_throughput{PCT}elapsed"
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
        ({**LONG, **FULL, **ACTIVE, DRAM: 20.0}, "insufficient-data", "low"),
        ({**LONG, **FULL, **ACTIVE, DRAM: 20.0, L2: 30.0, ISSUE: 0.1}, "latency", "low"),
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


def test_what_was_not_measured_is_named_and_not_called_idle() -> None:
    seen = {**LONG, **FULL, **ACTIVE, DRAM: 20.0}
    sentence = "L2, L1/shared memory, instruction issue were not measured and could be the limit"
    assert bottleneck(kernel(seen)).sentence.startswith(sentence)
    one = bottleneck(kernel({**seen, L2: 30.0, ISSUE: 0.1})).sentence
    assert one.startswith("No unit that was measured is at its limit: L2 comes closest at 30.0 %")
    assert one.endswith("L1/shared memory was not measured.")


@pytest.mark.parametrize(
    ("others", "words"),
    [
        # The highest of the memory is not DRAM, so it is one of those that nobody measured.
        ({DRAM: 61.9}, "That is L2 or L1/shared memory, which were not measured; DRAM is at 61.9"),
        ({DRAM: 61.9, L2: 30.0}, "That is L1/shared memory, which was not measured; DRAM is at"),
        ({}, "That is DRAM or L2 or L1/shared memory, which were not measured."),
    ],
)
def test_the_busiest_of_the_memory_tells_that_an_unmeasured_unit_is_the_limit(
    others: dict[str, float | str], words: str
) -> None:
    found = bottleneck(kernel({**LONG, **FULL, **ACTIVE, ISSUE: 0.1, MEMORY: 90.2, **others}))
    assert (found.kind, found.confidence) == ("insufficient-data", "low")
    assert words in found.sentence


def test_the_busiest_of_the_memory_is_no_riddle_where_its_unit_is_known() -> None:
    found = bottleneck(kernel({**LONG, **FULL, **ACTIVE, ISSUE: 0.1, MEMORY: 74.0, DRAM: 71.5}))
    assert found.kind == "latency"


def test_an_impossible_number_lowers_the_confidence() -> None:
    sure = {**LONG, DRAM: 88.7, L1: 30.0}
    assert bottleneck(kernel(sure)).confidence == "high"
    assert bottleneck(kernel({**sure, "gpu__time_duration.sum": -5.0})).confidence == "medium"
    odd = bottleneck(kernel({**LONG, DRAM: 250.0, L1: 30.0}))
    assert (odd.kind, odd.confidence) == ("insufficient-data", "low")

"""The whole report: first launches against later ones, slow shapes, L2 cliffs."""

from __future__ import annotations

from typing import Any

import pytest
from fixtures.diagnosis_builder import bottleneck
from fixtures.whole import MB, MS, US, one, run
from msgspec.structs import replace

from ncu_triage.engine.whole.first import slow_first
from ncu_triage.engine.whole.shapes import l2_cliff, slow_shapes
from ncu_triage.model import KernelDiagnosis

GRIDS = {"small": (1000, 1, 1), "large": (4000, 1, 1), "odd": (4001, 1, 1)}


def _launches(first: float, later: list[float], instructions: float = 1e6) -> list[Any]:
    times = [first, *later]
    counts = [instructions, *[1e6] * len(later)]
    return [one("step", t * US, instructions=n) for t, n in zip(times, counts, strict=True)]


def test_a_first_launch_beyond_the_spread_of_the_later_ones() -> None:
    found = run(slow_first, _launches(300, [99, 100, 101, 100]))
    # 300 against a median of 100; 200 µs of the 700 µs are lost.
    assert found.numbers == {
        "slow_first_kernels": 1.0,
        "slow_first_time": pytest.approx(200 * US),
        "slow_first_time_pct": pytest.approx(100 * 200 / 700),
        "slow_first_ratio": pytest.approx(3.0),
    }
    (case,) = found.cases
    assert case.kernels == ["0/0/0"]
    assert case.numbers["later_median"] == pytest.approx(100 * US)
    assert case.numbers["later_longest"] == pytest.approx(101 * US)


@pytest.mark.parametrize(
    "launches",
    [
        _launches(130, [60, 140, 100, 90]),
        _launches(115, [100, 100, 100, 100]),
        _launches(300, [100, 100, 100, 100], instructions=3e6),
        _launches(300, [100, 100]),
        _launches(3.5, [2, 2, 2, 2]),
    ],
    ids=["within the spread", "hardly slower", "more work", "too few", "the clock's steps"],
)
def test_a_first_launch_is_not_slow_for_nothing(launches: list[Any]) -> None:
    assert run(slow_first, launches).numbers["slow_first_kernels"] == 0.0


def test_without_the_work_a_slow_first_launch_is_not_judged() -> None:
    uncounted = [one("step", t * US) for t in (300, 100, 100, 100)]
    assert not run(slow_first, uncounted).numbers
    even = [one("step", 100 * US)] * 4
    assert run(slow_first, even).numbers["slow_first_kernels"] == 0.0


def test_shapes_of_one_kernel_that_all_begin_slowly() -> None:
    shaped = [
        replace(k, grid=grid)
        for grid in GRIDS.values()
        for k in _launches(300, [100, 100, 100, 100])
    ]
    assert run(slow_first, shaped).numbers["slow_first_shapes"] == 3.0


def _shape(grid: str, ms: float, traffic: float, fetched: float, **more: float) -> KernelDiagnosis:
    """Make a memory-bound launch with so many bytes from L2 and from DRAM; L2 holds 40 MB."""
    numbers = {
        "l2_bandwidth": traffic * MB / (ms * MS),
        "dram_bytes": fetched * MB,
        "l2_size": 40 * MB,
        **more,
    }
    made = one("blur", ms * MS, "dram-bandwidth", **numbers)
    return replace(made, grid=GRIDS[grid])


def test_an_l2_cliff() -> None:
    # 100 MB from L2 in 0.1 ms with 30 MB from DRAM; 400 MB in 1 ms with 300 MB: each byte
    # takes 2.5 times as long, and three quarters instead of a third come from DRAM.
    found = run(l2_cliff, [_shape("small", 0.1, 100, 30), _shape("large", 1.0, 400, 300)])
    assert found.numbers["l2_cliffs"] == 1.0
    assert found.numbers["l2_cliff_ratio"] == pytest.approx(2.5)
    assert found.numbers["l2_cliff_time"] == pytest.approx(0.6 * MS)  # 1 ms * (1 - 1 / 2.5)
    assert found.numbers["l2_cliff_time_pct"] == pytest.approx(100 * 0.6 / 1.1)
    (case,) = found.cases
    assert (case.kernels, case.against) == (["0/0/1"], "0/0/0")


@pytest.mark.parametrize(
    "larger",
    [
        _shape("large", 0.5, 400, 300),
        _shape("large", 1.0, 400, 39),
        _shape("large", 1.0, 400, 130),
        replace(_shape("large", 1.0, 400, 300), bottleneck=bottleneck("compute-pipe")),
        _shape("large", 0.019, 7.6, 41),
    ],
    ids=["as quick a byte", "still fits", "no more from DRAM", "it computes", "too short"],
)
def test_no_l2_cliff(larger: KernelDiagnosis) -> None:
    found = run(l2_cliff, [_shape("small", 0.1, 100, 30), larger])
    assert found.numbers["l2_cliffs"] == 0.0


def test_an_l2_cliff_needs_the_bytes_of_l2() -> None:
    launches = [_shape("small", 0.1, 100, 30), _shape("large", 1.0, 400, 300)]
    numbers = [{"duration": k.quantities["duration"]} for k in launches]
    bare = [replace(k, quantities=n) for k, n in zip(launches, numbers, strict=True)]
    assert not run(l2_cliff, bare).numbers


def test_a_slow_shape_by_bytes() -> None:
    # Both are beyond L2: 400 MB in 1 ms, 401 MB in 2 ms.
    found = run(slow_shapes, [_shape("large", 1.0, 400, 300), _shape("odd", 2.0, 401, 301)])
    ratio = 2 * 400 / 401
    assert found.numbers["slow_shapes"] == 1.0
    assert "slow_shapes_by_threads" not in found.numbers
    assert found.numbers["slow_shape_ratio"] == pytest.approx(ratio)
    assert found.numbers["slow_shape_time"] == pytest.approx(2 * MS * (1 - 1 / ratio))


def _blocks(blocks: int, threads: int, us: float, kind: Any = "latency") -> KernelDiagnosis:
    numbers = {"grid_size": float(blocks), "block_size": float(threads)}
    made = one("transpose", us * US, kind, **numbers)
    return replace(made, grid=(blocks, 1, 1), block=(threads, 1, 1))


def test_a_slow_shape_by_an_equal_number_of_threads() -> None:
    found = run(slow_shapes, [_blocks(4096, 256, 20), _blocks(1024, 1024, 60)])
    assert found.numbers == {
        "slow_shapes": 1.0,
        "slow_shape_time": pytest.approx(40 * US),
        "slow_shape_time_pct": pytest.approx(50.0),
        "slow_shape_ratio": pytest.approx(3.0),
        "slow_shapes_by_threads": 1.0,
    }


@pytest.mark.parametrize(
    "other",
    [
        _blocks(1024, 1024, 29),
        _blocks(2048, 1024, 60),
        _blocks(1024, 1024, 60, "underfilled"),
        _blocks(1024, 1024, 200),
    ],
    ids=["hardly slower", "twice the threads", "does not fill the GPU", "other work"],
)
def test_no_slow_shape(other: KernelDiagnosis) -> None:
    found = run(slow_shapes, [_blocks(4096, 256, 20), other])
    assert found.numbers["slow_shapes"] == 0.0


@pytest.mark.parametrize("name", ["", "(unnamed)"])
def test_kernels_that_lost_their_names_are_not_compared(name: str) -> None:
    shapes = [_blocks(4096, 256, 20), _blocks(1024, 1024, 60)]
    nameless = [replace(k, name=name, demangled=name) for k in shapes]
    assert run(slow_shapes, nameless).numbers["slow_shapes"] == 0.0


def test_other_kernels_are_not_compared() -> None:
    other = replace(_blocks(1024, 1024, 60), name="copy", demangled="copy()")
    assert run(slow_shapes, [_blocks(4096, 256, 20), other]).numbers["slow_shapes"] == 0.0

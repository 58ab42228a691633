"""The whole report: small kernels together, copies, matrix-vector products, short launches."""

from __future__ import annotations

import pytest
from fixtures.diagnosis_builder import finding
from fixtures.whole import MB, MS, US, one, run
from msgspec.structs import replace

from ncu_triage.engine.numbers import batch_at_ridge
from ncu_triage.engine.whole.gemv import gemv
from ncu_triage.engine.whole.layout import layout
from ncu_triage.engine.whole.short import short_launches
from ncu_triage.engine.whole.small import small_memory
from ncu_triage.model import Undecided


def test_small_memory_bound_kernels_are_added_up_by_name() -> None:
    small = [one(f"step{i}", 1 * MS, "dram-bandwidth") for i in range(4)]
    # Twice 5 ms are a kernel of a tenth of the time: it is seen without being added up.
    large = [one("scale", 5 * MS, "dram-bandwidth")] * 2
    other = [one("gemm", 86 * MS, "compute-pipe")]
    found = run(small_memory, [*small, *large, *other])
    assert found.numbers == {
        "small_memory_kernels": 4.0,
        "small_memory_launches": 4.0,
        "small_memory_time": pytest.approx(4 * MS),
        "small_memory_time_pct": pytest.approx(4.0),
        "small_memory_largest_pct": pytest.approx(1.0),
    }
    assert [case.kernels for case in found.cases] == [["0/0/0"], ["0/0/1"], ["0/0/2"], ["0/0/3"]]


def test_a_report_without_verdicts_has_no_share_of_memory_bound_kernels() -> None:
    assert not run(small_memory, [one("a", 1 * MS, "insufficient-data")] * 2).numbers


def _copy(name: str, read: float, written: float, ms: float = 1.0, **more: float) -> object:
    moved = {"dram_bytes_read": read, "dram_bytes_written": written, "dram_bytes": read + written}
    return one(name, ms * MS, "dram-bandwidth", **moved, **more)


def test_copies_are_added_up_with_their_bytes() -> None:
    launches = [
        _copy("transposeTile", 100 * MB, 100 * MB),
        _copy("nchwToNhwcKernel", 50 * MB, 60 * MB),
        one("permute_heads", 2 * MS, dram_bytes=40 * MB),  # known by its name alone
        one("gemm", 6 * MS),
    ]
    found = run(layout, launches)
    assert found.numbers == {
        "layout_launches": 3.0,
        "layout_time": pytest.approx(4 * MS),
        "layout_time_pct": pytest.approx(40.0),
        "layout_alike": 2.0,  # 50 and 60 are within a quarter of each other
        "layout_bytes": pytest.approx(350 * MB),
    }
    assert sum(case.numbers["layout_bytes"] for case in found.cases) == pytest.approx(350 * MB)


def test_bytes_that_some_copies_lack_are_not_added_up() -> None:
    found = run(layout, [_copy("transpose", 1e8, 1e8), one("transposeTwo", 1 * MS)])
    assert "layout_bytes" not in found.numbers


@pytest.mark.parametrize(
    "other",
    [
        one("transpose_gemm", 1 * MS),
        one("transposeScale", 1 * MS, flops=2e11),
        one("transposeAndMore", 1 * MS, "compute-pipe"),
        one("permuteTiles", 1 * MS, pipe_tensor_pct=40.0),
        _copy("reorder_and_count", 200 * MB, 1 * MB, l2_size=6e6),
        one("bn_fw_tr_1C11_kernel_NCHW", 1 * MS),
        one("sm80_xmma_fprop_nhwc", 1 * MS),
    ],
    ids=[
        "a product",
        "FLOPs",
        "a busy pipe",
        "tensor work",
        "reads only",
        "a norm",
        "its operands",
    ],
)
def test_a_name_alone_makes_no_copy(other: object) -> None:
    assert run(layout, [other, one("gemm", 1 * MS)]).numbers["layout_launches"] == 0.0


def test_a_copy_that_stays_in_l2_writes_little_to_dram() -> None:
    kept = _copy("transpose", 4 * MB, 0.1 * MB, l2_size=6e6)
    found = run(layout, [kept])
    assert (found.numbers["layout_launches"], found.numbers["layout_alike"]) == (1.0, 0.0)


def test_the_framework_names_a_copy_in_a_template_argument() -> None:
    full = "void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda(...)>(int)"
    copy = replace(one("elementwise_kernel", 1 * MS), demangled=full)
    product = replace(one("Kernel2", 1 * MS), demangled="cutlass::Kernel2<Gemm<NoPermute>>()")
    assert run(layout, [copy, product]).numbers["layout_launches"] == 1.0


def test_the_batch_at_the_ridge() -> None:
    # 8192 x 8192 in fp32: 2 * 8192^2 FLOP, the matrix read, 8192 results written, in 0.5 ms.
    numbers = {
        "flops": 2 * 8192**2 / 5e-4,
        "duration": 5e-4,
        "ridge_point": 13.0,
        "dram_bytes_read": 4.0 * 8192**2,
        "dram_bytes_written": 4.0 * 8192,
    }
    batch = batch_at_ridge(numbers)
    assert batch == pytest.approx(13 * 4 / (2 - 13 * 4 / 8192), rel=1e-9)  # 26.08
    # At that batch the intensity is the ridge's.
    assert batch is not None
    work, moved = batch * 2 * 8192**2, 4.0 * 8192**2 + batch * 4 * 8192
    assert work / moved == pytest.approx(13.0)


def test_no_batch_reaches_the_ridge_where_the_results_alone_are_too_many_bytes() -> None:
    numbers = {"flops": 1e9, "duration": 1e-3, "dram_bytes_read": 1e7, "dram_bytes_written": 1e5}
    assert batch_at_ridge({**numbers, "ridge_point": 10.0}) is None
    assert batch_at_ridge(numbers) is None


def test_matrix_vector_products_share_a_typical_batch() -> None:
    def product(ms: float, ridge: float) -> object:
        numbers = {"dram_bytes_read": 1e8, "dram_bytes_written": 0.0, "ridge_point": ridge}
        made = one("gemv", ms * MS, "dram-bandwidth", flops=5e7 / (ms * MS), **numbers)
        return replace(made, findings=[finding("gemv-like")])

    # A batch of 20 for 1 ms, of 40 for 2 ms: half of the time lies below 40.
    found = run(gemv, [product(1, 10.0), product(2, 20.0), one("other", 1 * MS)])
    assert found.numbers == {
        "gemv_launches": 2.0,
        "gemv_time": pytest.approx(3 * MS),
        "gemv_time_pct": pytest.approx(75.0),
        "gemv_batch": pytest.approx(40.0),
    }


def test_what_no_launch_could_be_asked_is_not_known_of_the_whole() -> None:
    rule = Undecided(rule="gemv-like", missing=["ridge_point"], collect="--section A")
    open_ = [replace(one("a", 1 * MS), undecided=[rule])] * 2
    assert not run(gemv, open_).numbers
    assert run(gemv, [*open_, one("b", 1 * MS)]).numbers["gemv_launches"] == 0.0


def test_a_graph_is_no_launch_of_a_few_microseconds() -> None:
    launches = [one("tiny", 4 * US), replace(one("graph", 4 * US), workload="graph")]
    found = run(short_launches, [*launches, one("long", 42 * US)])
    assert (found.numbers["launches"], found.numbers["short_launches"]) == (2.0, 1.0)
    assert found.numbers["total_duration"] == pytest.approx(50 * US)
    assert found.numbers["short_time_pct"] == pytest.approx(8.0)
    assert [case.kernels for case in found.cases] == [["0/0/0"]]

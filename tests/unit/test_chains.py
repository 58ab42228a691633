"""Chains of launches that hand data on through DRAM."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel

from ncu_triage.engine.whole.chains import Chain, chains, may_hide_chains
from ncu_triage.model import Kernel

DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"
NAMES = ("scale", "bias", "relu")


def _step(number: int, read: float, written: float, **fields: object) -> Kernel:
    metrics = {
        **A4500,
        "gpu__time_duration.sum": 1e6,
        DRAM: fields.pop("dram", 80.0),
        "dram__bytes_read.sum": read,
        "dram__bytes_write.sum": written,
    }
    name = fields.pop("name", NAMES[number])
    return kernel(metrics, **{"id": f"0/0/{number}", "name": name, "demangled": name, **fields})


def _ids(chain: Chain) -> list[str]:
    return [member.id for member in chain.members]


def test_each_reads_what_the_last_one_wrote() -> None:
    steps = [_step(0, 4e8, 2e8), _step(1, 2.05e8, 1e8), _step(2, 1e8, 1e8)]
    (chain,) = chains(steps)
    assert _ids(chain) == ["0/0/0", "0/0/1", "0/0/2"]
    assert chain.bytes_between == 3e8
    # 600 MB of the 1,105 MB that all three move in 3 ms
    assert chain.seconds == pytest.approx(3e-3 * 6e8 / 11.05e8)


@pytest.mark.parametrize(
    "second",
    [
        _step(1, 9e8, 1e8),
        _step(1, 2e8, 1e8, dram=20.0),
        _step(1, 2e8, 1e8, stream=9),
        _step(1, 2e8, 1e8, name="scale"),
        _step(1, 2e8, 1e8, id="1/0/0"),
        _step(1, 2e8, 1e8, context_name="other"),
        _step(1, 2e8, 1e8, name="gemm_tile"),
        _step(1, 2e8, 1e8, name="scale2"),
        _step(1, 2e8, 1e8, name="scaleOptimized"),
    ],
    ids=[
        *("other amounts", "not memory-bound", "another stream", "a repetition"),
        *("another file", "another context", "work by its name"),
        *("a version by number", "a version by a longer name"),
    ],
)
def test_what_does_not_hand_on_is_no_chain(second: Kernel) -> None:
    assert chains([_step(0, 4e8, 2e8), second]) == []


def test_versions_of_one_kernel_move_equal_amounts() -> None:
    naive, tiled = (
        _step(i, 2e8, 2e8, name=name) for i, name in enumerate(("transposeNaive", "transposeTiled"))
    )
    assert chains([naive, tiled]) == []
    # With other amounts the same first word is no version: what one writes the other reads.
    smaller = _step(1, 2e8, 1e8, name="transposeTiled")
    assert len(chains([_step(0, 4e8, 2e8, name="transposeNaive"), smaller])) == 1


def test_compilers_and_libraries_give_one_name_to_many_kernels() -> None:
    loops = [_step(i, 2e8, 2e8, name=f"update_{10 + i}_gpu") for i in range(2)]
    assert len(chains(loops)) == 1
    functors = [
        _step(i, 2e8, 2e8, name="elementwise", demangled=f"at::native::elementwise<{functor}>")
        for i, functor in enumerate(("Add", "Mul"))
    ]
    assert len(chains(functors)) == 1


def test_a_loop_is_one_chain_each_time_round() -> None:
    steps = [_step(i % 2, 2e8, 2e8, id=f"0/0/{i}") for i in range(6)]
    assert [_ids(chain) for chain in chains(steps)] == [
        ["0/0/0", "0/0/1"],
        ["0/0/2", "0/0/3"],
        ["0/0/4", "0/0/5"],
    ]


def test_streams_that_alternate_hold_a_chain_each() -> None:
    steps = [_step(i // 2, 2e8, 2e8, id=f"0/0/{i}", stream=7 + i % 2) for i in range(4)]
    assert [_ids(chain) for chain in chains(steps)] == [["0/0/0", "0/0/2"], ["0/0/1", "0/0/3"]]


@pytest.mark.parametrize("workload", ["graph", "range", "cmdlist"])
def test_no_chain_leads_into_or_across_what_is_many_kernels(workload: str) -> None:
    many = _step(1, 2e8, 2e8, workload=workload)
    assert chains([_step(0, 2e8, 2e8), many, _step(2, 2e8, 2e8)]) == []


def test_small_arrays_stay_in_l2() -> None:
    assert chains([_step(0, 5e5, 5e5), _step(1, 5e5, 5e5)]) == []


def test_bytes_that_were_not_counted_may_hide_a_chain() -> None:
    def bare(number: int, dram: float, name: str) -> Kernel:
        metrics = {"gpu__time_duration.sum": 1e6, DRAM: dram}
        return kernel(metrics, id=f"0/0/{number}", name=name, demangled=name)

    assert may_hide_chains([bare(0, 80.0, "scale"), bare(1, 80.0, "bias")])
    assert not may_hide_chains([bare(0, 80.0, "scale"), bare(1, 20.0, "bias")])
    assert not may_hide_chains([bare(0, 80.0, "scale"), bare(1, 80.0, "scale")])

"""Chains of launches that hand data on through DRAM."""

from __future__ import annotations

import pytest
from fixtures.launches import A4500, kernel

from ncu_triage.engine.chains import chains
from ncu_triage.model import Kernel

DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"


def _step(number: int, read: float, written: float, **fields: object) -> Kernel:
    metrics = {
        **A4500,
        "gpu__time_duration.sum": 1e6,
        DRAM: fields.pop("dram", 80.0),
        "dram__bytes_read.sum": read,
        "dram__bytes_write.sum": written,
    }
    name = f"step{number}"
    return kernel(metrics, **{"id": f"0/0/{number}", "name": name, "demangled": name, **fields})


def test_each_reads_what_the_last_one_wrote() -> None:
    steps = [_step(0, 4e8, 2e8), _step(1, 2.05e8, 1e8), _step(2, 1e8, 1e8)]
    (chain,) = chains(steps)
    assert chain.kernels == ["0/0/0", "0/0/1", "0/0/2"]
    assert chain.bytes_between == 3e8
    # 600 MB of the 1,105 MB that all three move in 3 ms
    assert chain.seconds == pytest.approx(3e-3 * 6e8 / 11.05e8)


@pytest.mark.parametrize(
    "second",
    [
        _step(1, 9e8, 1e8),
        _step(1, 2e8, 1e8, dram=20.0),
        _step(1, 2e8, 1e8, stream=9),
        _step(1, 2e8, 1e8, name="step0", demangled="step0"),
    ],
    ids=["other amounts", "not memory-bound", "another stream", "a repetition"],
)
def test_what_does_not_hand_on_is_no_chain(second: Kernel) -> None:
    assert chains([_step(0, 4e8, 2e8), second]) == []


def test_small_arrays_stay_in_l2() -> None:
    assert chains([_step(0, 5e5, 5e5), _step(1, 5e5, 5e5)]) == []

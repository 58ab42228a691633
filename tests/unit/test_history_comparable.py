"""Which nights may be held against each other, and which may not."""

from __future__ import annotations

import pytest

from ncu_triage.history.comparable import Taken, alike, why_not
from ncu_triage.model import Settings

BASE = Settings(set="full", clock_control="base", cache_control="all", replay_mode="kernel")
A100 = {"NVIDIA A100": ["NVIDIA A100 (compute capability 8.0, 108 SMs)"]}
PART = {"NVIDIA A100": ["NVIDIA A100 (compute capability 8.0, 14 SMs)"]}


def _taken(gpus: dict[str, list[str]] = A100, ncu: str = "2025.1.0", **settings: object) -> Taken:
    known = {name: getattr(BASE, name) for name in BASE.__struct_fields__}
    return Taken(settings=Settings(**known | settings), gpus=gpus, ncu_version=ncu)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (_taken(clock_control="none"), "clock control: base before, none after"),
        (_taken(cache_control="none"), "cache control: all before, none after"),
        (_taken(replay_mode="application"), "replay mode: kernel before, application after"),
        (_taken(set="basic"), "other numbers were collected: set full before, basic after"),
        (_taken(gpus=PART), "another part of the GPU: NVIDIA A100 (compute capability 8.0, 108"),
        (_taken(ncu="2025.3.1"), "Nsight Compute 2025.1.0 before, 2025.3.1 after: from 2025.3 on"),
    ],
)
def test_what_was_profiled_in_another_way_is_not_comparable(other: Taken, reason: str) -> None:
    assert (why_not(_taken(), other) or "").startswith(reason)


@pytest.mark.parametrize(
    "other",
    [
        _taken(),
        Taken(),
        _taken(clock_control=None),
        _taken(set=None),
        _taken(ncu="2024.3.0"),
        _taken(gpus={"NVIDIA H100": ["NVIDIA H100 (compute capability 9.0, 132 SMs)"]}),
    ],
)
def test_what_is_not_said_and_another_gpus_kernels_bar_nothing(other: Taken) -> None:
    assert why_not(_taken(), other) is None
    assert why_not(other, _taken()) is None


def test_nights_of_two_ways_in_turn_are_two_series() -> None:
    free, locked = _taken(clock_control="none"), _taken()
    assert alike(list(enumerate([locked, free, locked, Taken(), free]))) == {
        0: 0,
        1: 1,
        2: 0,
        3: 0,
        4: 1,
    }

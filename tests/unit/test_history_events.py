"""Changes of bottleneck, kernels that come and go, and what a benchmark is."""

from __future__ import annotations

import pytest

from ncu_triage.history.benchmark import benchmark_of
from ncu_triage.history.kinds import kind_changes
from ncu_triage.history.presence import presence
from ncu_triage.history.series import Point


def _kinds(text: str, tools: str = "") -> list[Point]:
    names = {"d": "dram-bandwidth", "l": "latency", "?": "insufficient-data", " ": None}
    return [
        Point(
            report=i, at=float(i), duration=1e-3, kind=names[c], tool=(tools or "1" * len(text))[i]
        )
        for i, c in enumerate(text)
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("dddddddd", []),
        ("dddddlll", [(5, 6)]),
        ("ddddddld", []),
        ("dddddl", []),
        ("ddddd?ll", [(6, 7)]),
        ("ddddd????", []),
        ("dldldldlddll", []),
        ("ddddllllldddd", [(4, 5), (9, 10)]),
        ("dl", []),
        ("dddll", [(3, 4)]),
    ],
)
def test_a_bottleneck_changes_on_its_second_night(text: str, found: list[tuple[int, int]]) -> None:
    events = kind_changes(_kinds(text))
    assert [(event.since, event.found) for event in events] == found
    assert all(event.alarming and event.kind_before != event.kind_after for event in events)


def test_another_version_of_the_tool_is_no_change_of_the_kernel() -> None:
    (event,) = kind_changes(_kinds("dddddlll", "11111222"))
    assert event.excuse == "tool" and not event.alarming


@pytest.mark.parametrize(
    ("nights", "found"),
    [
        ("xxxxxx", []),
        ("..xxxx", [("new", 2)]),
        ("xxx...", [("vanished", 3)]),
        ("xxx.xx", []),
        ("xxx..", [("vanished", 3)]),
        ("xxx.", []),
        ("xx..xx", [("vanished", 2), ("new", 4)]),
        ("x.....", []),
        ("......", []),
        ("xx..xx..xx..xx..xx", [("vanished", 2), ("new", 4), ("vanished", 6), ("new", 8)]),
    ],
)
def test_kernels_appear_and_vanish(nights: str, found: list[tuple[str, int]]) -> None:
    seen = {i for i, c in enumerate(nights) if c == "x"}
    events = presence(range(len(nights)), seen)
    assert [(event.event, event.since) for event in events] == found


@pytest.mark.parametrize(
    ("name", "benchmark"),
    [
        ("gemm.ncu-rep", "gemm"),
        ("2026-01-05/gemm.ncu-rep", "gemm"),
        ("gemm-2026-01-05.ncu-rep", "gemm"),
        ("gemm_20260105_0312.ncu-repz", "gemm"),
        ("gemm-20260105T031200Z.csv", "gemm"),
        ("gemm-3fa9c1d.ncu-rep", "gemm"),
        ("run-123/gemm.rank0.ncu-rep", "gemm.rank0"),
        ("resnet/profile.ncu-rep", "resnet/profile"),
        ("nightly_17-resnet.ncu-rep", "resnet"),
        ("gemm-4096.ncu-rep", "gemm-4096"),
        ("gemm-16384x16384.ncu-rep", "gemm-16384x16384"),
        ("feedback.ncu-rep", "feedback"),
        ("effaced.ncu-rep", "effaced"),
        ("2026-01-05.ncu-rep", ""),
    ],
)
def test_a_benchmark_is_a_name_without_what_differs_every_night(name: str, benchmark: str) -> None:
    assert benchmark_of(name) == benchmark

"""Which benchmark a report's name stands for, and which benchmarks are missing."""

from __future__ import annotations

import pytest

from ncu_triage.history.absence import absences
from ncu_triage.history.naming import settled
from ncu_triage.history.read import Report

KERNELS: dict[str, set[tuple[str | None, ...]]] = {"gemm": {("gemm",)}, "relu": {("relu",)}}


def _kernels(name: str) -> set[tuple[str | None, ...]]:
    return KERNELS["relu" if "relu" in name else "gemm"]


@pytest.mark.parametrize(
    ("wanted", "known", "found"),
    [
        # Nothing is known: a name is its own.
        ({"gemm": {"1"}}, {}, {"gemm": "gemm"}),
        # The history has its contents under the shorter, or the longer, name.
        ({"a/gemm": {"1", "2"}}, {"gemm": {"1"}}, {"a/gemm": "gemm"}),
        ({"gemm": {"1"}}, {"a/gemm": {"1"}, "b/gemm": set()}, {"gemm": "a/gemm"}),
        # Of two folders one has them; the other is another series.
        (
            {"a/gemm": {"1"}, "b/gemm": {"2"}},
            {"gemm": {"1"}},
            {"a/gemm": "gemm", "b/gemm": "b/gemm"},
        ),
        # Only tonight's reports: the same kernels tell, if only one name claims them.
        ({"a/gemm": {"9"}}, {"gemm": set()}, {"a/gemm": "gemm"}),
        (
            {"a/gemm": {"8"}, "b/gemm": {"9"}},
            {"gemm": set()},
            {"a/gemm": "a/gemm", "b/gemm": "b/gemm"},
        ),
        ({"relu/x": {"9"}}, {"x": set()}, {"relu/x": "relu/x"}),
        # A name ends in another one from a folder on, or not at all.
        ({"fastgemm": {"1"}}, {"gemm": {"1"}}, {"fastgemm": "fastgemm"}),
        ({"latest": {"1"}}, {"gemm": {"1"}}, {"latest": "latest"}),
    ],
)
def test_a_name_stands_for_what_the_history_has(
    wanted: dict[str, set[str]], known: dict[str, set[str]], found: dict[str, str]
) -> None:
    assert settled(wanted, known, _kernels, _kernels) == found


def _nights(benchmark: str, days: str) -> list[Report]:
    """Make a report for each x; each day is a scan of its own, which is the same for all."""
    return [
        Report(day, benchmark, f"{benchmark}{day}", None, 86400.0 * day, [], True, recorded=day)
        for day, sign in enumerate(days)
        if sign == "x"
    ]


@pytest.mark.parametrize(
    ("days", "found"),
    [
        ("xxxxxxxx", None),
        ("xxxxxxx.", None),
        ("xxxxxx..", (6, 7)),
        # It comes every third day: two days without it are nothing.
        ("x..x..x.", None),
        ("x..x..x....", (7, 9)),
        # A trial is no habit.
        ("......xx....", None),
    ],
)
def test_a_benchmark_is_missing_after_longer_than_ever(
    days: str, found: tuple[int, int] | None
) -> None:
    nights = {"a": _nights("a", "x" * len(days)), "b": _nights("b", days)}
    missing = [(one.since.at / 86400, one.found.at / 86400) for one in absences(nights)]
    assert missing == ([found] if found else [])


def test_a_benchmark_of_other_scans_is_not_missed() -> None:
    other = [one._replace(recorded=one.recorded + 0.5) for one in _nights("b", "xxxx....")]
    assert absences({"a": _nights("a", "xxxxxxxx"), "b": other}) == []

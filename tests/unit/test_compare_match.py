"""Which kernel of one report is which of the other, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis, kernel, quantities

from ncu_triage.compare.match import Matched, match
from ncu_triage.compare.runs import runs
from ncu_triage.model import Device, KernelDiagnosis

GRID = (4096, 1, 1)


def _k(name: str, grid: Any = GRID, block: Any = (256, 1, 1), **more: Any) -> KernelDiagnosis:
    return kernel(name=name, demangled=name, grid=grid, block=block, **more)


def _work(name: str, operations: float, grid: Any = GRID) -> KernelDiagnosis:
    amounts = quantities(1e-3) | {"fp32_operations": operations}
    return _k(name, grid, quantities=amounts)


def _matched(before: Sequence[KernelDiagnosis], after: Sequence[KernelDiagnosis]) -> Matched:
    return match(runs(diagnosis(before)), runs(diagnosis(after)))


def _found(matched: Matched) -> list[tuple[str, str, str, str]]:
    return [
        (p.before.speaker.name, p.after.speaker.name, p.match.how, p.match.confidence)
        for p in matched.pairs
    ]


@pytest.mark.parametrize(
    ("before", "after", "how", "confidence"),
    [
        (_k("k(int)"), _k("k(int)"), "name-and-shape", "high"),
        (_k("void k<(int)4>(T1)"), _k("void k<4>(T1)"), "spelling", "high"),
        (_k("k(int)"), _k("k(int)", (64, 1, 1)), "other-grid", "medium"),
        (_k("k(int)"), _k("k(int)", (64, 1, 1), (128, 1, 1)), "other-shape", "medium"),
        (_k("k<float>(int)"), _k("k<double>(int)"), "other-arguments", "medium"),
        (_k("k(float *)"), _k("k(double *)"), "other-arguments", "medium"),
        (_k("k_278_gpu"), _k("k_279_gpu"), "other-numbers", "low"),
        (_k("addOne(int)"), _k("addOneFast(int)"), "renamed", "low"),
    ],
)
def test_the_surest_sign_is_stated(
    before: KernelDiagnosis, after: KernelDiagnosis, how: str, confidence: str
) -> None:
    (found,) = _found(_matched([before], [after]))
    assert found[2:] == (how, confidence)


def test_two_kernels_are_no_pair_for_being_the_only_ones() -> None:
    matched = _matched([_k("saxpy")], [_k("Sobel", (2, 1, 1))])
    assert not matched.pairs
    assert [len(side) for side in (matched.only_before, matched.only_after)] == [1, 1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_k("saxpy"), _k("Sobel")),
        (_k("copyRow"), _k("copyColumns", (2, 1, 1))),
        (_work("saxpy", 1000.0), _work("Sobel", 1010.0, (2, 1, 1))),
    ],
    ids=["shape", "name", "work"],
)
def test_the_last_ones_are_a_pair_where_something_speaks_for_it(
    before: KernelDiagnosis, after: KernelDiagnosis
) -> None:
    more = [_k("same", (7, 1, 1))]
    for both in (_matched([before], [after]), _matched([before, *more], [after, *more])):
        assert (before.name, after.name, "renamed", "low") in _found(both)


def test_other_work_speaks_for_no_pair() -> None:
    assert not _matched([_work("saxpy", 1000.0)], [_work("Sobel", 1100.0, (2, 1, 1))]).pairs


def test_what_the_user_chose_is_a_pair() -> None:
    sides = [runs(diagnosis([one])) for one in (_k("saxpy"), _k("Sobel", (2, 1, 1)))]
    assert [p.match.how for p in match(*sides, chosen=True).pairs] == ["chosen"]


def test_kernels_that_have_nothing_in_common_stay_apart() -> None:
    matched = _matched([_k("saxpy"), _k("same")], [_k("Sobel", (2, 1, 1)), _k("same")])
    assert [p.before.speaker.name for p in matched.pairs] == ["same"]
    assert [run.speaker.name for run in matched.only_before] == ["saxpy"]
    assert [run.speaker.name for run in matched.only_after] == ["Sobel"]


def test_a_sure_match_is_made_before_a_likely_one() -> None:
    matched = _matched([_k("k<1>(int)"), _k("k<2>(int)")], [_k("k<2>(int)"), _k("k<3>(int)")])
    assert _found(matched) == [
        ("k<1>(int)", "k<3>(int)", "other-arguments", "medium"),
        ("k<2>(int)", "k<2>(int)", "name-and-shape", "high"),
    ]


def test_several_shapes_are_matched_in_order_and_with_less_confidence() -> None:
    before = [_k("k(int)", (n, 1, 1)) for n in (10, 20)]
    after = [_k("k(int)", (n, 1, 1)) for n in (11, 21)]
    matched = _matched(before, after)
    assert [(p.before.speaker.grid, p.after.speaker.grid) for p in matched.pairs] == [
        ((10, 1, 1), (11, 1, 1)),
        ((20, 1, 1), (21, 1, 1)),
    ]
    assert {p.match.confidence for p in matched.pairs} == {"low"}


def test_of_several_arguments_the_most_alike_are_paired() -> None:
    before = [_k("e<Add<float>>(int)"), _k("e<MaximumOfTwo<float>>(int)")]
    after = [_k("e<MaximumOfTwo<half>>(int)"), _k("e<Add<half>>(int)")]
    names = [(a[2:5], b[2:5]) for a, b, _, _ in _found(_matched(before, after))]
    assert names == [("Add", "Add"), ("Max", "Max")]


def test_a_kernel_is_no_range_of_the_same_name() -> None:
    matched = _matched([_k("step")], [_k("step", workload="range")])
    assert not [p for p in matched.pairs if p.match.how != "renamed"]


def test_each_gpu_is_matched_with_itself() -> None:
    devices = [Device(name=name, compute_capability="8.6") for name in ("A", "B")]
    both = [_k("k(int)", device=0), _k("k(int)", device=1, grid=(7, 1, 1))]
    swapped = diagnosis([_k("k(int)", device=1), _k("k(int)", device=0, grid=(7, 1, 1))])
    matched = match(
        runs(diagnosis(both, devices=devices)),
        runs(diagnosis(swapped.kernels, devices=devices[::-1])),
    )
    assert [(p.before.device[0], p.after.device[0]) for p in matched.pairs] == [
        ("A", "A"),
        ("B", "B"),
    ]


def test_thousands_of_kernels_without_a_partner_take_no_time() -> None:
    before = [_k(f"{'ab' * 20}{chr(65 + i % 26)}{i}x()", (i, 1, 1)) for i in range(1, 700)]
    after = [_k(f"{'zy' * 20}{chr(65 + i % 26)}{i}y()", (i, 2, 1)) for i in range(1, 700)]
    assert not _matched(before, after).pairs

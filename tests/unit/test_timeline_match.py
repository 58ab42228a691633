"""A report beside a timeline: what is one kernel, what it really takes, and what is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis, finding
from fixtures.diagnosis_builder import kernel as profiled
from fixtures.timeline_nsys import write_export
from fixtures.timeline_spec import Call, Gpu, Graph, Kernel, Spec
from fixtures.timeline_trace import write_trace
from msgspec.structs import replace

from ncu_triage.model import (
    Device,
    Diagnosis,
    Gain,
    InProgram,
    KernelDiagnosis,
    Priority,
    TimeSaved,
)
from ncu_triage.timeline.join.align import align
from ncu_triage.timeline.join.gpus import agreement
from ncu_triage.timeline.join.match import match
from ncu_triage.timeline.join.matched import Match
from ncu_triage.timeline.join.rank import rank, real_seconds
from ncu_triage.timeline.measure.figures import figures
from ncu_triage.timeline.open import open_timeline

NVIDIA = "void ns::copy<(int)4, float>(T2 *, int)"
LIBRARY = "void ns::copy<4, float>(float*, int)"


def report(*kernels: KernelDiagnosis, **overrides: Any) -> Diagnosis:
    return diagnosis(kernels, **overrides)


def one(name: str = NVIDIA, seconds: float = 20e-6, **overrides: Any) -> KernelDiagnosis:
    """Build a profiled kernel, at a clock of 1.1 GHz."""
    numbers = {"duration": seconds, "sm_clock": 1.1e9, "registers_per_thread": 32.0}
    fields = {"demangled": name, "name": name, "grid": (32, 1, 1), "quantities": numbers}
    return profiled(**fields | overrides)


def joined(path: Path, spec: Spec, report: Diagnosis, *, trace: bool = False) -> Match:
    file = write_trace(path / "t.json", spec) if trace else write_export(path / "t.sqlite", spec)
    timeline = open_timeline(file)
    return match(timeline, report, figures(timeline))


def runs(name: str, count: int, first: int = 0, **how: Any) -> list[Kernel]:
    """Return so many launches of 10 µs, one each 20 µs."""
    starts = [20_000 * (first + i) + 1_000 for i in range(count)]
    return [Kernel(name, start, start + 10_000, **how) for start in starts]


def test_the_same_program_is_joined_launch_by_launch(tmp_path: Path) -> None:
    """Four launches of 10 µs within 70 µs; the profile took twice as long, at 2/3 the clock."""
    found = joined(tmp_path, Spec(runs(NVIDIA, 4)), report(*[one() for _ in range(4)]))
    (group,) = found.groups

    assert (found.comparable, found.confidence, found.order) == (True, "high", "whole")
    assert (group.how, group.profiled, group.launches) == ("name", 4, 4)
    assert (group.time_ns, group.covered_ns, group.median_ns) == (40_000, 40_000, 10_000)
    assert (group.share_of_busy, group.share_of_end_to_end) == (1.0, pytest.approx(4 / 7))
    assert group.factor == pytest.approx(2.0)
    assert group.clock_ratio == pytest.approx(1.5)
    assert found.real_ns == {f"0/0/{i}": 10_000 for i in range(4)}
    assert found.profiled_share == 1.0


def test_a_part_of_the_launches_is_found_in_a_row(tmp_path: Path) -> None:
    """`--launch-skip 2 --launch-count 2` of a, b, a, c, a, b."""
    names = ("a", "b", "a", "c", "a", "b")
    kernels = [run for i, name in enumerate(names) for run in runs(name, 1, i)]
    found = joined(tmp_path, Spec(kernels), report(one("a"), one("c")))

    assert found.order == "window"
    assert [group.launches for group in found.groups] == [3, 1]
    assert len(found.real_ns) == 2


def test_without_a_certain_place_only_groups_are_told(tmp_path: Path) -> None:
    found = joined(tmp_path, Spec(runs(NVIDIA, 9)), report(one(), one()))
    (group,) = found.groups

    assert (found.order, found.real_ns) == ("groups", {})
    assert (group.launches, group.time_ns) == (9, 90_000)


def test_launches_are_put_in_the_order_in_which_the_host_made_them(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[
            Kernel("a", 9_000, 9_500, call=1, stream=7),
            Kernel("b", 1_000, 2_000, call=2, stream=8),
        ],
        calls=[Call("cudaLaunchKernel", 100, 200, 1), Call("cudaLaunchKernel", 300, 400, 2)],
    )
    found = joined(tmp_path, spec, report(one("a"), one("b")))

    assert found.order == "whole"
    assert found.real_ns == {"0/0/0": 500, "0/0/1": 1_000}


@pytest.mark.parametrize(
    ("mine", "theirs", "how", "confidence"),
    [
        (NVIDIA, NVIDIA, "name", "high"),
        (NVIDIA, LIBRARY, "spelling", "high"),
        ("void copy<4, float>(T2 *, int)", NVIDIA, "unscoped", "high"),
        ("ns::copy(float *)", "other::copy(float *)", "unscoped", "medium"),
        ("step_279_gpu", "step_278_gpu", "loose", "low"),
        ("__omp_offloading_31_1__Z4main", "__omp_offloading_31_1__Z...", "loose", "low"),
    ],
)
def test_how_a_name_was_found(
    mine: str, theirs: str, how: str, confidence: str, tmp_path: Path
) -> None:
    (group,) = joined(tmp_path, Spec(runs(theirs, 1)), report(one(mine))).groups
    assert (group.how, group.confidence) == (how, confidence)


def test_a_mangled_name_is_found_among_the_mangled_ones(tmp_path: Path) -> None:
    spec = Spec(runs(NVIDIA, 1, mangled="_ZN2ns4copyILi4EfEEvPT0_i"))
    (group,) = joined(tmp_path, spec, report(one("_ZN2ns4copyILi4EfEEvPT0_i"))).groups
    assert group.how == "mangled"


def test_a_trace_of_pytorch_is_joined_too(tmp_path: Path) -> None:
    found = joined(tmp_path, Spec(runs(LIBRARY, 4)), report(*[one() for _ in range(4)]), trace=True)
    (group,) = found.groups

    assert (found.comparable, found.confidence, group.how) == (True, "high", "spelling")
    assert group.clock_ratio is None
    assert "clocks of the two runs are not known" in group.remarks[0]


def test_a_better_name_wins_and_one_launch_belongs_to_one_kernel(tmp_path: Path) -> None:
    spec = Spec(runs("step_278_gpu", 1) + runs("step_279_gpu", 1, 1))
    found = joined(tmp_path, spec, report(one("step_279_gpu"), one("step_280_gpu")))

    assert [(group.name, group.how) for group in found.groups] == [
        ("step_279_gpu", "name"),
        ("step_280_gpu", "loose"),
    ]


def test_of_several_that_are_alike_none_is_chosen(tmp_path: Path) -> None:
    spec = Spec(runs("step_1_gpu", 1) + runs("step_2_gpu", 1, 1) + runs("a", 1, 2))
    found = joined(tmp_path, spec, report(one("step_3_gpu"), one("a")))

    assert [item.reason for item in found.unmatched] == ["ambiguous"]


def test_overloads_of_one_spelling_are_not_sure(tmp_path: Path) -> None:
    spec = Spec(runs("void f<4>(float*)", 1))
    found = joined(tmp_path, spec, report(one("void f<(int)4>(T1)"), one("void f<(int)4>(T1, T2)")))

    (group,) = found.groups
    assert group.confidence == "medium"
    assert [item.reason for item in found.unmatched] == ["ambiguous"]


# What is not comparable.


def test_another_gpu_is_refused(tmp_path: Path) -> None:
    spec = Spec(runs(NVIDIA, 1), gpus=[Gpu("Quadro GP100", (6, 0), 56)])
    found = joined(tmp_path, spec, report(one()))

    assert (found.comparable, found.groups, found.real_ns) == (False, (), {})
    assert "RTX A4500 (compute capability 8.6)" in str(found.reason)
    assert "Quadro GP100 (compute capability 6.0)" in str(found.reason)


def test_another_problem_size_is_refused(tmp_path: Path) -> None:
    found = joined(tmp_path, Spec(runs(NVIDIA, 5, grid=(4, 1, 1))), report(one()))

    assert (found.comparable, found.groups) == (False, ())
    assert "another problem size" in str(found.reason)
    assert "grid 4×1×1, block 256×1×1" in found.unmatched[0].text


def test_no_time_is_carried_over_to_another_grid_or_block(tmp_path: Path) -> None:
    """The small kernel is the same; the large one has another shape, but takes little."""
    spec = Spec(runs("a", 2) + runs("b", 2, 2, block=(128, 1, 1)))
    found = joined(tmp_path, spec, report(one("a"), one("b", 1e-6)))

    assert found.comparable
    assert [group.name for group in found.groups] == ["a"]
    assert [(item.name, item.reason) for item in found.unmatched] == [("b", "other-grid")]
    assert "0/0/1" not in found.real_ns


def test_where_most_time_has_another_grid_everything_is_refused(tmp_path: Path) -> None:
    spec = Spec(runs("a", 2) + runs("b", 2, 2, grid=(9, 1, 1)))
    found = joined(tmp_path, spec, report(one("a", 1e-6), one("b", 1e-3)))

    assert (found.comparable, found.groups) == (False, ())
    assert "1 of the report's 2 kernels" in str(found.reason)


def test_another_program_is_refused(tmp_path: Path) -> None:
    found = joined(tmp_path, Spec(runs("x", 1)), report(one("a")))
    assert "another program or build" in str(found.reason)


def test_kernels_inside_of_graphs_are_not_there(tmp_path: Path) -> None:
    spec = Spec(runs("a", 1), graphs=[Graph(90_000, 95_000)])
    found = joined(tmp_path, spec, report(one("a"), one("b")))

    assert [item.reason for item in found.unmatched] == ["in-graphs"]
    assert "1 graph launch " in found.unmatched[0].text


def test_ranges_and_unknown_shapes_have_no_counterpart(tmp_path: Path) -> None:
    ranges = report(one(workload="range", grid=None, block=None))
    assert "no single kernel" in str(joined(tmp_path, Spec(runs("a", 1)), ranges).reason)
    shapeless = report(one("a", grid=None))
    assert "how the kernels were launched" in str(
        joined(tmp_path, Spec(runs("a", 1)), shapeless).reason
    )
    assert "holds no kernel" in str(joined(tmp_path, Spec(), report(one())).reason)


def test_several_files_are_joined_group_by_group(tmp_path: Path) -> None:
    two = report(one("a"), one("a"))
    two = replace(two, sources=two.sources * 2)
    found = joined(tmp_path, Spec(runs("a", 2)), two)

    assert (found.order, found.real_ns, found.groups[0].launches) == ("groups", {}, 2)


# How sure.


@pytest.mark.parametrize(
    ("device", "gpu", "places", "sure"),
    [
        ("NVIDIA A100-PCIE-40GB", "A100-PCIE-40GB", {0}, True),
        ("Tesla V100-SXM2-32GB", "NVIDIA Tesla V100-SXM2-32GB", {0}, True),
        ("NVIDIA GeForce RTX 4090", "NVIDIA RTX 4090", {0}, True),
        ("NVIDIA A100-PCIE-40GB", "NVIDIA A100 80GB PCIe", set(), True),
        ("NVIDIA A100-PCIE-40GB", None, {0}, False),
        ("unknown GPU", "NVIDIA A100-PCIE-40GB", {0}, False),
        ("NVIDIA A100-PCIE-40GB", "AMD Instinct MI250X", set(), True),
    ],
)
def test_gpus_are_told_apart_by_name(
    device: str, gpu: str | None, places: set[int], sure: bool
) -> None:
    from ncu_triage.timeline.events import Gpu as Seen

    mine = Device(name=device, compute_capability="8.0", sm_count=108)
    found = agreement(mine, [Seen(name=gpu, compute_capability="8.0", sm_count=108)])
    assert found.places == places
    assert found.sure == sure or not places


def test_gpus_of_one_name_can_differ_in_what_is_switched_on() -> None:
    from ncu_triage.timeline.events import Gpu as Seen

    mine = Device(name="A", compute_capability="8.0", sm_count=108)
    assert not agreement(mine, [Seen(name="A", compute_capability="8.0", sm_count=14)]).places
    assert not agreement(mine, [Seen(name="A", compute_capability="9.0")]).places
    unknown = Device(name="unknown GPU", compute_capability="unknown")
    assert agreement(unknown, [Seen(name="AMD MI300")]).places == frozenset()
    assert agreement(None, [Seen(name="A")]) == (frozenset({0}), False)


@pytest.mark.parametrize(
    ("overrides", "remark", "confidence"),
    [
        ({}, "the lower clock explains up to 1.50", "high"),
        ({"seconds": 50e-6}, "caches being emptied", "medium"),
        ({"seconds": 14e-6}, "", "high"),
        ({"seconds": 9e-6}, "slower than alone", "high"),
        ({"seconds": 1e-6}, "far more than clocks", "medium"),
        ({"registers": 40.0}, "another build", "medium"),
    ],
)
def test_what_the_times_say(
    overrides: dict[str, float], remark: str, confidence: str, tmp_path: Path
) -> None:
    mine = one(seconds=overrides.get("seconds", 20e-6))
    mine.quantities["registers_per_thread"] = overrides.get("registers", 32.0)
    (group,) = joined(tmp_path, Spec(runs(NVIDIA, 1)), report(mine)).groups

    assert remark in "; ".join(group.remarks)
    assert group.confidence == confidence


def test_a_report_without_durations_has_no_factor(tmp_path: Path) -> None:
    found = joined(tmp_path, Spec(runs("a", 1)), report(one("a", quantities={})))
    assert (found.groups[0].factor, found.groups[0].remarks) == (None, ())


# Ranking.


def saving(rule: str, percent: float) -> Any:
    return finding(rule, gain=Gain(expected_pct=percent, at_most_pct=2 * percent, limited_by="x"))


def test_priorities_are_ranked_by_the_program_s_own_time(tmp_path: Path) -> None:
    """Under the profiler b takes most; in the program a runs nine times, b once."""
    a = one("a", 10e-6, findings=[saving("low-occupancy", 10.0)])
    b = one("b", 40e-6, findings=[saving("uncoalesced-access", 10.0)])
    spec = Spec(runs("a", 9) + runs("b", 1, 9))
    mine = report(a, b)
    found = joined(tmp_path, spec, mine)
    first, second = rank(found, mine)

    assert [one.rule for one in mine.priorities] == ["uncoalesced-access", "low-occupancy"]
    assert (first.rule, second.rule) == ("low-occupancy", "uncoalesced-access")
    assert first.in_program == InProgram(
        time_saved=TimeSaved(expected=pytest.approx(9e-6), at_most=pytest.approx(18e-6)),
        share_pct=pytest.approx(100 * 9 / 190),
        launches_unmatched=0,
        confidence="high",
    )
    assert first.time_saved.expected == pytest.approx(1e-6), "the report's own seconds stay"
    assert real_seconds(found, mine) == pytest.approx({"0/0/0": 90e-6, "0/0/1": 10e-6})


def test_a_finding_about_the_whole_is_ranked_by_its_launches_own_time(tmp_path: Path) -> None:
    # A quarter of the 40 µs under the profiler; the program spends 10 + 90 µs in them.
    a, b = one("a", 10e-6), one("b", 30e-6)
    saved = TimeSaved(expected=10e-6, at_most=20e-6)
    ids = ["0/0/0", "0/0/1"]
    chain = Priority(
        rule="fusion-candidate", title="", kernels=ids, time_saved=saved, share_pct=25.0
    )
    mine = replace(report(a, b), priorities=[chain])
    (first,) = rank(joined(tmp_path, Spec(runs("a", 1) + runs("b", 9, 1)), mine), mine)

    assert first.in_program is not None
    assert first.in_program.time_saved.expected == pytest.approx(25e-6)
    assert first.in_program.time_saved.at_most == pytest.approx(50e-6)


def side_by_side(tmp_path: Path, *reports: Any) -> tuple[list[Priority], float]:
    """Return the priorities beside a from 0 to 100 µs and b from 50 to 150 µs."""
    spec = Spec([Kernel("a", 1_000, 101_000), Kernel("b", 51_000, 151_000, stream=8)])
    mine = report(*reports)
    return rank(joined(tmp_path, spec, mine), mine), 150e-6


def test_a_moment_that_two_kernels_share_is_saved_once(tmp_path: Path) -> None:
    """Half of both, all at most: 200 µs of kernels, of which 150 pass."""
    halved = [saving("low-occupancy", 50.0)]
    (first,), whole = side_by_side(tmp_path, one("a", findings=halved), one("b", findings=halved))

    assert first.in_program is not None
    assert first.in_program.time_saved.expected == pytest.approx(whole / 2)
    assert first.in_program.time_saved.at_most == pytest.approx(whole), "all that passes"
    assert first.in_program.share_pct == pytest.approx(50.0)


def test_beside_another_a_kernel_has_its_part_of_the_time(tmp_path: Path) -> None:
    """a has 50 µs alone and half of 50 µs; at most all 100 are its own."""
    (first,), whole = side_by_side(
        tmp_path, one("a", findings=[saving("low-occupancy", 40.0)]), one("b")
    )

    assert first.in_program is not None
    assert first.in_program.time_saved.expected == pytest.approx(0.4 * 75e-6)
    assert first.in_program.time_saved.at_most == pytest.approx(0.8 * 100e-6)
    assert first.in_program.share_pct == pytest.approx(100 * 30e-6 / whole)


def test_a_priority_is_no_surer_than_its_match(tmp_path: Path) -> None:
    """The program takes nine times as long as the report: far more than clocks explain."""
    mine = report(one("a", 1e-6, findings=[saving("low-occupancy", 10.0)]))
    found = joined(tmp_path, Spec(runs("a", 1)), mine)
    (first,) = rank(found, mine)

    assert first.confidence == "high"
    assert first.in_program
    assert first.in_program.confidence == found.groups[0].confidence != "high"


def test_a_kernel_of_no_length_has_no_factor(tmp_path: Path) -> None:
    spec = Spec([Kernel("a", 9_000, 9_000), Kernel("b", 19_000, 29_000)])
    mine = report(one("a"), one("b"))
    found = joined(tmp_path, spec, mine, trace=True)
    lost = next(group for group in found.groups if group.name == "a")

    assert (lost.factor, lost.confidence) == (None, "medium")
    assert lost.remarks == ("most of its launches have no length on the timeline",)


def test_launches_without_a_counterpart_save_nothing(tmp_path: Path) -> None:
    gone = one("gone", findings=[saving("low-occupancy", 50.0)])
    mine = report(one("a", findings=[saving("low-occupancy", 10.0)]), gone)
    (first,) = rank(joined(tmp_path, Spec(runs("a", 1)), mine), mine)

    assert first.in_program
    assert first.in_program.time_saved.expected == pytest.approx(1e-6)
    assert first.in_program.launches_unmatched == 1


def test_a_priority_that_the_timeline_lacks_keeps_a_place(tmp_path: Path) -> None:
    gone = one("gone", 1e-3, findings=[saving("uncoalesced-access", 50.0)])
    mine = report(gone, one("a", findings=[saving("low-occupancy", 10.0)]))
    ranked = rank(joined(tmp_path, Spec(runs("a", 1)), mine), mine)

    assert [one.rule for one in mine.priorities] == ["uncoalesced-access", "low-occupancy"]
    assert [one.rule for one in ranked] == ["low-occupancy", "uncoalesced-access"]
    assert ranked[1].in_program is None
    assert ranked[1].time_saved == mine.priorities[0].time_saved


# Sequences.


@pytest.mark.parametrize(
    ("part", "whole", "order", "places"),
    [
        ("abc", "abc", "whole", [0, 1, 2]),
        ("bc", "abcab", "window", [1, 2]),
        ("aab", "aaab", "window", [1, 2, 3]),
        ("ac", "abcd", "subsequence", [0, 2]),
        ("aa", "aaa", "groups", [None, None]),
        ("ab", "abab", "groups", [None, None]),
        ("cb", "bc", "groups", [1, 0]),
        ("ax", "aab", "groups", [None, None]),
        ("ba", "aab", "groups", [2, None]),
        ("", "ab", "groups", []),
        ("abab", "ababab", "groups", [None] * 4),
        ("aabaaab", "aabaabaaab", "window", list(range(3, 10))),
    ],
)
def test_how_launches_lie_among_others(
    part: str, whole: str, order: str, places: list[int | None]
) -> None:
    found = align([ord(c) for c in part], [ord(c) for c in whole])
    assert (found.order, list(found.places)) == (order, places)

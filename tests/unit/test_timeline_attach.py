"""A diagnosis beside a timeline of the same program: times, shares and order by hand."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.diagnosis_builder import diagnosis, finding
from fixtures.diagnosis_builder import kernel as profiled
from fixtures.example import PATH as EXAMPLE
from fixtures.timeline_nsys import write_export
from fixtures.timeline_pair import END_TO_END, PARAMETERS, program
from fixtures.timeline_spec import Call, Copy, Gpu, Kernel, Spec
from fixtures.timeline_trace import write_trace
from msgspec.structs import asdict, replace

from ncu_triage.errors import InputError
from ncu_triage.model import Bottleneck, Diagnosis, Evidence
from ncu_triage.model.timeline import Timeline
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.timeline.attach import attached, with_timeline
from ncu_triage.timeline.join.alike import called_alike
from ncu_triage.timeline.open import open_timeline

US = 1e-6
WHOLE = 43_632


@functools.cache
def report() -> Diagnosis:
    found, failures = diagnose([EXAMPLE], rules())
    assert not failures
    return found


def sqlite(folder: Path, spec: Spec) -> Path:
    return write_export(folder / "run.sqlite", spec)


def trace(folder: Path, spec: Spec) -> Path:
    return write_trace(folder / "run.json.gz", spec)


def beside(path: Path, found: Diagnosis | None = None) -> tuple[Diagnosis, Timeline]:
    made = with_timeline(found or report(), path)
    assert made.timeline
    return made, made.timeline


@pytest.mark.parametrize("write", [sqlite, trace])
def test_every_nanosecond_has_one_place(
    write: Callable[[Path, Spec], Path], tmp_path: Path
) -> None:
    _, one = beside(write(tmp_path, program()))

    nanoseconds = {part: round(value * 1e9) for part, value in asdict(one.time).items()}
    assert nanoseconds == {part: value * 1000 for part, value in END_TO_END.items()}
    assert sum(nanoseconds.values()) == 2 * nanoseconds["end_to_end"]


@pytest.mark.parametrize("write", [sqlite, trace])
def test_the_gaps_are_those_that_were_made(
    write: Callable[[Path, Spec], Path], tmp_path: Path
) -> None:
    _, one = beside(write(tmp_path, program()))

    assert (one.gaps.gaps, one.gaps.over_5us, one.gaps.late) == (80, 69, 69)
    assert one.gaps.late_time == pytest.approx(27_390 * US)
    assert one.gaps.total == pytest.approx(27_412 * US)
    assert one.gaps.idle_pct == pytest.approx(100 * 27_412 / (27_412 + 15_620))
    first = one.longest_gaps[0]
    assert first.duration == pytest.approx(6_968 * US)
    assert (first.before, first.after) == (
        "reduce_norm" + PARAMETERS,
        "transpose_tile" + PARAMETERS,
    )
    assert [stretch.launches for stretch in one.host.stretches] == [69]
    assert one.launches.short_pct == pytest.approx(100 * 60 / 81)
    assert one.graphs_save.seconds == pytest.approx((65 * 8 - 5 * 2) * US)
    assert one.fusion_saves.seconds == pytest.approx(5 * (112 - 2) * US)
    assert one.graphs_save.share_pct == pytest.approx(100 * 510 / WHOLE)


def test_the_profiled_kernels_get_their_real_times(tmp_path: Path) -> None:
    _, one = beside(sqlite(tmp_path, program()))
    transpose, gather, tiny = one.matched

    assert (one.comparable, one.confidence, one.order) == (True, "high", "groups")
    assert transpose.name == "transpose_tile" + PARAMETERS
    assert (transpose.profiled, transpose.launches) == (1, 15)
    assert transpose.time == pytest.approx(12_000 * US)
    assert transpose.share_pct == pytest.approx(100 * 12_000 / WHOLE)
    assert transpose.busy_pct == pytest.approx(100 * 12_000 / 15_620)
    assert (transpose.median, transpose.profiled_median) == pytest.approx((800 * US, 1_400 * US))
    assert (transpose.factor, transpose.clock_ratio) == pytest.approx((1.75, 1.65 / 1.05))
    assert (gather.share_pct, tiny.launches) == (pytest.approx(100 * 1_000 / WHOLE), 60)
    assert one.real_durations == pytest.approx({"0/0/3": 1_000 * US})
    assert {lost.reason for lost in one.unmatched} == {"absent"}
    assert len(one.unmatched) == 5
    assert one.profiled_pct == pytest.approx(100 * (1400 + 2100 + 33) / 6983)
    assert [k.name for k in one.kernels if not k.profiled] == ["reduce_norm" + PARAMETERS]


def test_what_to_fix_goes_by_the_program_s_time(tmp_path: Path) -> None:
    """Bank conflicts save a third of 12 ms; hidden latency a part of one launch of 1 ms."""
    before = report()
    after, _ = beside(sqlite(tmp_path, program()))

    assert [one.rule for one in before.priorities[:3]] == [
        "fusion-candidate", "latency-not-hidden", "fp64-on-weak-gpu",
    ]  # fmt: skip
    assert [one.rule for one in after.priorities[:4]] == [
        "bank-conflicts", "latency-not-hidden", "fusion-candidate", "fp64-on-weak-gpu",
    ]  # fmt: skip
    assert (before.ranked_by, after.ranked_by) == ("report", "timeline")
    conflicts, latency, fusion, fp64 = after.priorities[:4]
    assert fusion.in_program is None, "of its two kernels the program runs one"
    assert conflicts.in_program and latency.in_program
    own = conflicts.time_saved.expected
    assert own == pytest.approx(468.2 * US, rel=1e-3)
    assert conflicts.in_program.time_saved.expected == pytest.approx(own * 12_000 / 1_400)
    assert conflicts.in_program.share_pct == pytest.approx(100 * own / US * 12_000 / 1_400 / WHOLE)
    assert latency.in_program.launches_unmatched == 1, "advance_particles does not run there"
    assert fp64.in_program is None
    assert {one.rule for one in after.priorities} == {one.rule for one in before.priorities}


def test_without_comparable_kernels_the_report_stays_as_it_is(tmp_path: Path) -> None:
    spec = program()
    spec.gpus = [Gpu("Quadro GP100", (6, 0), 56)]
    after, one = beside(sqlite(tmp_path, spec))

    assert replace(after, timeline=None) == report()
    assert not one.comparable
    assert (one.matched, one.real_durations) == ([], {})
    assert "RTX A4500" in str(one.why_not) and "GP100" in str(one.why_not)
    assert one.gaps.gaps == 80, "what it says of itself is kept"


def test_another_problem_size_is_refused_with_the_shapes_that_run(tmp_path: Path) -> None:
    spec = program()
    spec.kernels = [kernel._replace(grid=(4, 1, 1)) for kernel in spec.kernels]
    after, one = beside(sqlite(tmp_path, spec))

    assert (after.ranked_by, one.comparable) == ("report", False)
    assert "another problem size" in str(one.why_not)
    assert "grid 4×1×1" in next(lost for lost in one.unmatched if lost.group == 1).text


def test_a_file_that_is_no_timeline_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a report of Nsight Compute"):
        with_timeline(report(), EXAMPLE)


def overhead() -> Diagnosis:
    cause = "Launching costs 2 to 5 µs."
    guess = Evidence(quantity="launch_cost_pct", value=53.5, unit="%")
    found = finding("launch-overhead", severity="medium", cause=cause, evidence=[guess])
    numbers = {"duration": 4e-6, "sm_clock": 1.05e9}
    one = profiled(name="a", demangled="a", grid=(32, 1, 1), quantities=numbers)
    return diagnosis([one], findings=[found])


@pytest.mark.parametrize(
    ("apart", "severity", "words"),
    [
        (15_000, "medium", "they take 20.0 µs, 57.1 % of the time from the first kernel"),
        (
            5_100,
            "info",
            "The timeline does not bear that out: all gaps between kernels take 200 ns",
        ),
    ],
)
def test_launch_overhead_is_held_against_the_true_gaps(
    apart: int, severity: str, words: str, tmp_path: Path
) -> None:
    """Three kernels of 5 µs, one each `apart` ns."""
    spec = Spec([Kernel("a", 1_000 + apart * i, 6_000 + apart * i) for i in range(3)])
    after, _ = beside(sqlite(tmp_path, spec), overhead())
    (found,) = after.findings

    assert found.severity == severity
    assert found.cause.startswith("Launching a kernel takes the host 2 to 5 µs, ")
    assert "The timeline " in found.cause and "Launching costs" not in found.cause
    gaps = {row.quantity: row.value for row in found.evidence}
    assert "launch_cost_pct" not in gaps, "a guess, where the gaps are known"
    assert (found.remedies == []) is (severity == "info")
    assert gaps["timeline_gap_time"] == pytest.approx(2 * (apart - 5_000) / 1e9)
    assert after.catalogue["timeline_gap_pct"].basis == "first to last kernel on the timeline"
    assert words in found.cause


@pytest.mark.parametrize(("apart", "sure"), [(15_000, "high"), (5_100, "low")])
def test_a_verdict_about_launching_is_held_against_the_true_gaps(
    apart: int, sure: str, tmp_path: Path
) -> None:
    """Three kernels of 5 µs: 20 of 35 µs are gaps, or 0.2 of 15.2, 1.3 %."""
    spec = Spec([Kernel("a", 1_000 + apart * i, 6_000 + apart * i) for i in range(3)])
    numbers = {"duration": 4e-6, "sm_clock": 1.05e9}
    alone = profiled(name="a", demangled="a", grid=(32, 1, 1), quantities=numbers)
    short = Bottleneck(kind="launch-dominated", confidence="high", cause="c", sentence="Short.")
    alone = replace(alone, bottleneck=short)
    after, one = beside(sqlite(tmp_path, spec), diagnosis([alone]))
    doubted = [each.text for each in one.statements if each.id == "launching"]

    assert after.kernels[0].bottleneck.confidence == sure
    assert ("1.3 %" in " ".join(doubted)) is (sure == "low")


def test_kernels_are_called_as_in_the_report(tmp_path: Path) -> None:
    mine = "void ns::copy<(int)4, float>(T2 *, int)"
    spec = Spec(
        [Kernel("void ns::copy<4, float>(float*, int)", 1_000, 2_000), Kernel("b", 3_000, 4_000)]
    )
    timeline = open_timeline(trace(tmp_path, spec))
    found = called_alike(timeline, diagnosis([profiled(name="copy", demangled=mine)]))

    assert [name.full for name in found.names] == [mine, "b"]


def test_a_spelling_that_two_kernels_share_is_left_alone(tmp_path: Path) -> None:
    spec = Spec([Kernel("one::copy(int)", 1_000, 2_000), Kernel("two::copy(int)", 3_000, 4_000)])
    timeline = open_timeline(sqlite(tmp_path, spec))
    found = called_alike(timeline, diagnosis([profiled(name="copy", demangled="copy(int)")]))

    assert found == timeline


def test_a_gpu_that_only_copies_counts_as_one_that_works(tmp_path: Path) -> None:
    """From 1 to 11 µs; one GPU computes 4 + 2, copies 1 beside nothing; the other copies 3."""
    spec = Spec(
        kernels=[Kernel("a", 1_000, 5_000), Kernel("a", 9_000, 11_000)],
        copies=[Copy("HtoD", 4_000, 6_000), Copy("PtoP", 2_000, 5_000, device=1)],
        gpus=[Gpu(), Gpu()],
    )
    _, one = beside(sqlite(tmp_path, spec), overhead())

    assert {part: round(value * 1e9) for part, value in asdict(one.time).items()} == {
        "end_to_end": 20_000, "kernels": 6_000, "copies_not_overlapped": 4_000, "graphs": 0,
        "host_bound": 0, "queued": 3_000, "outside": 7_000,
    }  # fmt: skip


def test_kernels_of_no_length_are_no_trouble(tmp_path: Path) -> None:
    calls = [Call("cudaLaunchKernel", 1_000 * i, 1_000 * i + 100, i) for i in range(1, 4)]
    spec = Spec([Kernel("a", 9_000 * i, 9_000 * i, call=i) for i in range(1, 4)], calls=calls)
    after, one = beside(trace(tmp_path, spec), overhead())

    assert (one.launches.launches, one.time.kernels, one.gaps.gaps) == (3, 0, 0)
    assert one.why_not == "no kernel of the timeline has a length"
    assert replace(after, timeline=None) == overhead()


def test_the_same_file_gives_the_same_diagnosis(tmp_path: Path) -> None:
    timeline = open_timeline(sqlite(tmp_path, program()))
    assert attached(report(), timeline) == attached(report(), timeline)

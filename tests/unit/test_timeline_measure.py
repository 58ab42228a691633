"""The numbers of made-up timelines, worked out by hand, from every format alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.timeline_case import ADD, SCALE, hand_worked, steps
from fixtures.timeline_nsys import write_export
from fixtures.timeline_spec import Call, Copy, Graph, Kernel, Spec
from fixtures.timeline_trace import write_trace

from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.measure.figures import figures
from ncu_triage.timeline.measure.gaps import Gaps, Host, kernel_unions
from ncu_triage.timeline.measure.host import host_time, stretches
from ncu_triage.timeline.measure.intervals import joined, median, nearest_rank, overlap, union_of
from ncu_triage.timeline.measure.part import between, steady
from ncu_triage.timeline.measure.savings import Saving, fusion_at_most, graphs_at_most
from ncu_triage.timeline.measure.shares import by_direction, by_name
from ncu_triage.timeline.measure.sharing import shared_times
from ncu_triage.timeline.open import open_timeline

Writer = Callable[[Path, Spec], Path]
WRITERS: dict[str, Writer] = {
    "nsys": lambda path, spec: write_export(path / "t.sqlite", spec),
    "nsys of 2020": lambda path, spec: write_export(path / "t.sqlite", spec, old=True),
    "trace": lambda path, spec: write_trace(path / "t.json", spec),
    "trace of 2020": lambda path, spec: write_trace(path / "t.json", spec, old=True),
    "packed trace": lambda path, spec: write_trace(path / "t.json.gz", spec),
}


def timeline(path: Path, spec: Spec) -> Timeline:
    return open_timeline(write_export(path / "t.sqlite", spec))


def fusion(one: Timeline, window: int) -> Saving:
    return fusion_at_most(one, gaps_of(one), Host(one), window)


def gaps_of(one: Timeline) -> Gaps:
    return Gaps(one, kernel_unions(one))


@pytest.mark.parametrize("writer", WRITERS)
def test_the_hand_worked_timeline(writer: str, tmp_path: Path) -> None:
    measured = figures(open_timeline(WRITERS[writer](tmp_path, hand_worked())))

    kernels, gaps, copies, launches = (
        measured.kernels, measured.gaps, measured.copies, measured.launches,
    )  # fmt: skip
    assert (kernels.kernels, kernels.devices, kernels.streams, kernels.distinct_names) == (
        4,
        1,
        2,
        3,
    )
    assert (kernels.window_ns, kernels.busy_ns, kernels.kernel_sum_ns) == (30_000, 18_500, 19_500)
    assert kernels.idle_share == pytest.approx(11.5 / 30)
    assert (kernels.share_count_lt_10us, kernels.share_time_lt_10us) == (0.75, 9_500 / 19_500)
    assert (gaps.gaps, gaps.gap_total_ns) == (2, 11_500)
    assert (gaps.gap_median_ns, gaps.gap_p90_ns, gaps.gap_longest_ns) == (500, 11_000, 11_000)
    assert (gaps.gaps_over_5us, gaps.host_late_gaps, gaps.host_late_ns) == (1, 1, 11_000)
    assert (copies.copies_and_sets, copies.copy_set_bytes) == (2, 8_400)
    assert (copies.copy_set_union_ns, copies.copy_hidden_ns) == (3_500, 1_000)
    assert (launches.launches_matched, launches.launch_median_ns) == (4, 2_600)
    assert (measured.any_busy_ns, measured.gpu_span_ns, measured.nvtx_ranges) == (21_000, 30_000, 1)


@pytest.mark.parametrize("writer", WRITERS)
def test_what_the_host_did_in_a_late_gap(writer: str, tmp_path: Path) -> None:
    one = open_timeline(WRITERS[writer](tmp_path, hand_worked()))
    found = host_time(Host(one), gaps_of(one))

    assert (found.gaps, found.after_wait) == (1, 1)
    assert (found.wait_ns, found.other_ns, found.launch_ns) == (500, 500, 10_000)
    assert (found.copy_ns, found.allocate_ns, found.load_ns) == (0, 0, 0)
    assert found.latency_median_ns is None, "a copy ran between the call and the kernel"


def test_shares_by_name_and_by_direction(tmp_path: Path) -> None:
    one = timeline(tmp_path, hand_worked())

    scale, add, _ = by_name(one)
    assert (scale.name, scale.calls, scale.time_ns) == (SCALE, 2, 12_000)
    assert (add.name, add.share, add.short_calls) == (ADD, 5_500 / 19_500, 1)
    copy, memset = by_direction(one)
    assert (copy.direction, copy.pageable, copy.bytes, copy.hidden_ns) == ("HtoD", True, 8_000, 0)
    assert (memset.direction, memset.time_ns, memset.hidden_ns) == ("memset", 1_500, 1_000)


def test_two_gpus_are_measured_apart(tmp_path: Path) -> None:
    """One union over both would hide that each of them waits for the other."""
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000, 2_000, device=0),
            Kernel(ADD, 2_000, 3_000, device=1),
            Kernel(ADD, 3_000, 4_000, device=0),
            Kernel(ADD, 4_000, 5_000, device=1),
        ]
    )
    measured = figures(timeline(tmp_path, spec))

    assert (measured.kernels.devices, measured.kernels.window_ns) == (2, 6_000)
    assert (measured.gaps.gaps, measured.gaps.gap_total_ns) == (2, 2_000)
    assert measured.gpu_span_ns == 4_000


def test_one_correlation_id_in_two_processes(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[
            Kernel(ADD, 5_000, 6_000, call=1, process=41),
            Kernel(ADD, 9_000, 9_500, call=1, process=42),
        ],
        calls=[
            Call("cudaLaunchKernel", 1_000, 1_100, 1, process=41),
            Call("cudaLaunchKernel", 8_000, 8_100, 1, process=42),
        ],
    )
    one = timeline(tmp_path, spec)

    assert list(one.kernels.launched) == [1_000, 8_000]
    assert figures(one).gaps.host_late_gaps == 1


def test_a_launch_at_the_very_beginning_of_a_gap_is_late(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000, 2_000), Kernel(ADD, 3_000, 4_000, call=1)],
        calls=[Call("cudaLaunchKernel", 2_000, 2_100, 1)],
    )
    assert figures(timeline(tmp_path, spec)).gaps.host_late_gaps == 1


def test_the_earliest_of_several_calls_counts_and_a_missing_one_is_not_late(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000, 2_000, call=9), Kernel(ADD, 3_000, 4_000)],
        calls=[Call("cuLaunchKernel", 800, 900, 9), Call("cudaLaunchKernel", 700, 950, 9)],
    )
    measured = figures(timeline(tmp_path, spec))

    assert (measured.launches.launches_matched, measured.launches.launch_median_ns) == (1, 300)
    assert measured.gaps.host_late_gaps == 0


def test_a_kernel_before_its_call_is_counted_as_a_skewed_clock(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000, 2_000, call=1)],
        calls=[Call("cudaLaunchKernel", 1_500, 1_600, 1)],
    )
    assert figures(timeline(tmp_path, spec)).launches.launch_negative == 1


def test_graphs_count_as_work_but_not_as_kernels(tmp_path: Path) -> None:
    spec = Spec(kernels=[Kernel(ADD, 1_000, 2_000)], graphs=[Graph(3_000, 7_000)])
    measured = figures(timeline(tmp_path, spec))

    assert (measured.graph_rows, measured.graph_ns) == (1, 4_000)
    assert (measured.kernels.busy_ns, measured.any_busy_ns, measured.gpu_span_ns) == (
        1_000,
        5_000,
        6_000,
    )


def test_a_timeline_without_kernels_has_no_shares(tmp_path: Path) -> None:
    measured = figures(timeline(tmp_path, Spec(copies=[Copy("HtoD", 1_000, 2_000, 10)])))

    assert measured.kernels.idle_share is None
    assert measured.gaps.gap_median_ns is None
    assert (measured.any_busy_ns, measured.copies.copy_hidden_ns) == (1_000, 0)


def test_the_steady_part_leaves_out_the_first_step(tmp_path: Path) -> None:
    one = timeline(tmp_path, steps(5))
    found = steady(one)

    assert found is not None
    assert (found.name, found.repetitions) == ("ProfilerStep##", 4)
    assert (found.figures.kernels.kernels, found.figures.kernels.busy_ns) == (4, 200_000)
    assert found.figures.kernels.window_ns == 350_000
    assert steady(timeline(tmp_path, hand_worked())) is None


def test_a_part_holds_what_was_launched_in_it(tmp_path: Path) -> None:
    part = between(timeline(tmp_path, hand_worked()), 600, 10_200)

    assert list(part.kernels.start) == [3_500, 20_000]
    assert len(part.copies) == 1


def test_graphs_could_save_the_host_part_of_late_gaps(tmp_path: Path) -> None:
    """11 µs are late, 0.5 µs of them a wait that stays, and 2 µs a copy."""
    one = timeline(tmp_path, hand_worked())
    saving = graphs_at_most(gaps_of(one), Host(one), 30_000)

    assert (saving.at_most_ns, saving.places, saving.share) == (8_500, 1, 8_500 / 30_000)


def test_a_long_gap_is_no_cost_of_launching(tmp_path: Path) -> None:
    """Gaps of 100 µs and of 101 µs; in the longer one the host did something else."""
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000, 2_000),
            Kernel(ADD, 102_000, 103_000, call=1),
            Kernel(ADD, 204_000, 205_000, call=2),
        ],
        calls=[
            Call("cudaLaunchKernel", 3_000, 3_100, 1),
            Call("cudaLaunchKernel", 104_000, 104_100, 2),
        ],
    )
    one = timeline(tmp_path, spec)
    assert graphs_at_most(gaps_of(one), Host(one), 204_000).at_most_ns == 100_000


def test_the_launch_of_a_graph_is_nothing_that_graphs_save(tmp_path: Path) -> None:
    """Late gaps of 4 µs before a kernel, and of 6 µs before a graph of two kernels."""
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000, 2_000, call=1),
            Kernel(ADD, 6_000, 7_000, call=2),
            Kernel(ADD, 13_000, 14_000, call=3),
            Kernel(ADD, 14_500, 15_500, call=3),
        ],
        calls=[
            Call("cudaLaunchKernel", 500, 600, 1),
            Call("cudaLaunchKernel", 3_000, 3_100, 2),
            Call("cudaGraphLaunch", 8_000, 8_100, 3),
        ],
    )
    one = timeline(tmp_path, spec)

    assert figures(one).gaps.host_late_ns == 10_000
    assert figures(one).launches.graph_launched == 2
    assert graphs_at_most(gaps_of(one), Host(one), 14_500).at_most_ns == 4_000
    # Two chains: 1 to 7 µs and 13 to 15.5 µs, of two kernels of 1 µs each.
    assert fusion(one, 14_500).at_most_ns == (6_000 - 1_000) + (2_500 - 1_000)


def test_copies_in_a_gap_are_no_idle_time(tmp_path: Path) -> None:
    """A gap of 20 µs, 12 of them a copy; one of 10, whose kernel has no call."""
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000, 2_000, call=1),
            Kernel(ADD, 22_000, 23_000, call=2),
            Kernel(ADD, 33_000, 34_000),
        ],
        copies=[Copy("HtoD", 1_500, 5_000), Copy("HtoD", 9_000, 18_000)],
        calls=[
            Call("cudaLaunchKernel", 500, 600, 1),
            Call("cudaLaunchKernel", 20_000, 20_100, 2),
        ],
    )
    one = timeline(tmp_path, spec)
    gaps = figures(one).gaps

    assert (gaps.gap_total_ns, gaps.host_late_ns) == (30_000, 20_000)
    assert (gaps.gap_empty_ns, gaps.host_late_empty_ns, gaps.unknown_empty_ns) == (
        18_000,
        8_000,
        10_000,
    )
    assert (gaps.over_5us_empty_ns, gaps.host_late_over_5us_empty_ns) == (18_000, 8_000)
    assert graphs_at_most(gaps_of(one), Host(one), 33_000).at_most_ns == 8_000


def test_one_call_launches_one_kernel(tmp_path: Path) -> None:
    """An id that three kernels share says nothing of the later ones."""
    spec = Spec(
        kernels=[Kernel(ADD, 1_000 + 9_000 * i, 2_000 + 9_000 * i, call=1) for i in range(3)],
        calls=[Call("cudaLaunchKernel", 500, 600, 1)],
    )
    one = timeline(tmp_path, spec)

    assert list(one.kernels.launched) == [500, -1, -1]
    assert figures(one).gaps.unknown_empty_ns == 16_000


def test_kernels_of_other_shapes_keep_their_time(tmp_path: Path) -> None:
    """Four kernels of 2 µs, 1 apart; of neighbours only the last two have one shape."""
    spec = Spec(
        [
            Kernel(ADD, 1_000 + 3_000 * i, 3_000 + 3_000 * i, grid=(grid, 1, 1))
            for i, grid in enumerate((8, 16, 4, 4))
        ]
    )
    assert fusion(timeline(tmp_path, spec), 11_000).at_most_ns == 3 * 1_000 + 2_000


def test_each_moment_is_shared_by_the_kernels_that_run(tmp_path: Path) -> None:
    """From 0 to 2 µs one kernel, to 3 two, to 4 three, to 6 one: 6 µs in all."""
    spec = Spec(
        [
            Kernel(ADD, 1_000, 5_000, stream=7),
            Kernel(ADD, 3_000, 5_000, stream=8),
            Kernel(ADD, 4_000, 7_000, stream=9),
        ]
    )
    one = timeline(tmp_path, spec)
    found = shared_times(one, kernel_unions(one))

    assert list(found) == pytest.approx([2_000 + 500 + 1_000 / 3, 500 + 1_000 / 3, 7_000 / 3])
    assert sum(found) == pytest.approx(6_000)


def test_fusion_shrinks_a_chain_to_its_longest_kernel(tmp_path: Path) -> None:
    """Three kernels from 1 to 12 µs, the longest of 4 µs; a copy ends the chain."""
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000, 4_000),
            Kernel(SCALE, 5_000, 9_000),
            Kernel(ADD, 10_000, 12_000),
            Kernel(ADD, 20_000, 21_000),
            Kernel(ADD, 30_000, 50_000),
        ],
        copies=[Copy("DtoH", 13_000, 14_000, 10)],
    )
    saving = fusion(timeline(tmp_path, spec), 49_000)

    assert (saving.at_most_ns, saving.places, saving.kernels) == (11_000 - 4_000, 1, 3)


def test_chains_that_run_side_by_side_pass_only_once(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[
            Kernel(ADD, 1_000 + 2_000 * i, 2_000 + 2_000 * i, stream=stream)
            for i in range(3)
            for stream in (7, 8)
        ]
    )
    saving = fusion(timeline(tmp_path, spec), 5_000)

    assert (saving.places, saving.at_most_ns) == (2, 4_000)


def test_a_stretch_is_a_row_of_late_launches(tmp_path: Path) -> None:
    """Ten kernels of 10 µs, each launched 5 µs after the one before it has ended."""
    spec = Spec()
    for i in range(10):
        start = 20_000 * i + 10_000
        spec.kernels.append(Kernel(ADD, start, start + 10_000, call=i + 1))
        spec.calls.append(Call("cudaLaunchKernel", start - 5_000, start - 4_000, i + 1))
    one = timeline(tmp_path, spec)
    (found,) = stretches(one, gaps_of(one))

    assert (found.kernels, found.begins_ns, found.idle_ns) == (9, 10_000, 90_000)
    assert found.length_ns == 170_000


def test_unions_and_what_they_share() -> None:
    one, other = union_of([(0, 4), (2, 6), (9, 12)]), union_of([(5, 10), (11, 20)])

    assert (one.length, one.window, list(one.holes())) == (9, 12, [(6, 9)])
    assert overlap(one, other) == overlap(other, one) == 1 + 1 + 1
    assert joined([one, other]).length == 20
    assert union_of([(3, 3)]).length == 0
    assert union_of([(0, 2), (2, 4)]).start.tolist() == [0]


def test_the_lower_middle_and_the_nearest_rank() -> None:
    assert median([4, 1, 3, 2]) == 2
    assert nearest_rank([*range(1, 12)], 90) == 10
    assert nearest_rank([5], 90) == 5
    assert median([]) is nearest_rank([], 90) is None

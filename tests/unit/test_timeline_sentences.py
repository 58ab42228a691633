"""What a reader is told about a timeline, alone and beside a report."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_builder import kernel as profiled
from fixtures.timeline_case import ADD, hand_worked, steps
from fixtures.timeline_nsys import write_export
from fixtures.timeline_spec import Call, Copy, Gpu, Graph, Kernel, Spec
from fixtures.timeline_trace import trace_text

from ncu_triage.timeline.open import open_timeline
from ncu_triage.timeline.summarise import beside, summarise
from ncu_triage.timeline.summary import TimelineSummary

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J\u202e{{7*7}}\r\n=cmd()"


def summary(path: Path, spec: Spec) -> TimelineSummary:
    return summarise(open_timeline(write_export(path / "t.sqlite", spec)))


def said(one: TimelineSummary) -> dict[str, str]:
    return {sentence.id: sentence.text for sentence in one.sentences}


def test_the_hand_worked_timeline_in_words(tmp_path: Path) -> None:
    texts = said(summary(tmp_path, hand_worked()))

    assert texts["idle"] == (
        "The GPU was idle 30.0 % of 30.0 µs, from its first kernel to its last; 8.3 % had copies"
        " and no kernel."
    )
    assert texts["idle-any-work"].startswith(
        "With copies, memsets and graphs counted as work, idle time was 30.0 % of the 30.0 µs"
    )
    assert texts["gaps"] == (
        "1 gap above 5 µs between kernels, 11.0 µs in all: 18.2 % copies, 81.8 % nothing queued,"
        " because the host launched late."
    )
    assert texts["host"] == (
        "Of the 11.0 µs in gaps that a late launch ended (2.00 µs of it copies), the host spent"
        " 90.9 % from the launch call to the kernel's start."
    )
    assert "moved 8.40 KB in 3.50 µs; 28.6 % of that time lay behind kernels" in texts["copies"]
    assert "1 copy (2.00 µs) used pageable host memory" in texts["copies"]
    assert "at most 8.50 µs (28.3 % of the time" in texts["graphs-save"]


def test_numbers_stand_behind_the_words(tmp_path: Path) -> None:
    idle = next(s for s in summary(tmp_path, hand_worked()).sentences if s.id == "idle")

    assert {(e.quantity, e.unit) for e in idle.evidence} == {
        ("idle_share", "%"), ("gaps_empty", "s"), ("window", "s"), ("busy", "s"),
    }  # fmt: skip
    assert idle.evidence[0].value == pytest.approx(100 * 11.5 / 30)
    assert idle.evidence[0].basis == "first to last kernel"


def test_gaps_in_which_work_was_queued_are_not_the_host_s(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 10_000, 11_000, call=1), Kernel(ADD, 30_000, 31_000, call=2)],
        calls=[
            Call("cudaLaunchKernel", 1_000, 1_100, 1),
            Call("cudaLaunchKernel", 2_000, 2_100, 2),
        ],
        copies=[Copy("HtoD", 12_000, 29_000, 10)],
    )
    texts = said(summary(tmp_path, spec))

    assert "89.5 % copies, 10.5 % work queued, which waited" in texts["gaps"]
    assert "host" not in texts


def test_synchronising_after_each_kernel_is_named(tmp_path: Path) -> None:
    spec = Spec()
    for i in range(12):
        start = 50_000 * i + 10_000
        spec.kernels.append(Kernel(ADD, start, start + 20_000, call=i + 1))
        spec.calls.append(Call("cudaLaunchKernel", start - 5_000, start - 4_000, i + 1))
        spec.calls.append(Call("cudaDeviceSynchronize", start - 3_000, start + 21_000, 100 + i))
    one = summary(tmp_path, spec)
    texts = said(one)

    assert texts["synchronisation"].startswith("11 of these 11 gaps opened while the host waited")
    assert texts["launch-latency"].startswith("A launch into an empty queue took 5.00 µs")
    assert "11 launches in a row came late" in texts["host-bound"]
    assert next(s for s in one.sentences if s.id == "synchronisation").advice


def test_a_host_that_runs_ahead_is_praised_and_no_cost(tmp_path: Path) -> None:
    spec = Spec()
    for i in range(10):
        start = 10_000_000 + 20_000 * i
        spec.kernels.append(Kernel(ADD, start, start + 20_000, call=i + 1))
        spec.calls.append(Call("cudaLaunchKernel", 1_000 + 10 * i, 1_005 + 10 * i, i + 1))
    texts = said(summary(tmp_path, spec))

    assert "which is good" in texts["runs-ahead"]
    assert "launch-latency" not in texts
    assert "graphs-save" not in texts


def test_the_steady_part_is_told(tmp_path: Path) -> None:
    texts = said(summary(tmp_path, steps(5)))
    assert texts["steady"].startswith(
        "Once running (4 repetitions of “ProfilerStep” after the first)"
    )


def test_cautions(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[
            Kernel("ncclDevKernel_AllReduce_Sum", 32_000, 64_000, stream=9),
            *[Kernel(ADD, 32_000 * i, 32_000 * i + 320, call=i) for i in range(1, 20)],
        ],
        graphs=[Graph(640_000, 672_000)],
        overheads=[(32_000, 64_000)],
        calls=[Call("cudaLaunchKernel", 64_032, 64_064, 2)],
    )
    texts = said(summary(tmp_path, spec))

    assert texts["graphs-untraced"].startswith("1 graph launch (32.0 µs)")
    assert "no launch call for 19 of 20 kernels" in texts["no-launch-call"]
    assert "1 kernel starts before" in texts["clock-skew"]
    assert "steps of 320 ns" in texts["clock-steps"] or "steps of 32.0 ns" in texts["clock-steps"]
    assert "collectives (NCCL)" in texts["collectives"]
    assert "5.0 % of the time" in texts["profiler-overhead"]


def test_several_gpus_are_spoken_of_together(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000 * i, 1_000 * i + 500, device=i % 2) for i in range(1, 9)]
    )
    assert said(summary(tmp_path, spec))["idle"].startswith("The 2 GPUs together were idle")


def test_nothing_and_a_single_kernel(tmp_path: Path) -> None:
    copies = Spec(copies=[Copy("HtoD", 1_000, 2_000, 10)])
    assert "no GPU kernel, only 1 copy or memset" in said(summary(tmp_path, copies))["no-kernels"]
    single = said(summary(tmp_path, Spec(kernels=[Kernel(ADD, 1_000, 2_000)])))
    assert single == {"one-kernel": "The timeline holds a single kernel, “add”, of 1.00 µs."} | {
        key: text for key, text in single.items() if key == "no-launch-call"
    }


def test_an_incomplete_file_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text(trace_text(hand_worked())[:-400])
    texts = said(summarise(open_timeline(path)))

    assert texts["file"].startswith("The timeline is incomplete: the file ends inside")


def test_a_hostile_name_stays_one_line_of_text(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(HOSTILE, 1_000, 2_000), Kernel("x" * 50_000, 900_000, 901_000)],
    )
    one = summary(tmp_path, spec)
    shown = msgspec.json.encode(one).decode()

    assert not [c for c in ("\x1b", "\u202e", "\r", "\n") if c in one.kernels[0].name + shown]
    assert len(one.longest_gaps[0].after) <= 8_000
    assert all(len(sentence.text) < 400 for sentence in one.sentences)


def test_the_same_file_gives_the_same_summary(tmp_path: Path) -> None:
    path = write_export(tmp_path / "t.sqlite", hand_worked())
    first, second = (msgspec.json.encode(summarise(open_timeline(path))) for _ in range(2))
    assert first == second
    assert msgspec.json.decode(first, type=TimelineSummary) == summarise(open_timeline(path))


def test_a_report_beside_a_timeline_in_words(tmp_path: Path) -> None:
    numbers = {"duration": 4e-6, "sm_clock": 1.1e9}
    kernels = [profiled(demangled=ADD, grid=(32, 1, 1), quantities=numbers), profiled(name="gone")]
    timeline = open_timeline(write_export(tmp_path / "t.sqlite", hand_worked()))
    one = beside(timeline, diagnosis(kernels))
    texts = {sentence.id: sentence.text for sentence in one.sentences}

    assert texts["matched"].startswith("The timeline holds 1 of the 2 profiled kernels (")
    assert "29.7 % of the GPU's busy time, and 18.3 % of the time" in texts["matched"]
    assert texts["matched-group-0"].startswith("“add” ran 1 time and took 5.50 µs")
    assert texts["unmatched"] == "Not found: “gone” does not occur in the timeline."


def test_a_refusal_in_words(tmp_path: Path) -> None:
    spec = hand_worked()
    spec.gpus = [Gpu("Quadro GP100", (6, 0))]
    timeline = open_timeline(write_export(tmp_path / "t.sqlite", spec))
    (only,) = beside(timeline, diagnosis([profiled(demangled=ADD)])).sentences

    assert only.id == "not-comparable"
    assert "Quadro GP100" in only.text

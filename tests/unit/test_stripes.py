"""A large report is judged in several processes, and nothing of the result shows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.launches import A4500
from fixtures.report_writer import launch, write_report

import ncu_triage.pipeline as pipeline
import ncu_triage.stripes as stripes
from ncu_triage.errors import InputError
from ncu_triage.model import Diagnosis
from ncu_triage.quantities.replay import ReplayCheck

# The test runner has threads of its own, which Python 3.12 warns of.
pytestmark = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")

LARGE = 60
COUNTED = {
    "gpc__cycles_elapsed.max": 2_320_627.0,
    "sm__cycles_active.avg": 2_284_988.54,
    "smsp__inst_executed.sum": 491_622.0,
}


@pytest.fixture(autouse=True)
def _three_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_MANY", 2)
    monkeypatch.setattr(stripes, "_WORTH", 1)
    monkeypatch.setattr(stripes, "processes", lambda: 3)


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """List the copies of this process, and see that none is left."""
    made: list[int] = []
    real = os.fork

    def fork() -> int:
        process = real()
        if process:
            made.append(process)
        return process

    monkeypatch.setattr(os, "fork", fork)
    yield made
    for process in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(process, os.WNOHANG)


def _report(folder: Path, **overrides: object) -> Path:
    """Write launches of four kernels on two GPUs, each with a time of its own."""
    launches = [
        launch(
            name=f"kernel{number % 4}",
            metrics={
                **A4500,
                "device__attribute_display_name": f"GPU {number % 2}",
                "gpu__time_duration.sum": 1000.0 * (number + 1),
                "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 90.0,
            },
        )
        for number in range(LARGE)
    ]
    return write_report(folder / "large.ncu-rep", launches, **overrides)


def _judged(path: Path, *, all_cores: bool) -> Diagnosis:
    found, failures = pipeline.diagnose([path, path], pipeline.rules(), all_cores=all_cores)
    assert not failures
    return found


def test_the_result_is_the_same(tmp_path: Path, forked: list[int]) -> None:
    path = _report(tmp_path)
    together = _judged(path, all_cores=True)
    assert len(forked) == 4
    assert together == _judged(path, all_cores=False)
    assert [k.id for k in together.kernels[:3]] == ["0/0/0", "0/0/1", "0/0/2"]
    assert [d.name for d in together.devices] == ["GPU 0", "GPU 1"]


def test_what_is_cut_is_lost_once(tmp_path: Path, forked: list[int]) -> None:
    path = _report(tmp_path)
    path.write_bytes(path.read_bytes()[:-700])
    together = _judged(path, all_cores=True)
    assert forked
    assert 0 < together.sources[0].lost_launches < LARGE
    assert together == _judged(path, all_cores=False)


def test_the_part_of_a_copy_that_fails_is_not_lost(
    tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = os.getpid()
    real = ReplayCheck.marks

    def marks(self: ReplayCheck) -> object:
        if os.getpid() != own:
            raise MemoryError
        return real(self)

    path = _report(tmp_path)
    expected = _judged(path, all_cores=False)
    monkeypatch.setattr(ReplayCheck, "marks", marks)
    assert _judged(path, all_cores=True) == expected
    assert forked


def test_copied_counters_are_found_across_processes(tmp_path: Path, forked: list[int]) -> None:
    same = {**A4500, **COUNTED, "gpu__time_duration.sum": 1_222_208.0}
    launches = [launch(name=f"kernel{number}", metrics=same) for number in range(6)]
    path = write_report(tmp_path / "copies.ncu-rep", launches)
    found = _judged(path, all_cores=True)
    assert forked
    assert [k.absent.get("duration") for k in found.kernels[:6]] == [None, *["suspect"] * 5]
    assert found == _judged(path, all_cores=False)


def test_where_no_process_can_be_had_one_does_it_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> int:
        raise BlockingIOError("no more processes")

    path = _report(tmp_path)
    expected = _judged(path, all_cores=False)
    monkeypatch.setattr(os, "fork", refuse)
    assert _judged(path, all_cores=True) == expected


def test_an_interrupt_leaves_no_process_behind(
    tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    own, real = os.getpid(), pipeline.judge

    def judge(*given: object) -> object:
        if os.getpid() == own:
            raise KeyboardInterrupt
        return real(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "judge", judge)
    with pytest.raises(KeyboardInterrupt):
        _judged(_report(tmp_path), all_cores=True)
    assert forked


def test_launches_are_counted_for_the_progress(tmp_path: Path) -> None:
    seen: list[int] = []
    pipeline.diagnose([_report(tmp_path)], pipeline.rules(), seen.append, all_cores=True)
    assert seen == list(range(3, LARGE + 1, 3))


def test_a_report_without_a_readable_launch_is_refused(tmp_path: Path) -> None:
    path = write_report(tmp_path / "nameless.ncu-rep", [launch(name="", metrics={})] * 6)
    with pytest.raises(InputError, match="no launch can be read"):
        pipeline._Work(pipeline.rules(), lambda done: None, None).add(
            pipeline.open_report(path, 0), all_cores=True
        )

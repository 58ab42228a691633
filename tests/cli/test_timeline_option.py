"""`--timeline` as a user calls it: what is written, what is said, and the exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.example import PATH as EXAMPLE
from fixtures.report_writer import Workload, launch, write_report
from fixtures.timeline_nsys import write_export
from fixtures.timeline_pair import program
from fixtures.timeline_spec import Gpu
from fixtures.timeline_trace import write_trace

from ncu_triage import diagnose
from ncu_triage.cli.timeline_option import joined


def _call(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.fixture
def timeline(tmp_path: Path) -> Path:
    return write_export(tmp_path / "run.sqlite", program())


def test_a_timeline_is_joined_in_every_output_of_the_call(timeline: Path) -> None:
    page, data = timeline.with_suffix(".html"), timeline.with_suffix(".json")
    done = _call(EXAMPLE, "--timeline", timeline, "-o", page, "-o", data)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert 'id="timeline"' in page.read_text()
    found = json.loads(data.read_text())
    assert (found["ranked_by"], found["timeline"]["comparable"]) == ("timeline", True)
    assert found["priorities"][0]["rule"] == "bank-conflicts"


@pytest.mark.parametrize("name", ["trace.json", "trace.json.gz", "trace.txt"])
def test_a_trace_of_pytorch_is_read_by_its_content(name: str, tmp_path: Path) -> None:
    done = _call(EXAMPLE, "--timeline", write_trace(tmp_path / name, program()))
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fix first, of the program's time, by the timeline" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100


def test_the_timeline_is_not_written_to(timeline: Path) -> None:
    before, status = timeline.read_bytes(), timeline.stat()
    timeline.chmod(0o400)
    assert _call(EXAMPLE, "--timeline", timeline).returncode == 0
    assert timeline.read_bytes() == before
    assert timeline.stat().st_mtime_ns == status.st_mtime_ns
    assert [path.name for path in timeline.parent.iterdir()] == ["run.sqlite"]


def test_a_timeline_of_another_gpu_is_refused_and_the_report_judged(tmp_path: Path) -> None:
    spec = program()
    spec.gpus = [Gpu("Quadro GP100", (6, 0), 56)]
    timeline, data = write_export(tmp_path / "t.sqlite", spec), tmp_path / "d.json"
    done = _call(EXAMPLE, "--timeline", timeline, "-o", data)

    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ncu-triage: --timeline {timeline}: not comparable with the report: ")
    found = json.loads(data.read_text())
    assert (len(found["kernels"]), found["ranked_by"]) == (19, "report")
    assert "Quadro GP100" in found["timeline"]["why_not"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "the file is empty"),
        (b"NVIDIA Tegra Profiler Report", "nsys export --type sqlite"),
        (b"dear diary", "this is no timeline"),
        (b"SQLite format 3\0" + bytes(5000), ""),
        (None, "there is no such file"),
        (EXAMPLE.read_bytes(), "this is a report of Nsight Compute"),
    ],
)
def test_an_unreadable_timeline_ends_in_3_and_the_report_is_judged(
    content: bytes | None, words: str, tmp_path: Path
) -> None:
    timeline, data = tmp_path / "t.sqlite", tmp_path / "d.json"
    if content is not None:
        timeline.write_bytes(content)
    done = _call(EXAMPLE, "--timeline", timeline, "-o", data)

    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ncu-triage: --timeline {timeline}: ")
    assert words in line
    found = json.loads(data.read_text())
    assert (len(found["kernels"]), found["timeline"]) == (19, None)


@pytest.mark.parametrize("trace", [False, True])
def test_report_and_timeline_in_each_other_s_place(
    trace: bool, timeline: Path, tmp_path: Path
) -> None:
    path = write_trace(tmp_path / "t.json.gz", program()) if trace else timeline
    done = _call(path, "--timeline", EXAMPLE)

    assert (done.returncode, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ncu-triage: {path}: ")
    assert "give it with --timeline" in line


def test_a_fault_in_joining_costs_the_timeline_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.delenv("NCU_TRIAGE_DEBUG", raising=False)
    monkeypatch.setattr("ncu_triage.timeline.attach.with_timeline", fails)
    found = diagnose(EXAMPLE)

    assert joined(found, Path("run.sqlite")) == (found, 4)
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_an_output_does_not_replace_the_timeline(timeline: Path) -> None:
    done = _call(EXAMPLE, "--timeline", timeline, "-o", timeline, "--format", "json")
    assert done.returncode == 2
    assert "this is the timeline" in done.stderr
    assert timeline.read_bytes().startswith(b"SQLite")


def test_a_gate_that_fails_comes_before_a_timeline_that_does_not_fit(tmp_path: Path) -> None:
    other = tmp_path / "t.txt"
    other.write_text("dear diary")
    call = (EXAMPLE, "--timeline", other, "--format", "json", "--fail-on")
    assert _call(*call, "severity=low").returncode == 1
    assert _call(*call, "rule=debug-build").returncode == 3


def test_names_are_aliased_in_both(timeline: Path) -> None:
    done = _call(EXAMPLE, "--timeline", timeline, "--anonymise", "--format", "json")
    assert done.returncode == 0
    for name in ("transpose_tile", "reduce_norm", "gather_neighbours"):
        assert name not in done.stdout
    found = json.loads(done.stdout)
    names = {kernel["demangled"] for kernel in found["kernels"]}
    assert {kernel["name"] for kernel in found["timeline"]["matched"]} <= names


def _same(count: int) -> list[Workload]:
    return [launch(name="scan", metrics={"gpu__time_duration.sum": 1e4}) for _ in range(count)]


def test_a_report_of_another_program_is_told_so(timeline: Path, tmp_path: Path) -> None:
    done = _call(write_report(tmp_path / "r.ncu-rep", _same(2)), "--timeline", timeline)
    assert done.returncode == 3
    assert "none of the report's kernels occurs in the timeline" in done.stderr
    assert "not comparable with this report" in " ".join(done.stdout.split())
    assert "Fix first" not in done.stdout or "report's GPU time" in done.stdout


def test_the_help_names_the_option_and_its_code() -> None:
    text = " ".join(_call("--help").stdout.split())
    assert "--timeline FILE" in text
    assert "or --timeline is not comparable" in text

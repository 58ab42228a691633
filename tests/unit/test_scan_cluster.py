"""The same work on a Dask cluster of several processes, one of which is killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

from ncu_triage.errors import UsageError
from ncu_triage.scan import cluster
from ncu_triage.scan.limits import Limits
from ncu_triage.scan.work import Setup

pytest.importorskip("distributed", reason="ncu-triage[cluster] is not installed")

REPORTS = 24
SCAN = [sys.executable, "-m", "ncu_triage", "scan"]


@pytest.fixture
def scheduler() -> Iterator[str]:
    """Run a scheduler, and yield its address."""
    process = _start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
    try:
        yield _said(process, r"Scheduler at:\s*(tcp://\S+)")
    finally:
        _end(process)


@pytest.fixture
def workers(scheduler: str) -> Iterator[list[subprocess.Popen[str]]]:
    """Run three workers, each in a process of its own that nobody restarts."""
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1")
    found = [_start("worker", scheduler, *options) for _ in range(3)]
    try:
        for process in found:
            _said(process, r"(Registered to)")
        yield found
    finally:
        for process in found:
            _end(process)


def _start(*args: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + args[0], *args[1:]]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def _said(process: subprocess.Popen[str], pattern: str) -> str:
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(pattern, line):
            return match[1]
    raise AssertionError("it ended before it was ready")


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()


@pytest.fixture
def night(tmp_path: Path) -> Path:
    folder = tmp_path / "night"
    folder.mkdir()
    for number in range(REPORTS):
        metrics = {"gpu__time_duration.sum": 1e5 * (number + 1)}
        write_report(folder / f"r{number:02}.ncu-rep", [launch(metrics=metrics)] * 20)
    (folder / "bad.ncu-rep").write_bytes(b"NVR\0")
    return folder


def test_a_worker_killed_in_the_middle_loses_and_doubles_nothing(
    scheduler: str, workers: list[subprocess.Popen[str]], night: Path, tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert subprocess.run([*SCAN, night, "-o", here], stderr=subprocess.DEVNULL).returncode == 3
    command = [*SCAN, str(night), "-o", str(there), "--cluster", scheduler]
    scan = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert scan.stderr is not None
    with scan.stderr as log:
        said = [log.readline() for _ in range(4)]
        os.kill(workers[0].pid, signal.SIGKILL)
        said += log.readlines()
    assert scan.wait() == 3
    judged = [line for line in said if line.startswith("judged")]
    assert len(judged) == len(set(judged)) == REPORTS
    assert _tree(there) == _tree(here)
    _none_left_behind(workers[0].pid)


def _tree(out: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def _none_left_behind(killed: int) -> None:
    """Check that the process that judged for a killed worker ended by itself."""
    for _ in range(100):
        orphans = [p for p in Path("/proc").glob("[0-9]*/cmdline") if _is_orphan(p)]
        if not orphans:
            return
        time.sleep(0.1)
    raise AssertionError(f"still there: {orphans}")


def _is_orphan(cmdline: Path) -> bool:
    try:
        parent = (cmdline.parent / "stat").read_text().rpartition(")")[2].split()[1]
        return parent == "1" and b"ncu_triage.scan.worker" in cmdline.read_bytes()
    except OSError:
        return False


def test_nobody_at_the_address_is_wrong_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", "1s")
    with pytest.raises(UsageError, match="no scheduler answers"):
        cluster.Cluster("tcp://127.0.0.1:1", Setup((), None, "", None), Limits())

"""Reports from a pipe: standard input, a named pipe, a pipe of the shell; and progress."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

RUN = [sys.executable, "-m", "ncu_triage"]
EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example.ncu-rep"


def _piped(data: bytes, *words: str | Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *map(str, words)], input=data, capture_output=True, check=False)


def _kernels(path: Path) -> list[str]:
    return [one["name"] for one in json.loads(path.read_text())["kernels"]]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("wanted") / "out.json"
    subprocess.run([*RUN, str(EXAMPLE), "-o", str(path)], check=True)
    return _kernels(path)


@pytest.mark.parametrize("name", ["-", "/dev/stdin", "/dev/fd/0"])
def test_standard_input_is_a_report(name: str, tmp_path: Path, wanted: list[str]) -> None:
    output = tmp_path / "out.json"
    done = _piped(EXAMPLE.read_bytes(), name, "-o", output)
    assert (done.returncode, done.stderr) == (0, b"")
    assert _kernels(output) == wanted
    source = json.loads(output.read_text())["sources"][0]
    assert source["complete"] and source["name"] in ("stdin", "0")


def test_a_packed_report_comes_through_a_pipe(tmp_path: Path) -> None:
    report = write_report(tmp_path / "r.ncu-repz", [launch(name="copy")], host="a-host")
    done = _piped(report.read_bytes(), "-", "--show-private", "--lines", "--format", "json")
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["kernels"][0]["name"] == "copy"
    assert found["sources"][0]["private"]["Host"] == "a-host"


def test_a_named_pipe_is_a_report(tmp_path: Path, wanted: list[str]) -> None:
    pipe, output = tmp_path / "nightly.ncu-rep", tmp_path / "out.json"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(EXAMPLE.read_bytes()))
    writer.start()
    done = _piped(b"", pipe, "-o", output)
    writer.join()
    assert (done.returncode, done.stderr) == (0, b"")
    assert _kernels(output) == wanted
    assert json.loads(output.read_text())["sources"][0]["name"] == "nightly.ncu-rep"


def test_a_comparison_and_an_explanation_take_a_pipe(tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    assert _piped(b"", EXAMPLE, "-o", base).returncode == 0
    assert _piped(EXAMPLE.read_bytes(), "compare", base, "-").returncode == 0
    assert _piped(base.read_bytes(), "compare", "-", EXAMPLE).returncode == 0
    done = _piped(EXAMPLE.read_bytes(), "explain", "-", "--rule", "bank-conflicts")
    assert done.returncode == 0 and b"bank-conflicts" in done.stdout


@pytest.mark.parametrize("data", [b"", b"\x7fELF", b"NVR\0", EXAMPLE.read_bytes()[:300]])
def test_what_comes_through_a_pipe_is_refused_by_its_name(data: bytes, tmp_path: Path) -> None:
    done = _piped(data, "-", EXAMPLE, "-o", tmp_path / "out.json")
    assert done.returncode == 3
    (line,) = done.stderr.decode().splitlines()
    assert line.startswith("ncu-triage: -: ")
    assert (tmp_path / "out.json").exists()


def test_an_endless_pipe_is_refused_at_its_beginning() -> None:
    with (
        Path("/dev/zero").open("rb") as zero,
        subprocess.Popen(
            ["cat"], stdin=zero, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as endless,
    ):
        done = subprocess.run(
            [*RUN, "-"], stdin=endless.stdout, capture_output=True, timeout=60, check=False
        )
        endless.kill()
    assert done.returncode == 3
    assert b"unknown content" in done.stderr


def test_progress_shows_on_a_terminal_and_nowhere_else() -> None:
    """The pipe takes its time; so much that the counter comes out."""
    data = EXAMPLE.read_bytes()
    for terminal in (True, False):
        ours, theirs = pty.openpty() if terminal else os.pipe()
        process = subprocess.Popen(
            [*RUN, "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=theirs
        )
        os.close(theirs)
        assert process.stdin is not None
        half = len(data) // 2
        for part in (data[:half], data[half:-10], data[-10:]):
            process.stdin.write(part)
            process.stdin.flush()
            time.sleep(1.6)
        process.stdin.close()
        assert process.wait() == 0
        said = os.read(ours, 4096)
        os.close(ours)
        assert (b"MiB received" in said) is terminal
        assert said.endswith(b"\r\x1b[K") if terminal else said == b""


def test_a_terminal_is_no_report() -> None:
    ours, theirs = pty.openpty()
    done = subprocess.run([*RUN, "-"], stdin=theirs, capture_output=True, check=False)
    for end in (ours, theirs):
        os.close(end)
    assert done.returncode == 3
    assert b"standard input is a terminal" in done.stderr

"""Failures of the world around: a full disk, a reader that left, a signal, no locale, no home.

Whatever goes wrong: a line that says so, the right exit code, and what was there before
stays as it was.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

RUN = [sys.executable, "-m", "ncu_triage"]
EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example.ncu-rep"
OLD = "what was there before"


def _call(
    *words: str | Path, cwd: Path | None = None, **environment: str | None
) -> subprocess.CompletedProcess[str]:
    merged = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80", **environment}
    env = {name: value for name, value in merged.items() if value is not None}
    command = [*RUN, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, env=env, check=False)


def _one_line(done: subprocess.CompletedProcess[str]) -> str:
    assert "Traceback" not in done.stderr and "bug" not in done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("ncu-triage: ")
    return line


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """Yield a file system of 64 KiB, with little room left."""
    with _mounted(tmp_path / "small", "size=64k") as folder:
        yield folder


class _mounted:
    def __init__(self, folder: Path, options: str) -> None:
        folder.mkdir()
        self.folder = folder
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"a small file system needs the right to mount: {done.stderr.strip()}")

    def __enter__(self) -> Path:
        return self.folder

    def __exit__(self, *error: object) -> None:
        subprocess.run(["umount", "-l", str(self.folder)], check=True)


@pytest.mark.parametrize("kind", ["html", "json", "csv", "md", "sarif", "xml"])
def test_a_full_disk_leaves_the_earlier_output(small: Path, kind: str) -> None:
    output = small / f"out.{kind}"
    output.write_text(OLD)
    _fill(small / "filler")
    done = _call(EXAMPLE, "-o", output)
    assert done.returncode == 2
    assert "No space left on device" in _one_line(done)
    assert output.read_text() == OLD
    assert sorted(path.name for path in small.iterdir()) == ["filler", output.name]


def _fill(path: Path) -> None:
    """Leave no room."""
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x" * 4096)


def test_a_full_disk_leaves_the_earlier_comparison(small: Path, tmp_path: Path) -> None:
    base = tmp_path / "base.json"
    assert _call(EXAMPLE, "-o", base).returncode == 0
    output = small / "diff.html"
    output.write_text(OLD)
    _fill(small / "filler")
    done = _call("compare", base, base, "-o", output)
    assert done.returncode == 2
    assert "No space left on device" in _one_line(done)
    assert output.read_text() == OLD
    assert sorted(path.name for path in small.iterdir()) == ["diff.html", "filler"]


def test_a_full_disk_leaves_the_earlier_scan(tmp_path: Path) -> None:
    report = write_report(tmp_path / "first.ncu-rep", [launch(name="first")])
    with _mounted(tmp_path / "site", "size=8m") as out:
        assert _call("scan", report, "-o", out).returncode == 0
        before = (out / "index.html").read_bytes(), (out / "index.json").read_bytes()
        _fill(out / "filler")
        done = _call("scan", report, EXAMPLE, "-o", out)
        assert done.returncode == 2
        assert "No space left on device" in done.stderr and "Traceback" not in done.stderr
        assert ((out / "index.html").read_bytes(), (out / "index.json").read_bytes()) == before
        assert not (out / ".ncu-triage" / "work").exists()


def test_a_full_folder_for_temporary_files_is_said(small: Path, tmp_path: Path) -> None:
    noise = os.urandom(100_000).hex()
    report = write_report(tmp_path / "r.ncu-repz", [launch(metrics={"noise": noise})])
    done = _call(report, TMPDIR=str(small))
    assert done.returncode == 3
    assert "set TMPDIR" in _one_line(done)
    with report.open("rb") as pipe:
        command = ["sh", "-c", f"cat | {sys.executable} -m ncu_triage -"]
        env = {**os.environ, "TMPDIR": str(small)}
        done = subprocess.run(
            command, stdin=pipe, capture_output=True, text=True, env=env, check=False
        )
    assert done.returncode == 3
    assert "set TMPDIR" in _one_line(done)
    assert list(small.iterdir()) == []


def test_a_file_system_that_is_read_only_is_said(tmp_path: Path) -> None:
    with _mounted(tmp_path / "fixed", "size=1m") as folder:
        (folder / "out.json").write_text(OLD)
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
        for words in ((EXAMPLE,), ("compare", EXAMPLE, EXAMPLE)):
            done = _call(*words, "-o", folder / "out.json")
            assert done.returncode == 2
            assert "Read-only file system" in _one_line(done)
        done = _call("scan", EXAMPLE, "-o", folder / "site")
        assert done.returncode == 2
        assert "Read-only file system" in _one_line(done)
        assert (folder / "out.json").read_text() == OLD


def test_a_target_that_takes_nothing_is_said() -> None:
    done = _call(EXAMPLE, "-o", "/dev/full", "--format", "json")
    assert done.returncode == 2
    assert "-o /dev/full: No space left on device" in _one_line(done)


@pytest.mark.parametrize(
    "words",
    [
        (EXAMPLE,),
        (EXAMPLE, "--format", "html"),
        ("compare", EXAMPLE, EXAMPLE),
        ("rules", "list"),
        ("explain", EXAMPLE),
    ],
)
def test_standard_output_that_takes_nothing_is_said(words: tuple[str | Path, ...]) -> None:
    with Path("/dev/full").open("w") as full:
        command = [*RUN, *map(str, words)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "No space left on device" in _one_line(done)


@pytest.mark.parametrize(
    "words",
    [
        (EXAMPLE,),
        (EXAMPLE, "--format", "html"),
        ("compare", EXAMPLE, EXAMPLE),
        ("rules", "list"),
        ("explain", EXAMPLE),
    ],
)
def test_a_reader_that_leaves_is_no_failure(words: tuple[str | Path, ...]) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [*RUN, *map(str, words)]
    done = subprocess.run(command, stdout=theirs, stderr=subprocess.PIPE, text=True, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((EXAMPLE, "--fail-on", "severity=info"), 1),
        ((EXAMPLE, "--fail-on", "severity=info", "--format", "json"), 1),
        ((EXAMPLE, "missing.ncu-rep"), 3),
        ((EXAMPLE, "-o", "diag.pdf"), 2),
    ],
)
def test_nobody_who_reads_does_not_change_the_exit_code(
    words: tuple[str | Path, ...], code: int
) -> None:
    """Neither standard output nor the complaints have a reader; one of them may be full."""
    ours, theirs = os.pipe()
    os.close(ours)
    with Path("/dev/full").open("w") as full:
        command = [*RUN, *map(str, words)]
        for stderr in (theirs, full.fileno()):
            done = subprocess.run(command, stdout=theirs, stderr=stderr, check=False)
            assert done.returncode == code
    os.close(theirs)


def test_closed_streams_are_no_failure(tmp_path: Path) -> None:
    output = tmp_path / "out.json"
    line = f"{sys.executable} -m ncu_triage {EXAMPLE} -o {output} <&- >&- 2>&-"
    assert subprocess.run(["sh", "-c", line], check=False).returncode == 0
    assert len(json.loads(output.read_text())["kernels"]) > 1
    line = f"{sys.executable} -m ncu_triage - <&-"
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=False)
    assert done.returncode == 3
    _one_line(done)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_leaves_the_earlier_output_and_nothing_else(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """The report comes through a pipe that never ends, so that there is time to end it."""
    output, folder = tmp_path / "out.html", tmp_path / "tmp"
    output.write_text(OLD)
    folder.mkdir()
    env = {**os.environ, "TMPDIR": str(folder)}
    command = [*RUN, "-", "-o", str(output)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env
    ) as process:
        assert process.stdin is not None and process.stderr is not None
        process.stdin.buffer.write(EXAMPLE.read_bytes())
        process.stdin.flush()
        _wait_for(lambda: any(path.is_file() for path in folder.rglob("*")))
        process.send_signal(number)
        said = process.stderr.read()
        assert process.wait() == code
    assert said == "ncu-triage: interrupted: what was not yet written is left as it was\n"
    assert output.read_text() == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.html", "tmp"]
    assert list(folder.iterdir()) == []


def _wait_for(holds) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_at_any_moment_ends_in_its_code(tmp_path: Path, number: signal.Signals) -> None:
    """However early or late it comes: never the exit code of a gate, never half a page."""
    output = tmp_path / "out.html"
    began = time.monotonic()
    assert _call(EXAMPLE, "-o", output).returncode == 0
    took = time.monotonic() - began
    whole = output.read_bytes()
    for step in range(8):
        output.write_text(OLD)
        command = [*RUN, str(EXAMPLE), "-o", str(output)]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        time.sleep(took * (0.15 + 0.12 * step))
        process.send_signal(number)
        _, said = process.communicate()
        # Before the program has begun, the interpreter ends as the system says.
        assert process.returncode in (0, 128 + number, -number), said
        if process.returncode >= 0:
            assert "Traceback" not in said
        assert output.read_bytes() in (OLD.encode(), whole)
        assert [path.name for path in tmp_path.iterdir()] == ["out.html"]


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "POSIX", "PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "en_US.ISO-8859-1", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
)
def test_a_locale_without_utf_8_changes_no_file(
    tmp_path: Path, environment: dict[str, str | None]
) -> None:
    name = "größe_核心_🚀"
    report = write_report(tmp_path / f"{name}.ncu-rep", [launch(name=name, demangled=name)])
    outputs = {kind: tmp_path / f"{name}.{kind}" for kind in ("html", "md", "json", "csv", "sarif")}
    words = [word for path in outputs.values() for word in ("-o", str(path))]
    assert _call(report, *words).returncode == 0
    wanted = {kind: path.read_bytes() for kind, path in outputs.items()}
    done = _call(report, *words, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert {kind: path.read_bytes() for kind, path in outputs.items()} == wanted
    shown = _call(report, **environment)
    assert shown.returncode == 0 and shown.stdout
    missing = _call(tmp_path / f"missing_{name}", **environment)
    assert missing.returncode == 3
    assert "there is no such file" in _one_line(missing)
    site = _call("scan", report, "-o", tmp_path / "site", **environment)
    assert site.returncode == 0 and "Traceback" not in site.stderr


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": None, "XDG_CACHE_HOME": None},
        {"HOME": "/nonexistent", "XDG_CACHE_HOME": None},
        {"XDG_CACHE_HOME": "/dev/null/cache"},
        {"XDG_CACHE_HOME": "/proc"},
        {"HOME": "", "XDG_CACHE_HOME": "relative"},
    ],
)
def test_no_home_and_no_cache_cost_time_only(
    tmp_path: Path, environment: dict[str, str | None]
) -> None:
    output = tmp_path / "out.html"
    done = _call(EXAMPLE, "-o", output, cwd=tmp_path, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert output.read_text().endswith("</html>\n") or output.read_text().endswith("</html>")


def test_a_current_folder_that_is_gone_is_no_bug(tmp_path: Path) -> None:
    gone, output = tmp_path / "gone", tmp_path / "out.json"
    gone.mkdir()
    for words in (f"{EXAMPLE} -o {output}", f"scan {EXAMPLE} -o {tmp_path / 'site'}"):
        line = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m ncu_triage {words}"
        env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(
            ["sh", "-c", line], capture_output=True, text=True, env=env, check=False
        )
        assert done.returncode in (0, 2)
        assert "Traceback" not in done.stderr and "bug" not in done.stderr
        gone.mkdir(exist_ok=True)


def test_a_target_whose_name_has_a_line_end(tmp_path: Path) -> None:
    output = tmp_path / "out\n::error::\x1b[2J.json"
    assert _call(EXAMPLE, "-o", output).returncode == 0
    assert len(json.loads(output.read_text())["kernels"]) > 1
    done = _call(EXAMPLE, "-o", output / "below.json")
    assert done.returncode == 2
    assert "\x1b" not in _one_line(done)


def test_a_target_in_a_folder_that_is_gone_or_none(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(OLD)
    for output in (tmp_path / "none" / "out.json", tmp_path / "file" / "out.json"):
        done = _call(EXAMPLE, "-o", output)
        assert done.returncode == 2
        _one_line(done)
    assert (tmp_path / "file").read_text() == OLD


def test_a_report_that_vanishes_while_a_scan_runs_is_a_row(tmp_path: Path) -> None:
    from ncu_triage.scan.limits import Limits
    from ncu_triage.scan.places import Place
    from ncu_triage.scan.work import Judge, Look, Seen, Setup, answer
    from ncu_triage.scan.worker import Lost, attempt

    report = shutil.copy(EXAMPLE, tmp_path / "r.ncu-rep")
    place = Place(str(report), "r.ncu-rep")
    setup = Setup((), None, "", None)
    assert isinstance(answer(setup, Look(place)), Seen)
    Path(report).unlink()
    for request in (Look(place), Judge(place)):
        lost = attempt(setup, request, Limits())
        assert isinstance(lost, Lost) and lost.loss in ("unreadable",)


@pytest.mark.parametrize("size", [0, 100, 20_000])
def test_a_report_that_shrinks_while_it_is_read_is_judged_as_far_as_it_goes(
    tmp_path: Path, size: int
) -> None:
    from ncu_triage.errors import InputError
    from ncu_triage.readers.open import open_report

    path = Path(shutil.copy(EXAMPLE, tmp_path / "r.ncu-rep"))
    report = open_report(path, 0)
    launches = report.launches()
    first = next(launches)
    os.truncate(path, size)
    try:
        rest = list(launches)
        assert not report.source().complete
        assert all(one.id != first.id for one in rest)
    except InputError as error:
        assert "\n" not in str(error)

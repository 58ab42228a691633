"""`trend` as a user calls it: in a terminal, as a page, and fast on a long history."""

from __future__ import annotations

import datetime
import json
import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.report_writer import Workload, launch, write_report

from ncu_triage.history.database import opened
from ncu_triage.history.events import Trend
from ncu_triage.history.read import KernelKey, Report
from ncu_triage.history.record import Night, record
from ncu_triage.history.series import Point
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.render.trend_shown import shown

pytest.importorskip("sqlalchemy")
HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[2J"
FIRST = datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC).timestamp()
DAY = 86400


def _trend(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", "trend", *map(str, args)]
    environment = {**os.environ, "COLUMNS": "80"}
    environment.pop("NCU_TRIAGE_HISTORY", None)
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Record forty nights of three kernels: one gets slower, one is hostile, one vanishes."""
    folder = tmp_path_factory.mktemp("history")
    with opened(str(folder / "h.sqlite")) as database:
        for night in range(40):
            launches = [
                _launch("gemm", 1.0 if night < 30 else 1.2),
                _launch(HOSTILE, 2.0),
                *([_launch("gone", 0.5)] if night < 20 else []),
            ]
            path = write_report(folder / f"{night}.ncu-rep", launches)
            diagnosis, _ = diagnose([path], rules())
            at = FIRST + DAY * night
            record(database, diagnosis, Night("model", path.name, at, f"commit{night}"))
    return folder / "h.sqlite"


def _launch(name: str, duration: float) -> Workload:
    # No two nights may be the same file.
    noise = 1e-5 * next(_COUNTER)
    metrics = {
        "gpu__time_duration.sum": round(1e6 * (duration + noise)),
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 91.0,
        "device__attribute_display_name": "NVIDIA A100",
    }
    return launch(name=name, demangled=name, metrics=metrics)


_COUNTER = iter(range(10**6))


def test_a_terminal_shows_the_nights_and_what_happened(history: Path) -> None:
    done = _trend("gemm", "--history", history)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "gemm"
    assert max(map(len, lines)) <= 80
    assert "NVIDIA A100" in lines[1] and "model" in lines[1]
    assert "▁" in lines[2] and "█" in lines[2]
    assert "! 2026-02-04 [commit30]  is 2" in done.stdout
    assert "certain on 2026-02-05" in " ".join(done.stdout.split())


def test_a_page_shows_the_same(history: Path, tmp_path: Path) -> None:
    page = tmp_path / "t.html"
    done = _trend("gemm", "--history", history, "-o", page)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = page.read_text()
    assert text.count("<circle") == 40
    assert "2026-02-04 [commit30]" in text and "slower" in text
    assert "<script" not in text and "http" not in text.replace("http-equiv", "")


def test_a_kernel_that_vanished_says_so(history: Path) -> None:
    assert "! 2026-01-25 [commit20]  is gone" in _trend("gone", "--history", history).stdout


def test_hostile_names_stay_text(history: Path, tmp_path: Path) -> None:
    done = _trend(".", "--history", history)
    assert done.returncode == 0 and "\x1b" not in done.stdout
    page = tmp_path / "t.html"
    assert _trend(".", "--history", history, "-o", page).returncode == 0
    assert "<img" not in page.read_text() and "\x1b" not in page.read_text()


def test_a_name_is_taken_as_it_is_before_it_is_a_pattern(history: Path) -> None:
    assert _trend(HOSTILE, "--history", history).stdout.count("NVIDIA A100") == 1


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (("none", "--history", "HISTORY"), 3, "no kernel matches 'none'"),
        (("gemm", "--history", "none.sqlite"), 3, "there is no such file"),
        (("gemm",), 3, "there is no such file"),
        (("(", "--history", "HISTORY"), 2, "KERNEL ("),
        (("gemm", "--history", "HISTORY", "-o", "t.pdf"), 2, "written as .html"),
        (("gemm", "--history", "HISTORY", "-o", "no/t.html"), 2, "no/t.html"),
        (("gemm", "--history", "HISTORY", "--benchmark", "none"), 3, "no kernel matches"),
        ((), 2, "Missing argument"),
    ],
)
def test_what_does_not_work_is_said(
    history: Path, tmp_path: Path, args: tuple[str, ...], code: int, words: str
) -> None:
    done = _trend(*(history if arg == "HISTORY" else arg for arg in args), cwd=tmp_path)
    assert done.returncode == code
    assert words in done.stderr + done.stdout and "Traceback" not in done.stderr
    assert not (tmp_path / "none.sqlite").exists()


def test_a_file_that_is_no_history_is_named(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("dear diary, this is no database at all, whatever it says")
    done = _trend("gemm", "--history", "notes.txt", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stderr == "ncu-triage: --history notes.txt: file is not a database\n"


def test_the_ends_of_a_trend_are_what_was_and_what_is_now(history: Path) -> None:
    # Ten nights of 40 are slower by a fifth: the last seven of them tell what it is now.
    said = " ".join(_trend("gemm", "--history", history).stdout.split())
    assert "1.00 ms in the first 7, 1.20 ms in the last 7" in said
    assert "week" not in said


def test_no_two_ticks_have_one_label() -> None:
    points = [Point(report=i, at=86400.0 * i, duration=2.12e-3 + 1e-6 * i) for i in range(12)]
    kernel = KernelKey(1, "model", "gemm", "gemm", "kernel", None, None, "")
    picture = shown(Trend(kernel, points, [_report(i) for i in range(12)], [], {}))
    labels = [tick.text for tick in picture.y]
    # From 2.119 to 2.132 ms, by 5 µs.
    assert labels == ["2.120 ms", "2.125 ms", "2.130 ms"]


def _report(id: int) -> Report:
    return Report(id, "model", "model", None, 86400.0 * id, [], True)


def test_one_night_has_nothing_to_be_compared_with(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r.ncu-rep", [_launch("gemm", 1.0)])
    with opened(str(tmp_path / "h.sqlite")) as database:
        record(database, diagnose([path], rules())[0], Night("model", path.name, FIRST, None))
    said = " ".join(_trend("gemm", "--history", tmp_path / "h.sqlite").stdout.split())
    assert "one report only, from 2026-01-05" in said
    assert "there is nothing to compare it with yet" in said
    assert "week" not in said and "noise" not in said


def test_a_hundred_thousand_rows_are_not_read_for_one_kernel(tmp_path: Path) -> None:
    path = tmp_path / "h.sqlite"
    with opened(str(path)):
        pass
    _fill(path, kernels=300, nights=334)
    took = [_timed(lambda: _trend("kernel17", "--history", path)) for _ in range(3)]
    # About 0.5 s; all rows would be several seconds. Time of the processor, because others
    # may be using it, too.
    assert min(took) < 1.5


def _timed(work: Callable[[], subprocess.CompletedProcess[str]]) -> float:
    began = _used()
    done = work()
    assert done.returncode == 0 and "334 reports" in done.stdout
    return _used() - began


def _used() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _fill(path: Path, kernels: int, nights: int) -> None:
    """Write a long history by hand."""
    facts = json.dumps({"quantities": {"duration": 1e-3, "dram_throughput_pct": 91.0}})
    version = rules().version
    pairs = [(night, kernel) for night in range(nights) for kernel in range(kernels)]
    with sqlite3.connect(path) as connection:
        connection.executemany(
            "INSERT INTO report VALUES (?, ?, 'model', ?, NULL, ?, ?, '[\"A100\"]', NULL, NULL, 1,"
            " '1', NULL)",
            [(i, f"{i}", f"{i}.ncu-rep", _day(i), _day(i)) for i in range(nights)],
        )
        connection.executemany(
            "INSERT INTO kernel VALUES (?, ?, 'model', ?, ?, 'kernel', '1x1x1', '1x1x1', 'A100')",
            [(i, f"{i}", f"kernel{i}", f"kernel{i}") for i in range(kernels)],
        )
        connection.executemany(
            "INSERT INTO measurement VALUES (?, ?, ?, 5, ?, 0.01, 0.001, 0.001, 0.005, NULL)",
            [(i, night, kernel, 1e-3 + 1e-9 * (i % 97)) for i, (night, kernel) in enumerate(pairs)],
        )
        connection.executemany(
            "INSERT INTO facts VALUES (?, ?)", [(i, facts) for i in range(len(pairs))]
        )
        connection.executemany(
            "INSERT INTO verdict VALUES (?, ?, 'dram-bandwidth', 'high', '[]')",
            [(i, version) for i in range(len(pairs))],
        )
    connection.close()


def _day(night: int) -> str:
    return f"{datetime.date(2026, 1, 5) + datetime.timedelta(night)} 03:00:00.000000"

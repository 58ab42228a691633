"""`scan` as a user calls it: what it writes, what it says, and how it ends."""

from __future__ import annotations

import json
import os
import pty
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from fixtures.report_writer import launch, report_bytes, write_report

HOSTILE = "</script><img src=x onerror=alert(1)>"
EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example.ncu-rep"
SCAN = [sys.executable, "-m", "ncu_triage", "scan"]


def _scan(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*SCAN, *map(str, args)], capture_output=True, text=True, cwd=cwd, check=False
    )


def _night(folder: Path, reports: int = 3) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(reports):
        metrics = {
            "gpu__time_duration.sum": 1e6 * (number + 1),
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 91.0,
            "dram__bytes.sum.per_second": 6e11,
            "device__attribute_display_name": "NVIDIA A100",
        }
        launches = [launch(name=f"kernel{number}", metrics=metrics)] * (number + 1)
        write_report(folder / f"r{number}.ncu-rep", launches)
    return folder


@pytest.fixture
def night(tmp_path: Path) -> Path:
    return _night(tmp_path / "night")


class Scanned(NamedTuple):
    """A scan that only readers share: what it was of, where it is, what it said."""

    night: Path
    out: Path
    done: subprocess.CompletedProcess[str]


@pytest.fixture(scope="module")
def scanned(tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    folder = tmp_path_factory.mktemp("scanned")
    night = _night(folder / "night")
    return Scanned(night, folder / "out", _scan(night, "-o", folder / "out"))


def _index(out: Path) -> dict[str, object]:
    loaded: dict[str, object] = json.loads((out / "index.json").read_text())
    return loaded


def _rows(out: Path) -> list[dict[str, object]]:
    rows = _index(out)["reports"]
    assert isinstance(rows, list)
    return rows


def _tree(out: Path) -> dict[str, bytes]:
    paths = (path for path in sorted(out.rglob("*")) if path.is_file())
    return {str(path.relative_to(out)): path.read_bytes() for path in paths}


def test_a_page_and_data_each_and_an_index_over_all(scanned: Scanned) -> None:
    night, out, done = scanned
    assert done.returncode == 0
    assert done.stdout == f"3 reports judged: {out}/index.html\n"
    assert [line.split(": ")[0] for line in sorted(done.stderr.splitlines())] == [
        f"judged  {night}/r{number}.ncu-rep" for number in range(3)
    ]
    rows = _rows(out)
    assert [row["names"] for row in rows] == [["r2.ncu-rep"], ["r1.ncu-rep"], ["r0.ncu-rep"]]
    for row in rows:
        assert json.loads((out / str(row["data"])).read_text())["schema_version"] == 1
        assert (out / str(row["page"])).read_text().endswith("</html>")
        assert str(row["page"]) in (out / "index.html").read_text()


def test_the_script_library_is_there_once(scanned: Scanned) -> None:
    assert (scanned.out / "plotly.js").stat().st_size > 1_000_000
    assert all(page.stat().st_size < 300_000 for page in (scanned.out / "reports").iterdir())


def test_all_launches_are_in_the_table(scanned: Scanned) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(scanned.out / "kernels.parquet").to_pylist()
    assert len(table) == 6
    assert {row["report"] for row in table} == {f"r{number}.ncu-rep" for number in range(3)}
    assert all(row["dram_throughput_pct"] == 91.0 for row in table)
    assert {row["bottleneck"] for row in table} == {"dram-bandwidth"}
    assert min(row["duration"] for row in table) == 1e-3


def test_pages_show_no_folder_above_what_was_named(scanned: Scanned) -> None:
    for name, content in _tree(scanned.out).items():
        assert str(scanned.night.parent).encode() not in content, name


def test_a_bad_file_is_a_row_with_its_reason_and_ends_in_3(night: Path, tmp_path: Path) -> None:
    (night / "empty.ncu-rep").write_bytes(b"")
    out = tmp_path / "out"
    done = _scan(night, "-o", out)
    assert done.returncode == 3
    assert done.stdout.startswith("3 reports judged; 1 could not be: ")
    lost = _rows(out)[-1]
    assert (lost["names"], lost["loss"]) == (["empty.ncu-rep"], "unreadable")
    assert lost["complete"] is False
    assert str(lost["reason"]).startswith("the file is empty")
    assert f"FAILED  {night}/empty.ncu-rep: the file is empty" in done.stderr
    assert "the file is empty" in (out / "index.html").read_text()


@pytest.mark.parametrize("what", ["empty folder", "missing.ncu-rep", "*.ncu-rep"])
def test_nothing_to_judge_ends_in_3(tmp_path: Path, what: str) -> None:
    (tmp_path / "empty folder").mkdir()
    done = _scan(what, "-o", "out", cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout.startswith("0 reports judged")
    assert "No report could be judged" in (tmp_path / "out" / "index.html").read_text()


@pytest.mark.parametrize("how", ["missing", "empty", "damaged"])
def test_where_nothing_is_judged_the_earlier_scan_stays(
    night: Path, tmp_path: Path, how: str
) -> None:
    out = tmp_path / "out"
    _scan(night, "-o", out)
    before = _tree(out)
    for report in night.iterdir() if how in ("empty", "damaged") else ():
        report.write_bytes(b"NVR\0") if how == "damaged" else report.unlink()
    done = _scan(tmp_path / "gone" if how == "missing" else night, "-o", out)
    _left_alone(done, out, before)


def test_pages_stay_where_every_file_took_too_much_memory(tmp_path: Path) -> None:
    out, config = tmp_path / "out", tmp_path / "own.toml"
    # Other rules, or a file that is small enough to be looked at would be known.
    config.write_text('disable = ["short-kernel"]\n')
    _scan(EXAMPLE, "-o", out)
    before = _tree(out)
    done = _scan(EXAMPLE, "-o", out, "--memory-limit", "1MiB", "--config", config)
    assert "took more than 1 MiB of memory" in done.stderr
    _left_alone(done, out, before)


def _left_alone(
    done: subprocess.CompletedProcess[str], out: Path, before: dict[str, bytes]
) -> None:
    """Check that a scan judged nothing, said so, and removed nothing."""
    assert done.returncode == 3
    assert done.stdout.startswith("0 reports judged")
    assert done.stdout.endswith(f"; the earlier scan there is left as it is: {out}/index.html\n")
    after = _tree(out)
    assert {name: after.get(name) for name in before} == before


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("night",), "Missing option"),
        (("-o", "out"), "Missing argument"),
        (("night", "-o", "night/r0.ncu-rep"), "night/r0.ncu-rep"),
        (("night", "-o", "out", "--memory-limit", "much"), "such as 2GiB"),
        (("night", "-o", "out", "--history", "h", "--when", "tomorrow"), "give a time"),
        (("night", "-o", "out", "--history", "mysql://me:secret@host/db"), "--history"),
        (("night", "-o", "out", "--history", "postgresql://me:p@secret@host/db"), "as %40"),
        (("night", "-o", "out", "--rules", "none"), "there is no such folder"),
        (("night", "-o", "out", "--label", "v1"), "--label: does nothing without --history"),
        (("night", "-o", "out", "--when", "2026-01-05"), "--when: does nothing without --history"),
        (("night", "-o", "out", "--acknowledged", "a"), "does nothing without --fail-on"),
    ],
)
@pytest.mark.usefixtures("night")
def test_wrong_usage_ends_in_2(tmp_path: Path, args: tuple[str, ...], words: str) -> None:
    done = _scan(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr and "secret" not in done.stderr and "Traceback" not in done.stderr


def test_the_same_report_under_two_names_is_judged_once(night: Path, tmp_path: Path) -> None:
    (night / "copy.ncu-rep").write_bytes((night / "r1.ncu-rep").read_bytes())
    out = tmp_path / "out"
    done = _scan(night, "-o", out)
    assert len(done.stderr.splitlines()) == 3
    assert f"judged  {night}/copy.ncu-rep (also r1.ncu-rep): 2 launches" in done.stderr
    (row,) = (row for row in _rows(out) if len(row["names"]) > 1)  # type: ignore[arg-type]
    assert row["names"] == ["copy.ncu-rep", "r1.ncu-rep"]
    assert len(list((out / "reports").iterdir())) == 6
    assert "also r1.ncu-rep" in (out / "index.html").read_text()


def test_a_log_line_names_the_first_of_many_names(tmp_path: Path) -> None:
    night = tmp_path / "night"
    night.mkdir()
    for name in "abcdef":
        (night / f"{name}.csv").write_bytes(b"no table")
    done = _scan(*sorted(night.iterdir()), "-o", tmp_path / "out")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"FAILED  {night}/a.csv (also b.csv, c.csv, d.csv and 2 more): ")
    assert _rows(tmp_path / "out")[0]["names"] == [f"{name}.csv" for name in "abcdef"]


def test_what_the_history_has_already_is_said(night: Path, tmp_path: Path) -> None:
    out, history = tmp_path / "out", tmp_path / "h.sqlite"
    first = _scan(night, "-o", out, "--history", history, "--label", "v1")
    assert "note" not in first.stderr
    done = _scan(night, "-o", out, "--history", history, "--label", "v2")
    assert done.stderr.endswith(
        "note: history: nothing recorded; 3 nights were there already and keep their label"
        " and time\n"
    )


def test_a_second_run_judges_only_what_is_new(night: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _scan(night, "-o", out)
    before = _tree(out)
    again = _scan(night, "-o", out)
    assert [line[:6] for line in again.stderr.splitlines()] == ["known "] * 3
    assert _tree(out) == before
    write_report(night / "new.ncu-rep", [launch(name="new")])
    (night / "r0.ncu-rep").unlink()
    more = _scan(night, "-o", out)
    assert sorted(line[:6] for line in more.stderr.splitlines()) == ["judged", "known ", "known "]
    fresh = tmp_path / "fresh"
    _scan(night, "-o", fresh)
    assert _tree(out) == _tree(fresh)


def test_other_rules_judge_anew(night: Path, tmp_path: Path) -> None:
    out, config = tmp_path / "out", tmp_path / "own.toml"
    config.write_text('disable = ["short-kernel"]\n')
    _scan(night, "-o", out)
    done = _scan(night, "-o", out, "--config", config)
    assert [line[:6] for line in done.stderr.splitlines()] == ["judged"] * 3


def test_a_page_that_was_deleted_is_made_again(night: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    _scan(night, "-o", out)
    before = _tree(out)
    next((out / "reports").glob("r1-*.html")).unlink()
    _scan(night, "-o", out)
    assert _tree(out) == before


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    night = tmp_path / "night"
    night.mkdir()
    name = HOSTILE.replace("/", "") + "\x1b[2J\n.ncu-rep"
    (night / name).write_bytes(report_bytes([launch(name=HOSTILE, demangled=HOSTILE)]))
    (night / f"bad{name}").write_bytes(b"x")
    done = _scan(night, "-o", tmp_path / "out")
    assert done.returncode == 3
    assert "\x1b" not in done.stderr and len(done.stderr.splitlines()) == 2
    for page in (tmp_path / "out").rglob("*.html"):
        text = page.read_text()
        assert "<img src=x" not in text and "\x1b" not in text


def test_two_scans_do_not_write_into_one_folder(night: Path, tmp_path: Path) -> None:
    import fcntl

    out = tmp_path / "out"
    _scan(night, "-o", out)
    with (out / ".ncu-triage" / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = _scan(night, "-o", out)
    assert done.returncode == 2
    assert "another scan is writing there" in done.stderr


def test_progress_is_one_line_on_a_terminal(night: Path, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [*SCAN, str(night), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, stderr=theirs, stdout=subprocess.PIPE, check=False)
    os.close(theirs)
    said = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.returncode == 0
    assert "3 of 3 reports" in said and "\n" not in said


def test_an_interrupt_keeps_what_is_done(tmp_path: Path) -> None:
    night = _night(tmp_path / "night", 40)
    process = subprocess.Popen(
        [*SCAN, str(night), "-o", str(tmp_path / "out"), "-j", "1"],
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    with process.stderr as log:
        log.readline()
        os.killpg(process.pid, signal.SIGINT)
        said = log.read()
    assert process.wait() == 130
    assert "what is done is kept" in said and "Traceback" not in said
    done = _scan(night, "-o", tmp_path / "out")
    assert done.returncode == 0
    assert any(line.startswith("known") for line in done.stderr.splitlines())


def test_a_history_that_does_not_open_is_refused_before_any_work(
    night: Path, tmp_path: Path
) -> None:
    history = tmp_path / "h.sqlite"
    history.write_text("dear diary, this is no database at all, whatever it is called")
    done = _scan(night, "-o", tmp_path / "out", "--history", history)
    assert done.returncode == 2
    assert done.stderr == f"ncu-triage: --history {history}: file is not a database\n"
    assert not (tmp_path / "out").exists()


def test_a_history_that_takes_nothing_is_refused_before_any_work(
    night: Path, tmp_path: Path
) -> None:
    history = tmp_path / "h.sqlite"
    assert _scan(night, "-o", tmp_path / "first", "--history", history).returncode == 0
    url = f"sqlite:///file:{history}?mode=ro&uri=true"
    done = _scan(night, "-o", tmp_path / "out", "--history", url)
    assert done.returncode == 2
    assert "attempt to write a readonly database" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_history_nobody_answers_for_is_named_without_its_password(
    night: Path, tmp_path: Path
) -> None:
    pytest.importorskip("psycopg")
    url = "postgresql://me:se%40cret@localhost:1/perf"
    done = _scan(night, "-o", tmp_path / "out", "--history", url)
    assert done.returncode == 2
    assert done.stderr.startswith("ncu-triage: --history postgresql://localhost:1/perf: ")
    assert "cret" not in done.stderr


def test_a_gate_on_a_scan_ends_in_1(night: Path, tmp_path: Path) -> None:
    done = _scan(night, "-o", tmp_path / "out", "--fail-on", "severity=info")
    assert done.returncode == 1
    assert "r0.ncu-rep" in done.stderr
    assert (tmp_path / "out" / "index.html").exists()
    wrong = _scan(night, "-o", tmp_path / "out", "--fail-on", "regression=5%")
    assert wrong.returncode == 2 and "scan --history" in wrong.stderr


def test_nobody_needs_to_read_the_log(night: Path, tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    command = [*SCAN, str(night), "-o", str(tmp_path / "out")]
    done = subprocess.run(command, stderr=theirs, stdout=subprocess.DEVNULL, check=False)
    os.close(theirs)
    assert done.returncode == 0
    assert len(_rows(tmp_path / "out")) == 3


def test_killed_at_random_moments_and_run_again_it_comes_to_the_same(tmp_path: Path) -> None:
    night = _night(tmp_path / "night", 12)
    (night / "bad.ncu-rep").write_bytes(b"NVR\0")
    undisturbed = tmp_path / "undisturbed"
    began = time.monotonic()
    assert _whole(night, undisturbed) == 3
    took = time.monotonic() - began
    wanted = _tree(undisturbed), _recorded(undisturbed.with_suffix(".sqlite"))
    rng = random.Random(7)
    for number in range(10):
        out = tmp_path / f"out{number}"
        history = out.with_suffix(".sqlite")
        command = [*SCAN, str(night), "-o", str(out), "--history", str(history)]
        process = subprocess.Popen(
            command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(rng.uniform(0.1, 1.1) * took)
        process.kill()
        process.wait()
        _is_whole(out)
        assert _whole(night, out) == 3
        found = _tree(out)
        assert found.keys() == wanted[0].keys()
        assert [name for name in found if found[name] != wanted[0][name]] == []
        assert _recorded(history) == wanted[1]


def _whole(night: Path, out: Path) -> int:
    return _scan(night, "-o", out, "--history", out.with_suffix(".sqlite")).returncode


def _is_whole(out: Path) -> None:
    """Check that whatever lies in its place is no half of a file."""
    for name, content in _tree(out).items():
        if name.startswith(".ncu-triage/work"):
            continue
        if name.endswith(".html"):
            assert content.rstrip().endswith(b"</html>"), name
        elif name.endswith(".json"):
            json.loads(content)
        elif name.endswith(".parquet"):
            assert content.startswith(b"PAR1") and content.endswith(b"PAR1")


def _recorded(history: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(history) as connection:
        return connection.execute(
            "SELECT r.sha256, r.benchmark, r.measured_at, k.fingerprint, m.launches, m.duration,"
            " f.facts, v.rules, v.bottleneck FROM measurement m JOIN report r ON r.id=m.report_id"
            " JOIN kernel k ON k.id=m.kernel_id JOIN facts f ON f.measurement_id=m.id"
            " JOIN verdict v ON v.measurement_id=m.id ORDER BY r.sha256, k.fingerprint"
        ).fetchall()


def test_a_gate_is_told_in_the_index_and_in_a_file_of_its_own(night: Path, tmp_path: Path) -> None:
    out, file = tmp_path / "out", tmp_path / "gate.xml"
    done = _scan(night, "-o", out, "--fail-on", "severity=info", "--gate-output", file)
    gate = _index(out)["gate"]
    assert isinstance(gate, dict)
    assert gate["verdict"] == "failed" and gate["rows"]
    assert gate["sentence"] == done.stderr.splitlines()[-1]
    assert 'id="gate"' in (out / "index.html").read_text()
    assert "<failure" in file.read_text()
    text = tmp_path / "gate.md"
    _scan(night, "-o", out, "--fail-on", "nothing-measured", "--gate-output", text)
    assert "**3 reports judged**" in text.read_text() and "The gate passes" in text.read_text()


@pytest.mark.parametrize("file", ["gate.sarif", "none/gate.xml"])
def test_a_gate_is_written_where_it_can_be(night: Path, tmp_path: Path, file: str) -> None:
    given = ("--fail-on", "severity=high", "--gate-output", tmp_path / file)
    done = _scan(night, "-o", tmp_path / "out", *given)
    assert done.returncode == 2
    assert "--gate-output" in done.stderr and not (tmp_path / "out").exists()

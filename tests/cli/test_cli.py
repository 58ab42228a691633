"""The command as a user calls it: outputs, messages, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

from ncu_triage import __version__
from ncu_triage.cli.judging import Judging
from ncu_triage.cli.main import run
from ncu_triage.output import targets

HOSTILE = "</script><img src=x onerror=alert(1)>"


def _call(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


@pytest.fixture
def report(tmp_path: Path) -> Path:
    metrics = {"gpu__time_duration.sum": 1e6, "breakdown:x": "y"}
    return write_report(tmp_path / "night.ncu-rep", [launch(name="scan", metrics=metrics)])


def test_a_page_and_a_json_in_one_call(report: Path) -> None:
    page, data = report.with_suffix(".html"), report.with_suffix(".json")
    done = _call(report, "-o", page, "-o", data)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "scan" in page.read_text()
    assert json.loads(data.read_text())["kernels"][0]["name"] == "scan"
    assert [path.name for path in report.parent.iterdir() if path.name.startswith(".")] == []


def test_without_an_output_a_summary_fits_the_terminal(report: Path) -> None:
    done = _call(report)
    assert done.returncode == 0
    assert "scan" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    assert len(done.stdout.splitlines()) <= 24


@pytest.mark.parametrize("more", [("--format", "json"), ("-o", "-", "--format", "json")])
def test_standard_output_takes_a_kind(report: Path, more: tuple[str, ...]) -> None:
    done = _call(report, *more)
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema_version"] == 1


def test_the_same_report_gives_the_same_bytes(report: Path) -> None:
    first, second = (_call(report, "--format", "html").stdout for _ in range(2))
    assert first and first == second


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((), "Missing argument"),
        (("--no-such-option",), "No such option"),
        (("REPORT", "-o", "diag.pdf"), "its ending does not tell the kind"),
        (("REPORT", "-o", "-"), "add --format"),
        (("REPORT", "-o", "no/such/folder/diag.html"), "there is no folder"),
        (("REPORT", "-o", "."), "this is a directory"),
        (("REPORT", "--format", "pdf"), "there is no such kind"),
        (("REPORT", "-o", "night.ncu-rep", "--format", "json"), "this is a report that is read"),
        (("REPORT", "-o", "x" * 300 + ".html"), "name too long"),
    ],
)
def test_wrong_usage_is_said_and_ends_in_2(report: Path, args: tuple[str, ...], words: str) -> None:
    done = _call(*(report if arg == "REPORT" else arg for arg in args), cwd=report.parent)
    assert done.returncode == 2
    assert words in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_an_unreadable_input_ends_in_3_and_the_others_are_written(report: Path) -> None:
    bad = report.with_name("notes.ncu-rep")
    bad.write_text("dear diary")
    data = report.with_name("both.json")
    done = _call(bad, report, "-o", data)
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"ncu-triage: {bad}: ")
    assert len(json.loads(data.read_text())["kernels"]) == 1


@pytest.mark.parametrize("content", [b"", b"NVR\0", b"NVR\0\xff\xff\xff\xff", b"\x28\xb5\x2f\xfd"])
def test_nothing_to_judge_ends_in_3_without_an_output(tmp_path: Path, content: bytes) -> None:
    bad, page = tmp_path / "r.ncu-rep", tmp_path / "diag.html"
    bad.write_bytes(content)
    done = _call(bad, "-o", page)
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1
    assert not page.exists()


def test_a_missing_file_ends_in_3(tmp_path: Path) -> None:
    done = _call(tmp_path / "none.ncu-rep")
    assert done.returncode == 3
    assert "there is no such file" in done.stderr


def test_a_bug_ends_in_4_and_says_what_to_report(
    capsys: pytest.CaptureFixture[str],
) -> None:
    from ncu_triage.cli.guard import guarded

    def broken() -> int:
        raise ZeroDivisionError("secret")

    assert guarded(broken) == 4
    said = capsys.readouterr().err
    assert "this is a bug" in said and "ZeroDivisionError" in said
    assert "secret" not in said and len(said.splitlines()) == 1


def test_a_hostile_name_stays_text_everywhere(tmp_path: Path) -> None:
    path = write_report(
        tmp_path / "r.ncu-rep", [launch(name=HOSTILE, demangled=HOSTILE + "\x1b[2J")]
    )
    page = tmp_path / "r.html"
    assert _call(path, "-o", page).returncode == 0
    assert "<img src=x" not in page.read_text()
    assert "\x1b[2J" not in _call(path).stdout


def test_a_hostile_file_name_stays_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "a\nncu-triage: all is well\x1b[2J"
    bad.write_text("x")
    done = _call(bad)
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr


def test_an_existing_file_keeps_its_mode_and_a_failed_run_its_content(report: Path) -> None:
    page = report.with_suffix(".json")
    page.write_text("old")
    page.chmod(0o600)
    assert _call(report.with_name("none"), "-o", page).returncode == 3
    assert page.read_text() == "old"
    assert run([report], targets([str(page)], None), Judging()) == 0
    assert page.read_text() != "old"
    assert page.stat().st_mode & 0o777 == 0o600


def test_version_and_help() -> None:
    assert _call("--version").stdout.strip() == f"ncu-triage {__version__}"
    text = _call("--help").stdout
    assert "REPORT..." in text and "Exit codes" in text


def test_a_report_that_is_given_twice_is_judged_once(report: Path) -> None:
    done = _call(report, report, "--format", "json")
    assert len(json.loads(done.stdout)["kernels"]) == 1
    assert "given twice" in done.stderr


def test_a_full_disk_is_said_and_no_bug(report: Path) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ncu_triage", str(report)]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "No space left" in done.stderr and "bug" not in done.stderr


def test_a_terminal_without_the_characters_gets_others(report: Path) -> None:
    command = [sys.executable, "-m", "ncu_triage", str(report)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, env=environment, check=False)
    assert done.returncode == 0
    assert b"scan" in done.stdout


def test_every_kind_at_once_from_one_reading(report: Path) -> None:
    kinds = ("html", "md", "csv", "json", "svg")
    files = [report.with_suffix(f".{kind}") for kind in kinds]
    done = _call(report, *(word for file in files for word in ("-o", file)))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert all("scan" in file.read_text() for file in files[:4])
    assert files[4].read_text().startswith("<svg ")


def test_a_static_page_has_no_script(report: Path) -> None:
    page = report.with_suffix(".html")
    assert _call(report, "-o", page, "--static").returncode == 0
    assert "<script" not in page.read_text()
    assert len(page.read_bytes()) < 150_000


@pytest.mark.parametrize("ending", [".svg", ".png"])
def test_a_picture_beside_the_ticket(report: Path, ending: str) -> None:
    picture = report.with_suffix(ending)
    done = _call(report, "-o", report.with_suffix(".md"), "--picture", picture)
    assert done.returncode == 0
    assert picture.read_bytes()[:5] in (b"<svg ", b"\x89PNG\r")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("-o", "x.json", "--static"), "--static concerns pages"),
        (("-o", "x.html", "--uncut"), "--uncut concerns Markdown"),
        (("--picture", "x.pdf"), "end the name in .svg or .png"),
        (("-o", "x.html", "--top", "3"), "--top shapes the summary in the terminal"),
        (("-o", "x.html", "--kernel", "scan"), "--kernel shapes the summary in the terminal"),
        (("--kernel", "("), "--kernel (:"),
        (("--show-private", "--anonymise"), "contradict each other"),
    ],
)
def test_options_that_make_no_sense_are_refused(
    report: Path, args: tuple[str, ...], words: str
) -> None:
    done = _call(report, *args, cwd=report.parent)
    assert done.returncode == 2
    assert words in done.stderr
    assert not (report.parent / "x.html").exists()


def test_the_terminal_shows_the_kernels_asked_for(tmp_path: Path) -> None:
    metrics = {"gpu__time_duration.sum": 1e6}
    launches = [launch(name=f"step_{i}", metrics=metrics) for i in range(9)]
    report = write_report(tmp_path / "r.ncu-rep", launches)
    assert _call(report, "--top", "9").stdout.count("step_") >= 9
    one = _call(report, "--kernel", "step_[34]")
    assert "step_3" in one.stdout and "step_5" not in one.stdout
    assert _call(report, "--kernel", "nothing").returncode == 3


def test_help_is_documentation() -> None:
    text = _call("--help").stdout
    for part in (
        "ncu-triage report.ncu-rep -o diag.html",
        "--picture roofline.svg",
        "  3  an input could not be read",
        "--install-completion",
    ):
        assert part in text


def _completed(line: str, folder: Path) -> list[str]:
    """Ask as Bash does: with the words, and the place of the one that is being typed."""
    place = str(len(line.split(" ")) - 1)
    asked = {"_NCU_TRIAGE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": place}
    command = [sys.executable, "-m", "ncu_triage"]
    done = subprocess.run(
        command, capture_output=True, text=True, env=os.environ | asked, check=True, cwd=folder
    )
    return done.stdout.split()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ncu-triage --stat", ["--static"]),
        ("ncu-triage ru", ["rules"]),
        ("ncu-triage r.ncu-rep --sort occ", ["occupancy"]),
        ("ncu-triage r.ncu-rep --format m", ["md"]),
        ("ncu-triage rules li", ["list"]),
        ("ncu-triage explain r.ncu-rep --ker", ["--kernel"]),
        ("ncu-triage ", []),
    ],
)
def test_a_shell_completes(tmp_path: Path, line: str, words: list[str]) -> None:
    assert _completed(line, tmp_path) == words


def test_other_shells_pass_the_line() -> None:
    asked = {"_NCU_TRIAGE_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    line = {"_TYPER_COMPLETE_ARGS": "ncu-triage rules sho"}
    command = [sys.executable, "-m", "ncu_triage"]
    environment = os.environ | asked | line
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout.startswith("show")

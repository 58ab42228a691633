"""`compare` and `--fail-on` as a user calls them: outputs, messages, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

Call = Callable[..., subprocess.CompletedProcess[str]]
CONFLICTS = {
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 900.0,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 1000.0,
}


@pytest.fixture
def call(tmp_path: Path) -> Call:
    def called(*args: str | Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
        environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "80"}
        environment["XDG_CACHE_HOME"] = str(tmp_path / "cache")
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env=environment, check=False
        )

    return called


def _report(path: Path, nanoseconds: float = 1e6, name: str = "scan", **more: float) -> Path:
    metrics = {"gpu__time_duration.sum": nanoseconds, **more}
    return write_report(path, [launch(name=name, metrics=metrics)])


@pytest.fixture
def before(tmp_path: Path) -> Path:
    return _report(tmp_path / "before.ncu-rep")


@pytest.fixture
def slower(tmp_path: Path) -> Path:
    return _report(tmp_path / "after.ncu-rep", 1.5e6)


@pytest.fixture
def sides(before: Path, slower: Path) -> tuple[Path, Path]:
    return before, slower


def test_a_comparison_fits_the_terminal(call: Call, before: Path, slower: Path) -> None:
    done = call("compare", before, slower)
    assert done.returncode == 0
    assert "The whole is 50.0 % slower." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_every_output_in_one_call(call: Call, before: Path, slower: Path, tmp_path: Path) -> None:
    names = ["diff.html", "diff.md", "diff.json", "diff.xml", "diff.sarif"]
    done = call("compare", before, slower, *(part for name in names for part in ("-o", name)))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert all((tmp_path / name).stat().st_size for name in names)
    data = json.loads((tmp_path / "diff.json").read_text())
    assert data["kernels"][0]["time"]["change_pct"] == pytest.approx(50)


def test_a_diagnosis_written_earlier_is_a_side(call: Call, before: Path, slower: Path) -> None:
    assert call(before, "-o", "base.json").returncode == 0
    once = call("compare", "base.json", slower, "--format", "json").stdout
    assert once == call("compare", before, slower, "--format", "json").stdout
    both = call("compare", "base.json", "base.json")
    assert "has not changed" in both.stdout


def test_kernels_of_one_report_are_held_against_each_other(call: Call, tmp_path: Path) -> None:
    metrics = ({"gpu__time_duration.sum": t} for t in (1e6, 2e6))
    launches = [launch(name=n, metrics=m) for n, m in zip(("naive", "tiled"), metrics, strict=True)]
    report = write_report(tmp_path / "r.ncu-rep", launches)
    done = call("compare", report, report, "--kernel", "^naive", "--kernel-after", "^tiled")
    assert "naive → tiled" in done.stdout
    assert "100.0 % slower" in done.stdout


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (("--fail-on", "regression=5%"), 1, "failed: regression=5%: scan"),
        (("--fail-on", "regression=80%"), 0, "The gate passes."),
        (("--fail-on", "warn:regression=5%"), 0, "warning: warn:regression=5%"),
        (("--fail-on", "off:regression=5%"), 0, ""),
        (("--fail-on", "rule=bank-conflicts"), 3, "nothing to judge: rule=bank-conflicts"),
        (("--fail-on", "rule=bank-conflict"), 2, "did you mean bank-conflicts"),
        (("--fail-on", "speed"), 2, "there is no condition"),
        (("--format", "pdf"), 2, "there is no such kind"),
        (("-o", "diff.pdf"), 2, "does not tell the kind"),
        (("-o", "-"), 2, "add --format"),
        (("-o", "no/such/diff.html"), 2, "there is no folder"),
        (("-o", "before.ncu-rep", "--format", "md"), 2, "this is a side that is read"),
        (("--kernel", "("), 2, "--kernel ("),
        (("--kernel", "nobody"), 3, "no kernel matches"),
        (("--acknowledged", "none.toml"), 2, "--acknowledged none.toml"),
    ],
)
def test_the_exit_code_says_how_it_ended(
    call: Call, sides: tuple[Path, Path], args: tuple[str, ...], code: int, says: str
) -> None:
    done = call("compare", *sides, *args)
    assert done.returncode == code
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_failure_is_printed_with_expected_found_and_evidence(
    call: Call, before: Path, slower: Path
) -> None:
    lines = call("compare", before, slower, "--fail-on", "regression=5%").stderr.splitlines()
    assert lines[1].strip().startswith("expected at most 5 % slower")
    assert lines[2].strip().startswith("found    50.0 % slower")
    assert lines[3].strip().startswith("evidence ")
    assert lines[-1] == "The gate fails: 1 failure; 1 of 1 condition does not hold."


def test_what_is_acknowledged_passes(
    call: Call, before: Path, slower: Path, tmp_path: Path
) -> None:
    entry = '[[acknowledged]]\ncondition = "regression"\nreason = "PERF-1"\nexpires = '
    (tmp_path / "known.toml").write_text(entry + "2999-01-01")
    (tmp_path / "old.toml").write_text(entry + "2020-01-01")
    gate = ("compare", before, slower, "--fail-on", "regression=5%", "--acknowledged")
    done = call(*gate, "known.toml")
    assert done.returncode == 0
    assert "PERF-1 (until 2999-01-01)" in done.stderr
    done = call(*gate, "old.toml")
    assert done.returncode == 1
    assert "acknowledged until 2020-01-01, which has passed" in done.stderr


def test_a_wrong_file_of_acknowledgements_is_wrong_usage(
    call: Call, before: Path, slower: Path, tmp_path: Path
) -> None:
    (tmp_path / "known.toml").write_text("[[acknowledged]]\nrule = 'x'\n")
    done = call("compare", before, slower, "--acknowledged", "known.toml")
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def _two_gpus(folder: Path) -> tuple[Path, Path]:
    """Write the same kernel on two GPUs."""
    return _on(folder, "NVIDIA A100"), _on(folder, "NVIDIA H100 PCIe")


def _on(folder: Path, gpu: str) -> Path:
    metrics = {"gpu__time_duration.sum": 1e6, "device__attribute_display_name": gpu}
    return write_report(folder / f"{gpu}.ncu-rep", [launch(name="scan", metrics=metrics)])


def test_strict_refuses_what_must_not_be_compared(call: Call, tmp_path: Path) -> None:
    before, after = _two_gpus(tmp_path)
    assert call("compare", before, after).returncode == 0
    done = call("compare", before, after, "--strict", "-o", "diff.md")
    assert done.returncode == 3
    assert "--strict: Another GPU" in done.stderr
    assert done.stdout == "" and not (tmp_path / "diff.md").exists()


def test_a_gate_over_what_must_not_be_compared_does_not_pass(call: Call, tmp_path: Path) -> None:
    before, after = _two_gpus(tmp_path)
    done = call("compare", before, after, "--fail-on", "regression", "-o", "diff.md")
    assert done.returncode == 3
    assert "not comparable: Another GPU" in done.stderr
    assert "The gate does not pass" in (tmp_path / "diff.md").read_text()
    assert call("compare", before, after, "--fail-on", "warn:regression").returncode == 0


def test_an_acknowledgement_is_read_as_strictly_as_a_condition(
    call: Call, before: Path, slower: Path, tmp_path: Path
) -> None:
    entry = "[[acknowledged]]\nrule = '{}'\nreason = 'PERF-1'\nexpires = 2999-01-01"
    gate = ("compare", before, slower, "--fail-on", "severity=high", "--acknowledged", "k.toml")
    (tmp_path / "k.toml").write_text(entry.format("bank-conflict"))
    done = call(*gate)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert "did you mean bank-conflicts" in done.stderr
    (tmp_path / "k.toml").write_text(entry.format("bank-conflicts"))
    assert "note: nothing fails that is acknowledged as bank-conflicts on *" in call(*gate).stderr


def test_nothing_in_common_is_nothing_to_judge(call: Call, tmp_path: Path) -> None:
    sides = []
    for side, names in (("a", ("scan", "sort")), ("b", ("blur", "warp_affine"))):
        launches = [
            launch(name=n, grid=(i + 2, 1, 1), metrics={"gpu__time_duration.sum": 1e6})
            for i, n in enumerate(names)
        ]
        sides.append(write_report(tmp_path / f"{side}.ncu-rep", launches))
    done = call("compare", *sides)
    assert done.returncode == 3
    assert "No kernel of one side was recognised" in done.stdout


@pytest.mark.parametrize("content", ["", "{", '{"schema_version": 99}', "dear diary"])
def test_a_side_that_cannot_be_read_is_named(
    call: Call, before: Path, tmp_path: Path, content: str
) -> None:
    bad = tmp_path / "bad"
    bad.write_text(content)
    for sides in ((before, bad), (bad, before), (before, tmp_path / "none")):
        done = call("compare", *sides)
        assert done.returncode == 3
        (line,) = done.stderr.splitlines()
        assert line.startswith("ncu-triage: ") and str(tmp_path) in line


def test_the_main_job_has_a_gate_too(call: Call, tmp_path: Path) -> None:
    report = _report(tmp_path / "r.ncu-rep", 1e6, **CONFLICTS)
    done = call(report, "--fail-on", "rule=bank-conflicts,info", "-o", "r.xml", "-o", "r.sarif")
    assert done.returncode == 1
    assert "failed: rule=bank-conflicts,info: scan" in done.stderr
    assert 'failures="1"' in (tmp_path / "r.xml").read_text()
    (run,) = json.loads((tmp_path / "r.sarif").read_text())["runs"]
    assert run["invocations"][0]["exitCode"] == 1
    assert call(report, "--fail-on", "regression=5%").returncode == 2


def test_an_unreadable_report_beside_a_failed_gate_is_still_a_failed_gate(
    call: Call, tmp_path: Path
) -> None:
    report = _report(tmp_path / "r.ncu-rep", 1e6, **CONFLICTS)
    (tmp_path / "bad.ncu-rep").write_text("x")
    gate = ("--fail-on", "rule=bank-conflicts,info")
    assert call(report, "bad.ncu-rep", *gate).returncode == 1
    assert call(report, "bad.ncu-rep", "--fail-on", "rule=debug-build,high").returncode == 3
    assert call("bad.ncu-rep", *gate).returncode == 3
    done = call(report, "bad.ncu-rep", "--fail-on", "rule=debug-build,high", "-o", "r.xml")
    assert done.returncode == 3
    assert "The gate passes" not in done.stderr
    assert 'name="bad.ncu-rep"' in (tmp_path / "r.xml").read_text()


def test_a_rule_that_is_left_out_is_called_disabled(call: Call, tmp_path: Path) -> None:
    report = _report(tmp_path / "r.ncu-rep", 1e6, **CONFLICTS)
    (tmp_path / "off.toml").write_text('disable = ["bank-conflicts"]')
    gate = ("--fail-on", "rule=bank-conflicts")
    done = call(report, "--config", "off.toml", *gate)
    assert done.returncode == 2
    assert "this rule is disabled in the configuration" in done.stderr
    # Judged without it, and asked for it later: nobody knows.
    assert call(report, "--config", "off.toml", "-o", "side.json").returncode == 0
    done = call("compare", report, "side.json", *gate)
    assert done.returncode == 3
    assert "the rule was not among those that judged it" in done.stderr


def test_help_is_fast_and_names_the_conditions(call: Call) -> None:
    text = " ".join(call("compare", "--help").stdout.split())
    assert "BEFORE" in text and "regression=5%,3sigma" in text and "Exit codes" in text

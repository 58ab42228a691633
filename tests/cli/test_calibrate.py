"""`calibrate` and `--ceilings` as a user calls them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.example import kernels
from fixtures.references import copy, other_gpu, product
from fixtures.report_writer import write_report

from ncu_triage.ceilings.file import parse
from ncu_triage.gpus.facts import balance_point


def _call(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


@pytest.fixture
def references(tmp_path: Path) -> list[Path]:
    return [
        write_report(tmp_path / "copy.ncu-rep", [copy(0.75, busy=78.0), copy(0.752, busy=78.2)]),
        write_report(tmp_path / "product.ncu-rep", [product(0.80, busy=82.0)]),
    ]


def test_from_reference_kernels_to_a_verdict(references: list[Path], tmp_path: Path) -> None:
    ceilings = tmp_path / "ceilings.toml"
    done = _call("calibrate", *references, "-o", ceilings)
    assert done.returncode == 0
    assert "DRAM copy: 480 GB/s at 1.05 GHz, 75.0 % of 640 GB/s nominal; copy_rows" in done.stdout
    assert f"Written: {ceilings}. Use it with --ceilings {ceilings}" in done.stdout
    assert "DRAM copy at 75.0 % of nominal is low" in done.stderr
    report = write_report(tmp_path / "a.ncu-rep", [copy(0.68, busy=70.0)])
    assert "is limited by DRAM bandwidth" not in _call(report).stdout
    done = _call(report, "--ceilings", ceilings)
    assert (done.returncode, done.stderr) == (0, "")
    assert "copy_rows is limited by DRAM bandwidth." in done.stdout
    assert "Achievable: DRAM 75.0 % of nominal (measured with copy_rows)" in done.stdout


def test_standard_output_holds_the_file_alone(references: list[Path]) -> None:
    done = _call("calibrate", *references, "-o", "-")
    assert done.returncode == 0
    assert [one.unit for one in parse(done.stdout, "x").ceiling] == ["DRAM", "fp32"]


def test_a_report_without_a_reference_is_named_and_the_others_are_used(
    references: list[Path], tmp_path: Path
) -> None:
    other = write_report(tmp_path / "other.ncu-rep", [kernels()[3]])
    done = _call("calibrate", references[0], other, tmp_path / "gone.ncu-rep", "-o", "-")
    assert done.returncode == 3
    assert f"{other}: no reference: gather_neighbours: limited by latency: far" in done.stderr
    assert "gone.ncu-rep: there is no such file" in done.stderr
    assert len(parse(done.stdout, "x").ceiling) == 1


@pytest.mark.parametrize(
    ("launches", "message"),
    [
        ([kernels()[3]], "no kernel of these reports stands at a wall: nothing was calibrated"),
        ([copy(), other_gpu(copy(0.7))], "the reports are of 2 GPUs"),
    ],
)
def test_where_nothing_can_be_calibrated_nothing_is_written(
    launches: list[object], message: str, tmp_path: Path
) -> None:
    report = write_report(tmp_path / "a.ncu-rep", launches)  # type: ignore[arg-type]
    done = _call("calibrate", report, "-o", tmp_path / "c.toml")
    assert done.returncode == 3
    assert message in done.stderr
    assert done.stderr.splitlines()[-1].startswith("ncu-triage: ")
    assert not (tmp_path / "c.toml").exists()


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("c.json", "ceilings are written as .toml"),
        ("none/c.toml", "name a file in a folder that exists"),
    ],
)
def test_a_place_that_is_none_is_wrong_usage(
    references: list[Path], tmp_path: Path, output: str, message: str
) -> None:
    done = _call("calibrate", references[0], "-o", tmp_path / output)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_report_is_not_written_over(tmp_path: Path) -> None:
    report = write_report(tmp_path / "copy.toml", [copy()])
    before = report.read_bytes()
    done = _call("calibrate", report, "-o", report)
    assert (done.returncode, report.read_bytes()) == (2, before)
    assert "this is a report that is read" in done.stderr


def test_ceilings_of_another_gpu_are_not_applied_and_said_so(
    references: list[Path], tmp_path: Path
) -> None:
    ceilings = tmp_path / "c.toml"
    _call("calibrate", references[0], "-o", ceilings)
    report = write_report(tmp_path / "a.ncu-rep", [other_gpu(copy(0.88))])
    done = _call(report, "--ceilings", ceilings, "--format", "json")
    assert done.returncode == 0
    assert "no launch ran on the NVIDIA RTX A4500 that was measured" in done.stderr
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert "not applied" in kernel["measurement"][-1]["effect"]


def test_a_wrong_file_of_ceilings_is_wrong_usage(references: list[Path], tmp_path: Path) -> None:
    (tmp_path / "c.toml").write_text("format = 1")
    for name, message in (("c.toml", "gpu"), ("gone.toml", "No such file")):
        done = _call(references[0], "--ceilings", tmp_path / name)
        assert done.returncode == 2
        assert message in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_a_scan_uses_ceilings_and_judges_anew_when_they_change(
    references: list[Path], tmp_path: Path
) -> None:
    _call("calibrate", references[0], "-o", tmp_path / "c.toml")
    nightly, site = tmp_path / "nightly", tmp_path / "site"
    nightly.mkdir()
    write_report(nightly / "a.ncu-rep", [copy(0.68, busy=70.0)])
    scan = ("scan", nightly, "-o", site, "--jobs", "1")
    kinds = []
    for more in ((), ("--ceilings", tmp_path / "c.toml")):
        done = _call(*scan, *more)
        assert done.returncode == 0, done.stderr
        (data,) = (site / "reports").glob("*.json")
        (kernel,) = json.loads(data.read_text())["kernels"]
        kinds.append(kernel["bottleneck"]["kind"])
    assert kinds == ["latency", "dram-bandwidth"]
    done = _call(*scan, "--ceilings", tmp_path / "gone.toml")
    assert done.returncode == 2 and "No such file" in done.stderr


def test_the_help_gives_the_balance_points_of_the_data_sheets() -> None:
    text = " ".join(_call("calibrate", "--help").stdout.split())
    for name, capability, sms, said in (
        ("Tesla T4", "7.5", 40, "T4 203"),
        ("NVIDIA A100-SXM4-40GB", "8.0", 108, "A100 (40 GB) 200"),
        ("Tesla V100-SXM2-16GB", "7.0", 80, "V100 139"),
    ):
        point = balance_point(capability, name, sms, "tensor_fp16")
        assert point == pytest.approx(float(said.split()[-1]), rel=0.006)
        assert said in text

"""`operators` as a calculator, and `--operators` as a user calls it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.operators_case import write_case
from fixtures.report_writer import launch, write_report

from ncu_triage.operators.registry import kind_ids

GEMM = ("gemm", "m=4096", "n=4096", "k=4096", "type=fp16")


def _call(*args: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=cwd, env=environment, check=False
    )


def _operators(*args: str) -> str:
    done = _call("operators", *args)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def _fields(text: str) -> dict[str, str]:
    """Return the card's numbers by their labels."""
    pairs = (line.split("  ", 1) for line in text.splitlines() if "  " in line)
    return {label: value.strip() for label, value in pairs}


def test_a_gemm_of_4096_in_fp16_has_1365_flop_a_byte() -> None:
    shown = _fields(_operators(*GEMM))
    assert shown["FLOPs"] == "2 * batch * m * n * k = 137,438,953,472"
    assert shown["Least bytes"] == "100,663,296"
    assert shown["Intensity"] == "137,438,953,472 / 100,663,296 = 1,365 FLOP/byte"


def test_a_t4_moves_400_mb_in_1_25_ms() -> None:
    shown = _fields(_operators("copy", "elements=50000000", "type=fp32", "--gpu", "T4"))
    # 400 MB at 320.1 GB/s, and at 86 % of that
    assert shown["Tesla T4"].startswith(
        "DRAM 320 GB/s nominal (the data sheet), 275 GB/s achievable"
    )
    text = _operators("copy", "elements=50000000", "--gpu", "T4")
    rows = [" ".join(line.split()) for line in text.splitlines()]
    assert "Tesla T4 1.25 ms 1.45 ms DRAM bandwidth, 275 GB/s" in rows


@pytest.mark.parametrize(
    ("args", "intensity"),
    [
        (("gemv", "m=4096", "n=4096"), "1.00 FLOP/byte"),
        (("elementwise", "elements=16777216", "inputs=2"), "0.167 FLOP/byte"),
        (("attention-decode", "heads=32", "kv_tokens=4096", "head_dim=128"), "1.00 FLOP/byte"),
    ],
)
def test_the_well_known_intensities(args: tuple[str, ...], intensity: str) -> None:
    text = _operators(*args, "type=fp16")
    (row,) = [line for line in text.splitlines() if line.startswith("Intensity ")][:1]
    assert row.split(None, 1)[1] == intensity


def test_a_gpu_of_several_versions_shows_them_all() -> None:
    found = json.loads(_operators(*GEMM, "--gpu", "A100", "--json"))
    assert len({one["gpu"] for one in found["best"]}) == 4
    # 137.4 GFLOP at 2048 * 108 * 1.41 GHz
    assert {round(one["time"] * 1e6) for one in found["best"]} == {441}


def test_tensor_peaks_are_those_of_the_data_sheet() -> None:
    found = json.loads(_operators(*GEMM, "--gpu", "H100 SXM", "--json"))
    assert found["best"][0]["compute"] == pytest.approx(989.4e12, rel=1e-3)


@pytest.mark.parametrize("name", ["T4", "tesla t4", "NVIDIA Tesla T4", "rtx4090 d", "RTX 4090 D"])
def test_a_gpu_is_found_as_users_call_it(name: str) -> None:
    assert len(json.loads(_operators("copy", "elements=5", "--gpu", name, "--json"))["best"]) == 2


def test_padding_and_types_are_words_like_the_shape() -> None:
    text = _operators("gemm", "m=4097", "n=4096", "k=4096", "tile.m=128", "types.C=fp32")
    assert "97.0 % (3.0 % lost to padding: m 4,097 as 4,224)" in text
    assert "16,781,312 × 4 B (fp32)" in text


def test_all_kinds_are_listed_and_each_says_what_it_needs() -> None:
    listed = _operators()
    assert [line.split()[0] for line in listed.splitlines()[: len(kind_ids())]] == list(kind_ids())
    page = _operators("attention-prefill")
    assert "kv_tokens    tokens of K and V, those before included (tokens)" in page
    assert "padding      tile.NAME or padded.NAME of batch, heads, tokens, head_dim, kv_t" in page
    assert "type         type of the elements (fp16)" in page
    assert "FLOPs = 4 * batch * heads * pairs * head_dim" in page
    assert "ncu-triage operators attention-prefill heads=32 tokens=4096" in page


def test_formulas_of_ones_own_are_worked_out_like_others(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("formulas: {axpy: {shape: [n], flops: 2 * n, read: 2 * n, written: n}}\n")
    mine = ("--formulas", str(path))
    assert _operators(*mine).splitlines()[-3].split() == [
        "axpy",
        "a",
        "formula",
        "of",
        "your",
        "own",
    ]
    assert "FLOPs = 2 * n" in _operators("axpy", *mine)
    shown = _fields(_operators("axpy", "n=1000", "type=fp64", *mine))
    assert shown["Intensity"] == "2,000 / 24,000 = 0.08333 FLOP/byte"
    path.write_text("formulas: [1]")
    done = _call("operators", *mine)
    assert done.returncode == 2
    assert (
        done.stderr == f"ncu-triage: --formulas {path}: formulas must be a map of names to values\n"
    )


def test_the_gpus_are_listed() -> None:
    assert {"Tesla T4", "H100 PCIe"} <= set(_operators("--gpus").splitlines())


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("gem",), "there is no operator 'gem'; did you mean"),
        (("gemm", "m=5"), "gemm needs n (columns of B and C), k"),
        (("gemm", "4096"), "'4096' says nothing: write m=4096"),
        (("copy", "elements=5", "type=f17"), "there is no type"),
        (("copy", "elements=5", "tiles.m=4"), "there is no group 'tiles'; did you mean 'tile'"),
        (("gemm", "m=1", "m=2", "n=1", "k=1"), "m is given twice, as 1 and 2: give one"),
        (("copy", "elements=5", "type=fp16", "type=fp32"), "type is given twice"),
        (("copy", "elements=5", "tile.elements=4", "tile.elements=8"), "tile.elements is given"),
        (("gemm", "m=5", "n=5", "k=5", "tile.m=4", "padded.m=6"), "both tile.m and padded.m"),
        (("copy", "elements=5", "--gpu", "Voodoo"), "there is no such GPU"),
        (("copy", "elements=5", "--gpu", "rtx"), "say more of it"),
        (("copy", "elements=5", "--gpu", ""), "there is no such GPU"),
    ],
)
def test_a_mistake_is_one_line_and_ends_in_2(args: tuple[str, ...], words: str) -> None:
    done = _call("operators", *args)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert words in line


def test_the_first_line_is_whole_in_a_pipe() -> None:
    sizes = ("heads=32", "kv_heads=8", "kv_tokens=4096", "head_dim=128", "batch=16", "type=fp16")
    text = " ".join(_operators("attention-decode", *sizes).split())
    assert text.startswith(
        "Attention, decode: batch 16, heads 32, kv_tokens 4,096, head_dim 128, kv_heads 8; fp16 "
    )


def test_under_a_compute_peak_no_achievable_time_is_invented() -> None:
    text = _operators(*GEMM, "--gpu", "T4", "--gpu", "A100")
    (row,) = [" ".join(r.split()) for r in text.splitlines() if r.startswith("Tesla T4 ")][:1]
    assert row == "Tesla T4 2.11 ms – Tensor FP16 compute, 65.1 TFLOP/s"
    why = "–: what kernels reach of a compute peak is not known; the nominal time is the least."
    assert why in text
    assert "is not known" not in _operators("copy", "elements=5", "--gpu", "T4")


@pytest.mark.parametrize("option", ["--operators", "--timeline"])
def test_an_option_of_one_file_is_refused_with_two(tmp_path: Path, option: str) -> None:
    report = write_report(tmp_path / "r.ncu-rep", [launch(name="scan")])
    done = _call(report, option, "a.yaml", option, "b.yaml", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"ncu-triage: {option} takes one file, and was given a.yaml and b.yaml: leave all but one "
        "out\n"
    )


def test_a_report_is_judged_with_its_operators(tmp_path: Path) -> None:
    report, operators = write_case(tmp_path)
    done = _call(
        report, "--operators", operators, "-o", tmp_path / "d.html", "-o", tmp_path / "d.json"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert 'id="operators"' in (tmp_path / "d.html").read_text()
    found = json.loads((tmp_path / "d.json").read_text())["operators"]
    assert [one["traffic_amplification"] for one in found[:2]] == pytest.approx([2.0, 10.0])


def test_an_operator_that_matches_nothing_is_told_on_stderr(tmp_path: Path) -> None:
    report, operators = write_case(tmp_path)
    operators.write_text(operators.read_text().replace("add_kernel", "dad_kernel"))
    done = _call(report, "--operators", "ops.yaml", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.startswith(
        "ncu-triage: --operators ops.yaml, line 2, operator 1 (Residual add): no launch matches; "
        "there are the kernels add_kernel"
    )


def test_a_wrong_file_ends_in_2_before_anything_is_judged(tmp_path: Path) -> None:
    report, operators = write_case(tmp_path)
    operators.write_text(operators.read_text().replace("m: 4096", "mm: 4096"))
    done = _call(report, "--operators", "ops.yaml", "-o", "d.json", cwd=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line == (
        "ncu-triage: --operators ops.yaml, line 7, operator 2 (QKV projection): "
        "gemm has no dimension 'mm'; did you mean 'm'?"
    )
    assert not (tmp_path / "d.json").exists()


def test_a_report_that_is_called_like_the_command_needs_its_folder(tmp_path: Path) -> None:
    write_report(tmp_path / "operators", [launch(name="scan")])
    done = _call("./operators", "--format", "json", cwd=tmp_path)
    assert json.loads(done.stdout)["kernels"][0]["name"] == "scan"


def test_the_usual_way_loads_nothing_of_it(tmp_path: Path) -> None:
    report, _ = write_case(tmp_path)
    command = [sys.executable, "-X", "importtime", "-m", "ncu_triage", report]
    done = subprocess.run(
        [*command, "-o", tmp_path / "d.html"], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "ncu_triage.pipeline" in loaded
    assert {name for name in loaded if "operators" in name} == {"ncu_triage.model.operators"}

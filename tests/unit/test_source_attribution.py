"""Attribution: the lines of the project's own kernels, by counts that the test chose."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
import zstandard
from fixtures.kernels.loaded import loaded
from fixtures.report_writer import Workload, launch, report_bytes, write_report

from ncu_triage.model import Where
from ncu_triage.readers.nvidia import process
from ncu_triage.readers.source import instructions
from ncu_triage.readers.source.attribute import attribute

FIRST = 0x7F0000001000
CONFLICTS = "derived__memory_l1_wavefronts_shared_excessive"
SECTORS = "derived__memory_l2_theoretical_sectors_global_excessive"
STALLS = "smsp__pcsamp_warps_issue_stalled_long_scoreboard"
# Where the compiler put what `transpose.cu` and `strided.cu` do.
STS, LDS, LDG, BARRIER = 0x120, 0x140, 0xB0, 0x130
STRIDED_LDG, STRIDED_STG = 0xA0, 0xC0


def kernel(
    name: str = "transpose",
    cubin: str | None = "",
    first: int = FIRST,
    **metrics: Mapping[int, float],
) -> Workload:
    """Build a launch of a kernel with values by metric and offset; `cubin=None` has no program."""
    at = {
        metric: {first + offset: value for offset, value in values.items()}
        for metric, values in metrics.items()
    }
    return launch(
        name=name,
        cubin=None if cubin is None else loaded(cubin or name, first),
        metrics={"gpu__time_duration.sum": 1000, "launch__function_pcs": None},
        instances={"launch__function_pcs": {0: first}, **at},
    )


def places_of(folder: Path, one: Workload, metric: str) -> list[Where]:
    path = write_report(folder / "r.ncu-rep", [one])
    return attribute(path, {0: [metric]}).get((0, metric), [])


def test_bank_conflicts_are_found_at_the_line_that_reads_by_column(tmp_path: Path) -> None:
    one = kernel(**{CONFLICTS: {STS: 0, LDS: 31_000}})

    (where,) = places_of(tmp_path, one, CONFLICTS)

    assert where == Where(file="transpose.cu", line=10, sass="LDS R7, [R7.X4]", share=1.0)
    text = (Path(__file__).parent.parent / "fixtures/kernels/transpose.cu").read_text()
    assert text.splitlines()[10 - 1].strip() == "float value = tile[threadIdx.x][threadIdx.y];"


def test_excess_sectors_are_found_at_the_strided_read(tmp_path: Path) -> None:
    one = kernel("strided", **{SECTORS: {STRIDED_LDG: 750, STRIDED_STG: 250}})

    assert places_of(tmp_path, one, SECTORS) == [
        Where(file="strided.cu", line=5, sass="LDG.E R3, [R2.64]", share=0.75),
        Where(file="strided.cu", line=6, sass="STG.E [R4.64], R3", share=0.25),
    ]


def test_each_metric_is_joined_by_its_own_instructions(tmp_path: Path) -> None:
    """The lists differ in length and begin; an index would name wrong lines."""
    one = kernel(
        inst_executed={offset: 100 for offset in range(0, 0x170, 16)},
        **{CONFLICTS: {LDS: 7}, STALLS: {0x10: 0, STS: 90, BARRIER: 10}},
    )
    path = write_report(tmp_path / "r.ncu-rep", [one])

    found = attribute(path, {0: [STALLS, CONFLICTS, "inst_executed", "not__collected"]})

    assert found.keys() == {(0, STALLS), (0, CONFLICTS), (0, "inst_executed")}
    assert [(w.line, w.share) for w in found[0, STALLS]] == [(6, 0.9), (7, 0.1)]
    assert [(w.line, w.share) for w in found[0, CONFLICTS]] == [(10, 1.0)]
    assert found[0, "inst_executed"][0].line == 6
    assert sum(w.share for w in found[0, "inst_executed"]) <= 1


def test_without_a_line_table_instructions_are_named(tmp_path: Path) -> None:
    one = kernel("strided", "strided_no_lines", **{SECTORS: {STRIDED_LDG: 3, STRIDED_STG: 1}})

    assert places_of(tmp_path, one, SECTORS) == [
        Where(sass="+0xa0 LDG.E R3, [R2.64]", share=0.75),
        Where(sass="+0xc0 STG.E [R4.64], R3", share=0.25),
    ]


def test_without_a_program_offsets_are_named(tmp_path: Path) -> None:
    one = kernel(cubin=None, **{CONFLICTS: {STS: 1, LDS: 3}})

    assert places_of(tmp_path, one, CONFLICTS) == [
        Where(sass="+0x140", share=0.75),
        Where(sass="+0x120", share=0.25),
    ]


def test_launches_are_told_apart_by_their_place_in_the_file(tmp_path: Path) -> None:
    other = FIRST + 0x4000
    path = write_report(
        tmp_path / "r.ncu-rep",
        [
            kernel(**{CONFLICTS: {LDS: 1}}),
            launch(raw=b"\xff" * 40),
            launch(name="bare"),
            kernel("copy", first=other, **{SECTORS: {0x90: 1}}),
            kernel(**{CONFLICTS: {STS: 1}}),
        ],
    )

    found = attribute(path, {i: [CONFLICTS, SECTORS] for i in (0, 1, 2, 3, 7)})

    assert {key: where[0].line for key, where in found.items()} == {
        (0, CONFLICTS): 10,
        (3, SECTORS): 5,
    }


def test_one_block_may_hold_several_launches(tmp_path: Path) -> None:
    launches = [kernel(**{CONFLICTS: {offset: 1}}) for offset in (STS, LDS, STS)]
    path = write_report(tmp_path / "r.ncu-rep", launches, per_block=3)

    found = attribute(path, {1: [CONFLICTS], 2: [CONFLICTS]})

    assert {key: where[0].line for key, where in found.items()} == {
        (1, CONFLICTS): 10,
        (2, CONFLICTS): 6,
    }


@pytest.mark.parametrize("name", ["r.ncu-rep", "r.ncu-repz", "r.bin"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_content_decides_not_the_name(packed: bool, name: str, tmp_path: Path) -> None:
    data = report_bytes([kernel(**{CONFLICTS: {LDS: 1}})])
    path = tmp_path / name
    path.write_bytes(zstandard.ZstdCompressor().compress(data) if packed else data)

    assert attribute(path, {0: [CONFLICTS]})[0, CONFLICTS][0].line == 10


@pytest.mark.parametrize(
    "keys",
    [{0: 5, 1: 7}, {1_700_000_000_000_000_000: 5}, {}, {FIRST: 0}],
    ids=["launches or passes", "times", "none", "zero"],
)
def test_instances_by_something_else_name_no_place(keys: dict[int, float], tmp_path: Path) -> None:
    one = launch(
        metrics={"m": 12, "launch__function_pcs": None},
        instances={"launch__function_pcs": {0: FIRST}, "m": keys},
    )

    assert places_of(tmp_path, one, "m") == []


def test_without_the_functions_address_nothing_can_be_said(tmp_path: Path) -> None:
    assert places_of(tmp_path, launch(instances={"m": {FIRST: 5}}), "m") == []


def test_what_is_no_report_has_no_places(tmp_path: Path) -> None:
    whole = report_bytes([kernel(**{CONFLICTS: {LDS: 1}})])
    path = tmp_path / "r.ncu-rep"
    for data in (b"", b"NVR\0", b"\x28\xb5\x2f\xfd", b"ID,Name\n", whole[:40]):
        path.write_bytes(data)
        assert attribute(path, {0: [CONFLICTS]}) == {}
    assert attribute(tmp_path / "missing", {0: [CONFLICTS]}) == {}
    assert attribute(tmp_path, {0: [CONFLICTS]}) == {}


def test_a_file_of_another_version_is_not_guessed_at(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r", [kernel(**{CONFLICTS: {LDS: 1}})], file_version=8)

    assert attribute(path, {0: [CONFLICTS]}) == {}


def test_no_folder_comes_out(tmp_path: Path) -> None:
    """The line tables of the cubins name a folder of a secret user."""
    assert b"/home/secret-user/kernels" in loaded("transpose", FIRST)

    found = places_of(
        tmp_path, kernel(inst_executed={16 * i: 1 for i in range(20)}), "inst_executed"
    )

    assert found
    assert b"secret" not in msgspec.json.encode(found)


# What NVIDIA's package may do in the worker; a module of this text stands in its place.
FAULTS = {
    "cannot be loaded": "raise ImportError('no such symbol')",
    "crashes": "import os, signal\ndef load_report(path): os.kill(os.getpid(), signal.SIGSEGV)",
    "hangs": "import time\ndef load_report(path): time.sleep(60)",
    "finds nothing": "def load_report(path): return []",
    "fails": "def load_report(path): raise RuntimeError(path)",
    "has another launch there": (
        "class Other:\n    def name(self): return 'other'\n"
        "def load_report(path): return [[Other()]]"
    ),
    "prints": "import os\ndef load_report(path):\n    os.write(1, b'x' * 9)\n    return []",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_nvidias_reader_does_only_costs_the_text(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ncu_report.py").write_text(FAULTS[fault])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    if fault == "hangs":
        monkeypatch.setattr(process, "TIME_LIMIT", 0.5)

    (where,) = places_of(tmp_path, kernel(**{CONFLICTS: {LDS: 1}}), CONFLICTS)

    assert where == Where(sass="+0x140", share=1.0)
    assert capfd.readouterr() == ("", "")


def test_launches_answered_before_a_crash_keep_their_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ncu_report.py").write_text(
        "import os\n"
        "class Action:\n"
        "    def name(self): return 'transpose'\n"
        "    def source_info(self, pc): return None\n"
        "    def sass_by_pc(self, pc): return '  LDS  R1 '\n"
        "class Range:\n"
        "    def __len__(self): return 2\n"
        "    def __getitem__(self, i): return Action() if i == 0 else os._exit(9)\n"
        "def load_report(path): return [Range()]\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    path = write_report(tmp_path / "r.ncu-rep", [kernel(**{CONFLICTS: {LDS: 1}})] * 2)

    found = attribute(path, {0: [CONFLICTS], 1: [CONFLICTS]})

    assert [where[0].sass for where in found.values()] == ["+0x140 LDS R1", "+0x140"]


def test_nvidias_package_may_be_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instructions, "is_installed", lambda: False)

    assert places_of(tmp_path, kernel(**{CONFLICTS: {LDS: 1}}), CONFLICTS)[0].sass == "+0x140"


def test_no_module_of_the_users_folder_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("json", "ncu_report", "msgspec", "ncu_triage"):
        (tmp_path / f"{module}.py").write_text("open('run', 'w')")
    monkeypatch.chdir(tmp_path)

    (where,) = places_of(tmp_path, kernel(**{CONFLICTS: {LDS: 1}}), CONFLICTS)

    assert where.line == 10
    assert not Path("run").exists()


def test_a_relative_path_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_report(tmp_path / "r.ncu-rep", [kernel(**{CONFLICTS: {LDS: 1}})])
    monkeypatch.chdir(tmp_path)

    assert attribute(Path("r.ncu-rep"), {0: [CONFLICTS]})[0, CONFLICTS][0].line == 10

"""A file version that the container reader does not know goes to NVIDIA's reader.

That reader (2026.3.1) takes the number 8 in the header of a file that is else of version 7.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec
import pytest
import zstandard
from fixtures.report_writer import Float32, Rule, Workload, launch, report_bytes, write_report

from ncu_triage.errors import InputError
from ncu_triage.model import Launch, Source
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.container import Container
from ncu_triage.readers.ncu_rep.origin import Origin
from ncu_triage.readers.nvidia import process
from ncu_triage.readers.nvidia import report as nvidia
from ncu_triage.readers.open import open_report

READ_SO = "file version 8, read with NVIDIA's reader"
SHAPE = {
    **{f"launch__grid_dim_{axis}": n for axis, n in zip("xyz", (256, 2, 1), strict=True)},
    **{f"launch__block_dim_{axis}": n for axis, n in zip("xyz", (32, 4, 1), strict=True)},
    "launch__device_id": 1,
    "launch__context_id": 1,
    "launch__stream_id": 7,
}
VALUES = {"a": 1, "b": 2.5, "c": Float32(0.1), "t": "x,y", "none": None, "n": math.nan}
RULES = [
    Rule(kind=kind, title=title, text="See @url:this:http://x@.", speedup=speedup, scope=scope)
    for kind, title, speedup, scope in (
        ("none", None, None, "local"),
        ("ok", "T", 1.5, "unknown"),
        ("warning", "T", 2.5, "local"),
        ("error", "T", math.nan, "global"),
        ("optimization", "T", 3.5, "global"),
    )
] + [Rule(text=None)]
LAUNCHES = [
    launch(
        grid=(256, 2, 1),
        block=(32, 4, 1),
        metrics={**SHAPE, **VALUES, "i": math.inf, "sass__inst_executed_per_opcode": 7},
        histograms={"sass__inst_executed_per_opcode": {"FFMA": 3, "MOV": 4}},
        instances={"inst_executed": {16: 5}},
        sections=["SpeedOfLight", "Occupancy"],
        rules=RULES,
        push_pop={1: ["outer", "inner"], 2: ["other"]},
        start_end=["epoch"],
    ),
    launch(name="f", demangled="", metrics=SHAPE, grid=(256, 2, 1), block=(32, 4, 1)),
    launch(kind="range", metrics={"a": 1}),
    launch(kind="graph", metrics={"a": 1}),
    launch(kind="cmdlist", name="frame", metrics={"a": 1}, rules=[Rule(title="T")]),
]


def read(path: Path) -> tuple[list[Launch], Source]:
    report = open_report(path, 0)
    return list(report.launches()), report.source()


def without_what_nvidia_lacks(one: Launch) -> Launch:
    """Drop the process, and what no `launch__` metric of a group of launches tells."""
    one = msgspec.structs.replace(one, process=None)
    if one.workload != "kernel":
        one = msgspec.structs.replace(one, context=None, stream=None, device=None)
    return one


def written(folder: Path, *launches: Workload, **overrides: object) -> Path:
    return write_report(folder / "r.ncu-rep", launches or [launch()], file_version=8, **overrides)


def test_both_readers_give_equal_launches(tmp_path: Path) -> None:
    ours, _ = read(write_report(tmp_path / "7.ncu-rep", LAUNCHES))

    theirs, source = read(written(tmp_path, *LAUNCHES))

    assert len(theirs) == len(LAUNCHES)
    assert theirs == [without_what_nvidia_lacks(one) for one in ours]
    assert (source.complete, source.lost_launches, source.notes) == (True, 0, [READ_SO])


def test_the_reader_alone_gives_the_same_of_a_known_version(tmp_path: Path) -> None:
    path = write_report(tmp_path / "r.ncu-rep", LAUNCHES)
    data = ByteFile(path.open("rb"))

    report = nvidia.NvidiaReport(Origin("r", 0, "ncu-rep", data), data, Container(data))

    expected = [without_what_nvidia_lacks(one) for one in read(path)[0]]
    assert list(report.launches()) == expected
    # A second reading begins a new process.
    assert list(report.launches()) == expected
    assert report.settings().sections == ["Occupancy", "SpeedOfLight"]


def test_what_the_file_is_does_not_depend_on_the_reader(tmp_path: Path) -> None:
    path = written(tmp_path)

    source = read(path)[1]

    expected = read(write_report(tmp_path / "r.ncu-rep", [launch()]))[1]
    assert source.sha256 != expected.sha256
    assert msgspec.structs.replace(source, sha256="", notes=[]) == msgspec.structs.replace(
        expected, sha256=""
    )


@pytest.mark.parametrize("name", ["r.ncu-rep", "r.ncu-repz", "r.bin"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_content_decides_not_the_name(packed: bool, name: str, tmp_path: Path) -> None:
    data = report_bytes([launch(name="copy")], file_version=8)
    path = tmp_path / name
    path.write_bytes(zstandard.ZstdCompressor().compress(data) if packed else data)

    launches, source = read(path)

    assert [one.name for one in launches] == ["copy"]
    assert (source.notes, source.format) == ([READ_SO], "ncu-repz" if packed else "ncu-rep")


def test_without_nvidias_package_the_known_version_is_tried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nvidia, "is_installed", lambda: False)

    launches, source = read(written(tmp_path))

    assert len(launches) == 1
    assert source.notes == [
        "file version 8, read as version 7: NVIDIA's reader (ncu-report) is not installed"
    ]


def test_a_cut_file_is_never_complete(tmp_path: Path) -> None:
    """NVIDIA's reader gives the launches before the cut, or none at all, and says nothing."""
    path = written(tmp_path, launch(name="first"), launch(name="second"))
    data = path.read_bytes()

    path.write_bytes(data[: data.index(b"second(")])
    launches, source = read(path)
    assert [one.name for one in launches] == ["first"]
    assert (source.complete, source.lost_launches) == (False, 1)
    assert source.notes[0] == READ_SO
    assert "the file ends in the middle" in source.notes[1]

    path.write_bytes(data[:-1])
    launches, source = read(path)
    assert [one.name for one in launches] == ["first", "second"]
    assert not source.complete
    assert source.notes[0] == "file version 8, read as version 7: NVIDIA's reader found no launch"
    assert "is cut off or damaged" in source.notes[1]


def test_a_report_that_no_reader_can_read_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no launch can be read"):
        read(written(tmp_path, launch(raw=b"\xff" * 40)))
    with pytest.raises(InputError, match="nothing was profiled"):
        read(write_report(tmp_path / "empty.ncu-rep", [], file_version=8))


def test_no_path_comes_out(tmp_path: Path) -> None:
    assert str(tmp_path).encode() not in msgspec.json.encode(read(written(tmp_path)))


# The beginning of a module that stands in the place of NVIDIA's package.
STAND_IN = """
import os, time

class Metric:
    def has_value(self): return True
    def value(self): return 1.0

class Action:
    def __init__(self, name): self._name = name
    def name(self, base=0): return self._name
    def metric_names(self): return ("m",) if self._name else ()
    def __getitem__(self, name): return Metric()
    def workload_type(self): return HERE(self)
    def nvtx_state(self): return None
    def sections(self): return ()
    def rule_results_as_dicts(self): return []

def load_report(path): return [[Action(name) for name in NAMES]]
"""


def stand_in(
    folder: Path, monkeypatch: pytest.MonkeyPatch, names: list[str | None], here: str = "0"
) -> None:
    """Let NVIDIA's reader find launches of these names; `here` is run when one is read."""
    module = STAND_IN.replace("NAMES", repr(names)).replace("HERE(self)", here)
    (folder / "ncu_report.py").write_text(module)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    # Enough to start a process on a busy machine.
    monkeypatch.setattr(process, "TIME_LIMIT", 3.0 if "sleep" in here else 60.0)


def test_launches_without_name_or_metrics_are_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, [None, "copy"])

    launches, source = read(written(tmp_path, launch(), launch()))

    assert [one.id for one in launches] == ["0/0/1"]
    assert (source.complete, source.lost_launches) == (False, 1)
    assert source.notes == [READ_SO, "1 launch damaged, or without a name or metrics"]


def test_launches_that_are_silently_left_out_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, ["copy"])

    launches, source = read(written(tmp_path, launch(), launch(), launch()))

    assert len(launches) == 1
    assert (source.complete, source.lost_launches) == (False, 2)
    assert source.notes[1] == "NVIDIA's reader left launches out: 2 launches could not be read"


@pytest.mark.parametrize("names", [[], [None], [""]])
def test_nothing_or_only_nameless_launches_are_no_reading(
    names: list[str | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, names)

    launches, source = read(written(tmp_path))

    assert len(launches) == 1
    assert source.notes == ["file version 8, read as version 7: NVIDIA's reader found no launch"]


@pytest.mark.parametrize("fault", ["os._exit(0)", "time.sleep(60)", "1 / 0"])
def test_launches_come_one_by_one_and_stay_when_the_worker_ends(
    fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, ["a", "b", "c"], f"0 if self._name == 'a' else {fault}")

    launches, source = read(written(tmp_path, launch(), launch(), launch()))

    assert [one.name for one in launches] == ["a"]
    assert (source.complete, source.lost_launches) == (False, 2)
    assert source.notes[1] == (
        "NVIDIA's reader crashed, or took too long: 2 launches could not be read"
    )


def test_a_worker_that_fails_at_the_first_launch_gives_nothing_to_judge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, ["a"], "os._exit(0)")

    with pytest.raises(InputError, match=r"no launch can be read.*crashed"):
        read(written(tmp_path))


@pytest.mark.parametrize(
    "module", ["raise ImportError", "import os\nos._exit(0)", "import time\ntime.sleep(60)"]
)
def test_a_worker_that_does_not_answer_is_no_reading(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stand_in(tmp_path, monkeypatch, [])
    (tmp_path / "ncu_report.py").write_text(module)
    if "sleep" in module:
        monkeypatch.setattr(process, "TIME_LIMIT", 0.5)

    launches, source = read(written(tmp_path))

    assert len(launches) == 1
    assert source.notes == ["file version 8, read as version 7: NVIDIA's reader failed"]


def test_an_answer_of_another_shape_is_not_believed() -> None:
    for answer in (b"", b"\xc1", msgspec.msgpack.encode([1, "x"]), msgspec.msgpack.encode("x")):
        with pytest.raises(process.WorkerFailure):
            process.decode(answer, nvidia.Opened)


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name",
    [
        "sample-transposeCoalesced-a4500.ncu-rep",
        "gtx1080-old202-39866c3.nsight-cuprof-report",
        "v100sxm232gb-2022.2-0295a32.ncu-rep",
        "rtx3050ti-2022.4-60d7862.ncu-rep",
        "b200-2025.2-b28316d.ncu-rep",
        "rtx5060-2026.2-ca43789.ncu-rep",
    ],
)
def test_real_reports_read_equal(name: str, corpus: Path) -> None:
    path = corpus / "rep" / name
    data = ByteFile(path.open("rb"))

    theirs = nvidia.NvidiaReport(Origin(name, 0, "ncu-rep", data), data, Container(data))

    for one, other in zip(read(path)[0], theirs.launches(), strict=True):
        # These stand in the file beside the metrics; NVIDIA's reader has the metrics only.
        for field in ("process", "device", "context", "stream", "grid", "block"):
            if getattr(other, field) is None:
                one = msgspec.structs.replace(one, **{field: None})
        assert one == other
    assert theirs.source().complete

"""Exports of Nsight Systems: every layout, and what must not be believed or shown."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest
from fixtures.timeline_case import ADD, hand_worked
from fixtures.timeline_nsys import Export, add_kernel, hidden_texts, write_export
from fixtures.timeline_spec import Call, Copy, Gpu, Kernel, Spec

from ncu_triage.errors import InputError
from ncu_triage.timeline.events import CopyKind, Shape
from ncu_triage.timeline.measure.figures import figures
from ncu_triage.timeline.open import open_timeline
from ncu_triage.timeline.summarise import summarise

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"


def test_a_kernel_with_all_its_names_and_its_shape(tmp_path: Path) -> None:
    one = Kernel(ADD, 1_000, 2_000, grid=(4, 3, 2), block=(64, 2, 1), short="add", mangled="_Z3add")
    read = open_timeline(write_export(tmp_path / "t.sqlite", Spec(kernels=[one])))

    assert read.names[0] == (ADD, "add", "_Z3add")
    assert read.shapes[0] == Shape((4, 3, 2), (64, 2, 1), 32)
    assert read.source.format == "nsys-sqlite"
    assert read.source.producer == "Nsight Systems 2025.3.1.90"
    assert read.source.complete and not read.source.notes


@pytest.mark.parametrize("old", [False, True])
def test_the_gpu_that_did_the_work(old: bool, tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000, 2_000, device=1)],
        gpus=[Gpu(), Gpu("Tesla V100-PCIE-32GB", (7, 0), 80, 1_380_000_000)],
    )
    (gpu,) = open_timeline(write_export(tmp_path / "t.sqlite", spec, old=old)).devices

    assert (gpu.name, gpu.compute_capability) == ("Tesla V100-PCIE-32GB", "7.0")
    assert (gpu.sm_count, gpu.clock) == (80, 1.38e9)


def test_one_gpu_number_in_two_processes_can_be_two_gpus(tmp_path: Path) -> None:
    """CUDA_VISIBLE_DEVICES gives each process its own device 0."""
    export = Export(tmp_path / "t.sqlite")
    for process, gpu in ((41, 0), (42, 1)):
        add_kernel(export, Kernel(ADD, 1_000, 2_000, process=process))
        export.add("TARGET_INFO_CUDA_DEVICE", gpuId=gpu, cudaId=0, pid=process)
        export.add("TARGET_INFO_GPU", id=gpu, name=f"GPU {gpu}", cuDevice=gpu, smCount=1)
    read = open_timeline(export.close())

    assert [gpu.name for gpu in read.devices] == ["GPU 0", "GPU 1"]
    assert figures(read).kernels.busy_ns == 2_000


def test_a_gpu_that_the_program_cannot_see_does_not_take_its_number(tmp_path: Path) -> None:
    export = Export(tmp_path / "t.sqlite")
    add_kernel(export, Kernel(ADD, 1_000, 2_000))
    export.add("TARGET_INFO_GPU", id=2, name="used", cuDevice=0, smCount=10)
    export.add("TARGET_INFO_GPU", id=0, name="hidden", cuDevice=0, smCount=0)
    (gpu,) = open_timeline(export.close()).devices

    assert gpu.name == "used"


def test_rows_in_any_order_read_the_same(tmp_path: Path) -> None:
    spec = hand_worked()
    sorted_one = open_timeline(write_export(tmp_path / "a.sqlite", spec))
    for rows in (spec.kernels, spec.copies, spec.calls):
        rows.reverse()
    reversed_one = open_timeline(write_export(tmp_path / "b.sqlite", spec))

    assert list(reversed_one.kernels.start) == list(sorted_one.kernels.start)
    assert list(reversed_one.kernels.launched) == list(sorted_one.kernels.launched)
    assert figures(reversed_one) == figures(sorted_one)


@pytest.mark.parametrize("span", [(0, 0), (0, 500), (900, 900), (900, 800), (-5, 10), (None, 9)])
def test_work_without_usable_times_is_left_out_and_counted(
    span: tuple[int | None, int], tmp_path: Path
) -> None:
    export = Export(tmp_path / "t.sqlite")
    add_kernel(export, Kernel(ADD, 1_000, 2_000))
    add_kernel(export, Kernel(ADD, *span))  # type: ignore[arg-type]
    read = open_timeline(export.close())

    assert len(read.kernels) == 1
    assert (read.source.lost_events, read.source.complete) == (1, False)
    assert "1 kernel or copy without usable times" in read.source.notes[0]


@pytest.mark.parametrize("value", ["text", b"blob", 1.5, None, 2**63 - 1, -(2**63)])
def test_a_value_of_another_type_is_no_surprise(value: object, tmp_path: Path) -> None:
    export = Export(tmp_path / "t.sqlite")
    add_kernel(export, Kernel(ADD, 1_000, 2_000))
    columns = [row[1] for row in export.connection.execute(f"PRAGMA table_info({KERNELS})")]
    for column in columns:
        add_kernel(export, Kernel(ADD, 3_000, 4_000))
        last = f"(SELECT MAX(rowid) FROM {KERNELS})"
        export.connection.execute(
            f'UPDATE {KERNELS} SET "{column}" = ? WHERE rowid = {last}', [value]
        )
    read = open_timeline(export.close())

    assert len(read.kernels) + read.source.lost_events == len(columns) + 1
    assert summarise(read).sentences


def test_kinds_of_copies(tmp_path: Path) -> None:
    copies = [
        Copy("HtoD", 1_000, 2_000, 8, pageable=True),
        Copy("DtoD", 2_000, 3_000, 8),
        Copy("unified HtoD", 3_000, 4_000, 8),
        Copy("memset", 4_000, 5_000, 8),
    ]
    read = open_timeline(write_export(tmp_path / "t.sqlite", Spec(copies=copies)))

    assert set(read.copy_kinds) == {
        CopyKind("HtoD", True), CopyKind("DtoD"), CopyKind("unified HtoD"), CopyKind("memset"),
    }  # fmt: skip


def test_a_range_takes_its_name_from_its_row_or_from_the_table_of_texts(tmp_path: Path) -> None:
    export = Export(tmp_path / "t.sqlite")
    rows = (("own 1", None), (None, export.string("shared 2")), (None, 999))
    for text, id in rows:
        export.add("NVTX_EVENTS", start=1, end=5, eventType=59, text=text, textId=id, globalTid=1)
    export.add(
        "NVTX_EVENTS", start=1, end=None, eventType=59, text="open", textId=None, globalTid=1
    )
    export.add(
        "NVTX_EVENTS", start=1, end=None, eventType=34, text="mark", textId=None, globalTid=1
    )
    read = open_timeline(export.close())

    assert read.range_names == ("own #", "shared #", "")


def test_texts_of_the_host_go_nowhere(tmp_path: Path) -> None:
    read = open_timeline(write_export(tmp_path / "t.sqlite", hand_worked()))
    everything = msgspec.json.encode(summarise(read)).decode() + repr(read)

    assert not [text for text in hidden_texts() if text in everything]


def test_the_file_is_neither_written_nor_locked(tmp_path: Path) -> None:
    path = write_export(tmp_path / "t #1?%41.sqlite", hand_worked())
    before = path.read_bytes()
    path.chmod(0o400)
    tmp_path.chmod(0o500)
    try:
        assert len(open_timeline(path).kernels) == 4
    finally:
        tmp_path.chmod(0o700)

    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_what_the_capture_says_about_itself(tmp_path: Path) -> None:
    export = Export(tmp_path / "t.sqlite")
    export.add("NVTX_EVENTS", start=1, end=5, eventType=59, text="x", textId=None, globalTid=1)
    for severity in (1, 2, 3, 3):
        export.add("DIAGNOSTIC_EVENT", severity=severity, text="/home/someone/secret")
    export.add("META_DATA_CAPTURE", name="CAPTURE_EVENT_TYPE", value="NvtxEvents")
    notes = open_timeline(export.close()).source.notes

    assert "CUDA was not traced" in notes[0]
    assert "2 errors and 1 warning:" in notes[1]
    assert "secret" not in " ".join(notes)


def test_a_view_or_a_virtual_table_is_no_table(tmp_path: Path) -> None:
    """A view may compute for ever, as soon as someone reads from it."""
    export = Export(tmp_path / "t.sqlite")
    export.add("NVTX_EVENTS", start=1, end=5, eventType=59, text="x", textId=None, globalTid=1)
    export.connection.execute(
        f"CREATE VIEW {KERNELS} AS WITH RECURSIVE n(start) AS"
        " (SELECT 1 UNION ALL SELECT start + 1 FROM n) SELECT start, start + 1 AS end FROM n"
    )
    assert len(open_timeline(export.close()).kernels) == 0


def test_a_damaged_export_reads_as_far_as_it_goes(tmp_path: Path) -> None:
    spec = Spec(kernels=[Kernel(ADD, 1_000 * i, 1_000 * i + 500) for i in range(1, 4_000)])
    path = write_export(tmp_path / "t.sqlite", spec)
    data = bytearray(path.read_bytes())
    half = len(data) // 2 // 4096 * 4096
    data[half : half + 40_960] = bytes(40_960)
    path.write_bytes(data)
    read = open_timeline(path)

    assert 0 < len(read.kernels) < 3_999
    assert not read.source.complete
    assert "damaged" in read.source.notes[0]


@pytest.mark.parametrize("size", [100, 4_096, 9_000])
def test_a_cut_export_is_refused_or_incomplete(size: int, tmp_path: Path) -> None:
    path = write_export(tmp_path / "t.sqlite", hand_worked())
    path.write_bytes(path.read_bytes()[:size])

    try:
        assert not open_timeline(path).source.complete
    except InputError as error:
        assert "\n" not in str(error)
        assert "SQLite" in str(error)


@pytest.mark.parametrize(
    ("tables", "phrase"),
    [
        (["StringTable", "CUPTI_ACTIVITY_KIND_KERNEL"], "nvprof"),
        (["users"], "no export of Nsight Systems"),
        (["StringIds"], "no export of Nsight Systems"),
        (["CUPTI_ACTIVITY_KIND_KERNEL"], "no export of Nsight Systems"),
        ([], "no export of Nsight Systems"),
    ],
)
def test_another_database_is_named(tables: list[str], phrase: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "t.sqlite")
    connection.execute("CREATE TABLE other (x)")
    for table in tables:
        connection.execute(f"CREATE TABLE {table} (x)")
    connection.close()

    with pytest.raises(InputError, match=phrase):
        open_timeline(tmp_path / "t.sqlite")


def test_calls_without_an_id_belong_to_no_kernel(tmp_path: Path) -> None:
    spec = Spec(
        kernels=[Kernel(ADD, 1_000, 2_000, call=0), Kernel(ADD, 3_000, 4_000, call=0xFFFFFFFF)],
        calls=[
            Call("cudaLaunchKernel", 500, 600, 0),
            Call("cudaLaunchKernel", 500, 600, 2**32 - 1),
        ],
    )
    read = open_timeline(write_export(tmp_path / "t.sqlite", spec))

    assert list(read.kernels.launched) == [-1, -1]

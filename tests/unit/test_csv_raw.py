"""The "raw" page: one unit a column, instances in cells, NVTX in columns."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.csv_reading import read, refused
from fixtures.csv_writer import csv_launch, raw

TIME, READ = "gpu__time_duration.sum", "dram__bytes_read.sum"
OPCODES = "sass__inst_executed_per_opcode"
NVTX = "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg"


def test_a_column_has_one_unit_for_all_launches(tmp_path: Path) -> None:
    launches = [csv_launch(id=i, raw={TIME: v}) for i, v in enumerate(("0.001408", "22.500000"))]

    got = read(tmp_path, raw({TIME: "msecond"}, *launches))

    assert [one.metrics[TIME] for one in got.launches] == [1408.0, 22.5e6]
    assert got.source.format == "raw-csv"


def test_cells_may_be_texts_empty_or_not_a_number(tmp_path: Path) -> None:
    cells = {"device__attribute_display_name": "NVIDIA A10", "memory_type": "", READ: "nan"}
    cells |= {"launch__func_cache_config": "CachePreferNone", TIME: "5"}

    one = read(tmp_path, raw(dict.fromkeys(cells, ""), csv_launch(raw=cells))).one

    assert one.metrics["device__attribute_display_name"] == "NVIDIA A10"
    assert one.metrics["launch__func_cache_config"] == "CachePreferNone"
    assert (one.valueless, one.nan) == ({"memory_type"}, {READ})


@pytest.mark.parametrize(
    ("cell", "total", "counts"),
    [
        ("12 (7; 5)", 12.0, None),
        ("12 (FFMA: 7; IMAD.WIDE: 5)", 12.0, {"FFMA": 7.0, "IMAD.WIDE": 5.0}),
        ("(FFMA: 7; MOV: 5)", None, {"FFMA": 7.0, "MOV": 5.0}),
        ("12 (16: 7; 32: 5)", 12.0, None),
    ],
)
def test_instances_in_a_cell_leave_the_aggregate_and_the_opcodes(
    cell: str, total: float | None, counts: dict[str, float] | None, tmp_path: Path
) -> None:
    one = read(tmp_path, raw({OPCODES: ""}, csv_launch(raw={OPCODES: cell}))).one

    assert one.metrics.get(OPCODES) == total
    assert one.histograms.get(OPCODES) == counts
    assert (OPCODES in one.valueless) == (total is None)


def test_a_cell_above_the_field_limit_is_read(tmp_path: Path) -> None:
    cell = "12 (" + "; ".join(["1"] * 60_000) + ', "quoted")'

    assert read(tmp_path, raw({TIME: "ns"}, csv_launch(raw={TIME: cell}))).one.metrics[TIME] == 12


def test_nvtx_ranges_stand_in_columns_of_their_own(tmp_path: Path) -> None:
    cell = '77  "<default domain>:step 1:a:none:none:none:none:none:none" "d:b:1:2:3:4:5:6" '
    escaped = cell.replace('"', '""')
    text = raw({TIME: "ns"}).replace('"Kernel Name"', f'"{NVTX}","Kernel Name"')
    text = text.replace('"","","","","",', '"","","","","","",', 1)
    text = text.replace('"void', f'"{escaped}","void')

    assert read(tmp_path, text).one.nvtx == ("step 1:a", "b")


def test_without_the_row_of_units_only_percentages_and_counts_are_used(tmp_path: Path) -> None:
    share = "sm__throughput.avg.pct_of_peak_sustained_elapsed"
    head, _, row = raw(
        {TIME: "", share: ""}, csv_launch(raw={TIME: "5", share: "61.92"})
    ).splitlines()

    got = read(tmp_path, f"{head}\n{row}\n")

    assert (TIME in got.one.metrics, got.one.metrics[share]) == (False, 61.92)
    assert got.source.notes == [
        f"units unknown: only percentages and counts are used, left out 1 column ({TIME})"
    ]


def test_an_export_without_metrics_says_so(tmp_path: Path) -> None:
    assert "holds no metrics" in refused(tmp_path, raw({}))


def test_a_run_of_failed_launches_says_so(tmp_path: Path) -> None:
    failed = csv_launch(grid="(0, 0, 0)", block="(0, 0, 0)", raw={TIME: "0.000000"})

    assert "1 launch failed" in refused(tmp_path, raw({TIME: "ns"}, failed))


@pytest.mark.parametrize("end", [0, 1])
def test_a_cut_row_is_a_lost_launch(end: int, tmp_path: Path) -> None:
    units = {TIME: "ns", READ: "byte"}
    whole = raw(units, *(csv_launch(id=i, raw={TIME: "5", READ: "64"}) for i in range(2)))

    got = read(tmp_path, whole[: whole.rindex('"5"') + end])

    assert len(got.launches) == 1
    assert (got.source.complete, got.source.lost_launches) == (False, 1)
    assert got.source.notes == ["1 row cut off or broken: left out"]

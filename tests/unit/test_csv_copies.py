"""The viewer's page, the summaries, and what people make of an export."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.csv_reading import read, refused
from fixtures.csv_writer import quoted

TIME = "gpu__time_duration.sum"
GUI = """\
\ufeffID,0
Function Name,copy
Original Demangled Name,"copy(int, float *)"
Process,[4242] app
Device Name,NVIDIA B200
Grid Size,"   64,    1,    1"
Block Size [block],"  128,    1,    1"
gpu__time_duration.sum [us],12.3
sm__cycles_active.sum [cycle],"1,234,567 {108}"
sm__throughput.avg.pct_of_peak_sustained_elapsed [%],{108}
breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed,"sm__a,sm__b"
"""
SUMMARY = (
    *("Process ID", "Process Name", "Host Name", "Kernel Name", "Block Size", "Grid Size"),
    *("Device", "CC", "Invocations", "Section Name", "Metric Name", "Metric Unit"),
    *("Minimum", "Maximum", "Average"),
)
SUM_ROW = ("7", " ", "h", "f(int)", "(32, 8, 1)", "(256, 1, 1)", "0", "8.6", "45")
SCRAMBLED = ("0", "", "", "", "", "device__attribute_x", "", "", "", "", "", "", "1", "2", "")
LABELS = (
    *("Duration", "SM [%]", "SOL FB", "Elapsed Cycles", "Registers Per Thread"),
    *("Achieved Occupancy", "SM Busy", "Waves Per SM", "Memory Throughput"),
)


def test_the_viewers_page_is_a_column_for_each_launch(tmp_path: Path) -> None:
    one = read(tmp_path, GUI).one

    assert (one.name, one.demangled, one.process) == ("copy", "copy(int, float *)", 4242)
    assert (one.grid, one.block) == ((64, 1, 1), (128, 1, 1))
    assert one.metrics[TIME] == pytest.approx(12300)
    assert one.metrics["sm__cycles_active.sum"] == 1234567
    assert one.metrics["device__attribute_display_name"] == "NVIDIA B200"
    assert one.valueless == {"sm__throughput.avg.pct_of_peak_sustained_elapsed"}


@pytest.mark.parametrize(
    "text",
    [
        GUI + GUI.replace("\ufeffID,0", "ID,1"),
        "\n".join(line + "," + line.partition(",")[2] for line in GUI.splitlines()),
    ],
)
def test_the_viewers_page_of_several_launches(text: str, tmp_path: Path) -> None:
    first, second = read(tmp_path, text.replace("ID,0,0", "ID,0,1")).launches

    assert (first.id, second.id) == ("0/0/0", "0/0/1")
    assert first.metrics == second.metrics


def test_a_summary_stands_for_its_launches_by_the_average(tmp_path: Path) -> None:
    rows = [
        (*SUM_ROW, "GPU Speed Of Light Throughput", "Duration", "usecond", "1.00", "3.00", "2.50"),
        (*SUM_ROW, "Command line profiler metrics", "dram__bytes.sum", "Kbyte", "1", "1", "1"),
    ]

    got = read(tmp_path, "\n".join(map(quoted, [SUMMARY, *rows])))

    assert (got.one.metrics[TIME], got.one.metrics["dram__bytes.sum"]) == (2500, 1000)
    assert (got.one.grid, got.source.format) == ((256, 1, 1), "summary-csv")
    assert got.source.notes == [
        "a summary: averages over 45 launches of 1 kernel, each counted once",
        "durations from least to most: f 1.00 to 3.00 usecond",
    ]


def test_the_scrambled_summary_is_refused(tmp_path: Path) -> None:
    assert "scrambled" in refused(tmp_path, "\n".join(map(quoted, [SUMMARY, SCRAMBLED])))


def test_units_in_the_header_are_taken_where_they_are_certain(tmp_path: Path) -> None:
    head = f",{TIME} (microsec),dram__bytes.sum (Mb),launch__grid_size (nan)"
    row = "\"(3, 'f(int *)')\",814.048,99.22,32768.0"

    got = read(tmp_path, f"{head}\n{row}\n")

    assert (got.one.id, got.one.demangled) == ("0/0/3", "f(int *)")
    assert got.one.metrics == {TIME: pytest.approx(814048), "launch__grid_size": 32768}
    assert "dram__bytes.sum (Mb)" in got.source.notes[0]


def test_a_hand_made_table_has_units_below_its_header(tmp_path: Path) -> None:
    dims = ",".join(f"launch__grid_dim_{axis}" for axis in "xyz")

    got = read(tmp_path, f"{TIME},{dims}\nmsecond,-,-,-\n17.61,32,4,1\n18.54,64,2,1\n")

    assert [one.metrics[TIME] for one in got.launches] == pytest.approx([17.61e6, 18.54e6])
    assert got.launches[1].grid == (64, 2, 1)
    assert got.source.notes == ["the table does not name the kernels"]


def test_a_pivot_of_labels_has_percentages_and_counts_only(tmp_path: Path) -> None:
    head = ",".join(("ID", "Kernel", *LABELS))

    got = read(tmp_path, f"{head}\n4,f,10720,18.70,40.07,11734,20,48.18,26.96,0.63,3E+11\n")

    assert (got.one.id, got.one.name, got.source.format) == ("0/0/4", "f", "pivot-csv")
    assert got.one.metrics == {
        "sm__throughput.avg.pct_of_peak_sustained_elapsed": 18.7,
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 40.07,
        "gpc__cycles_elapsed.max": 11734,
        "launch__registers_per_thread": 20,
        "sm__warps_active.avg.pct_of_peak_sustained_active": 48.18,
        "launch__waves_per_multiprocessor": 0.63,
    }
    assert got.source.notes == [
        "units unknown: only percentages and counts are used, left out 3 columns"
        " (Duration, Memory Throughput, SM Busy)"
    ]


def test_a_summary_by_range_names_the_range_and_keeps_texts(tmp_path: Path) -> None:
    head = ("Domain", "Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg", *SUMMARY[3:9])
    head += SUMMARY[10:]
    who = ("<default domain>", "step 1:none:none:none:none:none:none", *SUM_ROW[3:])
    rows = [(*who, TIME, "ns", "1", "3", "2"), (*who, "device__name", "", "", "", "NVIDIA A10")]

    one = read(tmp_path, "\n".join(map(quoted, [head, *rows]))).one

    assert (one.nvtx, one.metrics[TIME], one.metrics["device__name"]) == (
        ("step 1",),
        2,
        "NVIDIA A10",
    )

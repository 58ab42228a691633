"""What surrounds a table, and how a file is encoded: counted, or undone."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from fixtures.csv_reading import read, refused
from fixtures.csv_writer import DURATION, METRIC, SOL, csv_launch, details, quoted, raw

TIME = "gpu__time_duration.sum"
RULE = ("SpeedOfLight", "SOLBottleneck", "WRN", "Look, here.", "", "")
ROWS = [DURATION, (SOL, "Elapsed Cycles", "cycle", "1491586"), (SOL, "SM [%]", "%", "22.60")]
PLAIN = details(csv_launch(rows=ROWS, rules=[RULE]))


def table() -> list[list[str]]:
    return list(csv.reader(io.StringIO(PLAIN)))


@pytest.mark.parametrize(
    "content",
    [
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        PLAIN.encode("utf-32"),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        PLAIN.rstrip("\n").encode(),
        "\n".join(";".join(row) for row in table()).encode(),
        "\n".join("\t".join(row) for row in table()).encode(),
        ("sep=,\n" + PLAIN).encode(),
    ],
)
def test_the_encoding_does_not_matter(content: bytes, tmp_path: Path) -> None:
    assert read(tmp_path, content).launches == read(tmp_path, PLAIN).launches


def test_spaces_of_windows_between_thousands(tmp_path: Path) -> None:
    text = PLAIN.replace("1491586", "1\u00a0491\u00a0586").replace(".", ",")

    one = read(tmp_path, text.encode("cp1252")).one

    assert one.metrics["gpc__cycles_elapsed.max"] == 1491586


def test_other_lines_are_left_out_and_counted(tmp_path: Path) -> None:
    head, *rows = PLAIN.splitlines()
    lines = ["ID, name", '5" wide, "open', "==PROF== Connected", head, rows[0], "progress 50%"]
    lines += ["", '"GPU ID","GPU Name"', '"0","A10"', rows[1], '"9', *rows[2:], "==PROF== Done"]

    got = read(tmp_path, "\n".join(lines))

    assert got.launches == read(tmp_path, PLAIN).launches
    assert got.source.complete
    assert got.source.notes[:2] == [
        "6 lines of other output left out",
        "2 messages of the profiler left out",
    ]


def test_an_error_of_the_profiler_is_shown_without_paths(tmp_path: Path) -> None:
    got = read(tmp_path, PLAIN + "==ERROR== Cannot write '/home/me/x'. Stop.\n")

    assert "the profiler reported an error: Cannot write …. Stop." in got.source.notes


def test_appended_runs_are_numbered_on(tmp_path: Path) -> None:
    got = read(tmp_path, PLAIN + "==PROF== Connected\n" + raw({TIME: "ns"}) + PLAIN)

    assert [one.id for one in got.launches] == ["0/0/0", "0/0/1", "0/0/2"]
    assert got.source.format == "details-csv+raw-csv"
    assert "3 runs stand in one file; launches are numbered on" in got.source.notes


def test_a_file_that_ends_within_a_text_is_incomplete(tmp_path: Path) -> None:
    got = read(tmp_path, PLAIN[: PLAIN.index("here.")])

    assert (len(got.one.metrics), got.one.rules) == (5, ())
    assert (got.source.complete, got.source.lost_launches) == (False, 0)
    assert got.source.notes == ["1 row cut off or broken: left out"]


def test_an_open_text_does_not_swallow_the_rows_after_it(tmp_path: Path) -> None:
    head, *rows = PLAIN.splitlines()
    broken = rows[0].removesuffix('",')

    got = read(tmp_path, "\n".join([head, broken, *rows]))

    assert got.launches == read(tmp_path, PLAIN).launches
    assert got.source.notes == ["1 row cut off or broken: left out"]


def test_lost_quotes_are_put_back_from_both_ends(tmp_path: Path) -> None:
    rows = [(SOL, "Elapsed Cycles", "cycle", "1,491,586"), (SOL, "SM [%]", "%", "22.60")]
    whole = details(csv_launch(rows=rows, rules=[RULE]))

    got = read(tmp_path, whole.replace('"', ""))

    assert got.launches == read(tmp_path, whole).launches
    assert "3 rows had lost the quotes: put together again" in got.source.notes


def test_lost_quotes_that_cannot_be_put_back_cost_the_row(tmp_path: Path) -> None:
    whole = raw({TIME: "ns"}, csv_launch(), csv_launch(id=1, raw={TIME: "1,491,586"}))

    got = read(tmp_path, whole.replace('"', ""))

    assert len(got.launches) == 1
    assert (got.source.complete, got.source.lost_launches) == (False, 1)


def test_pandas_adds_an_index_and_makes_numbers_of_ids(tmp_path: Path) -> None:
    out = io.StringIO()
    rows = csv.reader(io.StringIO(raw({TIME: "nsecond"})))
    for number, row in enumerate(rows):
        cells = [f"{cell}.0" if cell in ("0", "7", "4242") else cell for cell in row]
        csv.writer(out).writerow([str(number - 1) if number else "", *cells])

    assert read(tmp_path, out.getvalue()).launches == read(tmp_path, raw({TIME: "ns"})).launches


def test_ambiguous_numbers_are_left_out_and_said_to_be(tmp_path: Path) -> None:
    rows = [(SOL, "Duration", "ns", "117.344"), ("Occupancy", "Block Limit SM", "block", "24")]

    got = read(tmp_path, details(csv_launch(rows=rows)))

    assert (TIME in got.one.metrics, got.one.metrics["launch__occupancy_limit_blocks"]) == (
        False,
        24,
    )
    assert got.source.notes == [
        "numbers such as '117.344' are ambiguous (thousands or decimals, nothing in the file"
        " tells): 1 value left out"
    ]


def test_what_is_no_number_in_the_files_way_is_counted(tmp_path: Path) -> None:
    rows = [*[DURATION] * 30, (SOL, "SM [%]", "%", "2,5")]

    got = read(tmp_path, details(csv_launch(rows=rows)))

    assert not got.source.complete
    assert got.source.notes[0].startswith("1 value such as '2,5' could not be read")


def test_the_old_header_has_a_time_and_no_shape(tmp_path: Path) -> None:
    names = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time"]
    cells = ["0", "1", "app", "h", "f(int)", "2020-Mar-20 15:02:26", "1", "7"]
    text = f"{quoted([*names, 'Context', 'Stream', *METRIC])}\n{quoted([*cells, *DURATION])}\n"

    one = read(tmp_path, text).one

    assert (one.name, one.grid, one.device, one.stream) == ("f", None, None, 7)


def test_a_session_of_runs_that_failed_is_named_by_its_error(tmp_path: Path) -> None:
    text = "==PROF== Connected\n==ERROR== The driver's resource is in use by /opt/x.\n"

    assert refused(tmp_path, text) == (
        "the profiler failed and wrote no table: The driver's resource is in use by …"
    )

"""The "details" page: by column name, in any order, with rules, in base units."""

from __future__ import annotations

import csv
import io
import random
from pathlib import Path

import pytest
from fixtures.csv_reading import read, refused
from fixtures.csv_writer import DURATION, IDENTITY, METRIC, SOL, csv_launch, details, quoted
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ELAPSED = ".avg.pct_of_peak_sustained_elapsed"
TIME = "gpu__time_duration.sum"
BUSY = "sm__instruction_throughput.avg.pct_of_peak_sustained_"
COMPUTE = "Compute Workload Analysis"


def test_a_launch_has_its_identity_and_base_units(tmp_path: Path) -> None:
    one = read(tmp_path, details(csv_launch(id=3))).one

    assert (one.id, one.name, one.demangled) == ("0/0/3", "copy", "void copy<float>(float *, int)")
    assert (one.grid, one.block, one.device) == ((256, 1, 1), (128, 1, 1), 0)
    assert (one.process, one.context, one.stream) == (4242, 1, 7)
    assert one.metrics[TIME] == pytest.approx(5410)
    assert one.metrics["device__attribute_compute_capability_major"] == 8.0
    assert one.metrics["device__attribute_compute_capability_minor"] == 6.0
    assert one.sections == ("SpeedOfLight",)


@pytest.mark.parametrize(
    ("section", "label", "metric"),
    [
        (SOL, "Memory Throughput", f"gpu__compute_memory_throughput{ELAPSED}"),
        ("GPU Speed Of Light", "SOL DRAM", f"gpu__dram_throughput{ELAPSED}"),
        ("Memory Workload Analysis", "Memory Throughput", "dram__bytes.sum.per_second"),
        (SOL, "SM: Inst Executed Pipe Lsu", f"sm__inst_executed_pipe_lsu{ELAPSED}"),
        (SOL, "DRAM: Dram Sectors", f"fbpa__dram_sectors{ELAPSED}"),
        (
            "Warp State Statistics",
            "Stall Long Scoreboard",
            "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
        ),
        ("Command line profiler metrics", "sm__cycles_active.avg", "sm__cycles_active.avg"),
        (SOL, "Duration (gpu__time_duration.sum)", TIME),
        ("Source Counters", "inst_executed", "inst_executed"),
    ],
)
def test_section_and_label_name_the_metric(
    section: str, label: str, metric: str, tmp_path: Path
) -> None:
    one = read(tmp_path, details(csv_launch(rows=[(section, label, "", "12.50")]))).one

    assert one.metrics[metric] == 12.5


def test_what_names_no_certain_metric_is_counted(tmp_path: Path) -> None:
    rows = [DURATION, (SOL, "Charm", "%", "1.00"), (SOL, "Charm", "", "n/a")]

    (note,) = read(tmp_path, details(csv_launch(rows=rows))).source.notes

    assert note == "left out for want of a certain metric: 1 label (Charm)"


def test_four_kinds_of_nothing_are_kept_apart(tmp_path: Path) -> None:
    section = "Command line profiler metrics"
    cells = {"a__x.sum": "n/a", "b__x.sum": "nan", "c__x.sum": "no data", "d__x.sum": "0"}
    rows = [(section, name, "", cell) for name, cell in cells.items()]

    one = read(tmp_path, details(csv_launch(rows=rows))).one

    assert "a__x.sum" not in one.metrics.keys() | one.valueless | one.nan
    assert (one.nan, one.valueless, one.metrics["d__x.sum"]) == ({"b__x.sum"}, {"c__x.sum"}, 0.0)


@pytest.mark.parametrize(
    ("issue", "eligible", "basis"),
    [("7.09", "7.09", "active"), ("5.67", "7.09", "elapsed"), ("3.00", "7.09", None)],
)
def test_sm_busy_is_named_by_what_stands_beside_it(
    issue: str, eligible: str, basis: str | None, tmp_path: Path
) -> None:
    """Its label stayed when it changed from active to elapsed cycles."""
    rows = [
        (COMPUTE, "Issue Slots Busy", "%", issue),
        (COMPUTE, "SM Busy", "%", "8.81"),
        ("Scheduler Statistics", "One or More Eligible", "%", eligible),
        (SOL, "SM Active Cycles", "cycle", "80.00"),
        (SOL, "Elapsed Cycles", "cycle", "100"),
    ]

    one = read(tmp_path, details(csv_launch(rows=rows))).one

    assert {name: v for name, v in one.metrics.items() if name.startswith(BUSY)} == (
        {BUSY + basis: 8.81} if basis else {}
    )


def test_rules_come_with_kind_scope_and_plain_text(tmp_path: Path) -> None:
    text = 'See the Guide (https://docs.nvidia.com/a#b), "now",\nor later.'
    rules = [("SpeedOfLight", "SOLBottleneck", "OPT", text, "global", "12.5")]
    rules += [("Occupancy", "Occupancy", kind, "x", "", "") for kind in ("INF", "WRN", "ERR", "")]

    first, *others = read(tmp_path, details(csv_launch(rules=rules))).one.rules

    assert (first.rule, first.section, first.kind) == (
        "SOLBottleneck",
        "SpeedOfLight",
        "optimization",
    )
    assert first.text == 'See the Guide, "now",\nor later.'
    assert (first.speedup_pct, first.scope) == (12.5, "global")
    assert [one.kind for one in others] == ["ok", "warning", "error", "none"]


def test_rule_rows_of_old_versions_belong_to_their_launch(tmp_path: Path) -> None:
    """Up to 2022.3 they have the context in place of the stream."""
    rules = [("SpeedOfLight", "SOLBottleneck", "WRN", "x", "", "")]
    text = details(csv_launch(rules=rules)).replace('"7",', '"1",').replace('"1","1"', '"1","7"', 1)

    assert len(read(tmp_path, text).one.rules) == 1


def test_the_branch_ratio_is_no_percentage_whatever_its_unit_says(tmp_path: Path) -> None:
    rows = [("Source Counters", "Branch Instructions Ratio", "%", "0.14")]

    one = read(tmp_path, details(csv_launch(rows=rows))).one

    assert one.metrics["derived__smsp__inst_executed_op_branch_pct"] == 0.14


def test_a_lost_unit_is_the_base_unit_and_said_so(tmp_path: Path) -> None:
    got = read(tmp_path, details(csv_launch(rows=[(SOL, "Duration", "", "129760")])))

    assert got.one.metrics[TIME] == 129760
    assert got.source.notes == [f"no unit given for 1 metric ({TIME}): base units assumed"]


def test_a_lost_unit_is_not_assumed_where_the_value_had_one(tmp_path: Path) -> None:
    got = read(tmp_path, details(csv_launch(rows=[(SOL, "Duration", "", "1.420832"), DURATION])))

    assert got.one.metrics[TIME] == pytest.approx(5410)
    assert got.source.notes[0].startswith("units unknown")


def test_without_the_column_of_units_none_is_assumed(tmp_path: Path) -> None:
    rows = [(SOL, "Duration", "", "5"), (SOL, "SM [%]", "", "22.60")]
    text = details(csv_launch(rows=rows)).replace('"Metric Unit"', '"Remark"')

    one = read(tmp_path, text).one

    assert TIME not in one.metrics
    assert one.metrics[f"sm__throughput{ELAPSED}"] == 22.6


def test_without_ids_a_metric_that_comes_again_begins_a_launch(tmp_path: Path) -> None:
    rows = [DURATION, (SOL, "Elapsed Cycles", "cycle", "100")]
    text = details(*(csv_launch(id=i, rows=rows) for i in range(3)))

    got = read(tmp_path, "\n".join(line.partition(",")[2] for line in text.splitlines()))

    assert [one.id for one in got.launches] == ["0/0/0", "0/0/1", "0/0/2"]
    assert [len(one.metrics) for one in got.launches] == [4, 4, 4]


def test_a_failed_launch_is_left_out_and_counted(tmp_path: Path) -> None:
    failed = csv_launch(
        id=1, grid="(0, 0, 0)", block="(0, 0, 0)", rows=[(SOL, "Duration", "", "n/a")]
    )

    got = read(tmp_path, details(csv_launch(), failed, csv_launch(id=2)))

    assert [one.id for one in got.launches] == ["0/0/0", "0/0/2"]
    assert (got.source.complete, got.source.lost_launches) == (False, 1)
    assert got.source.notes == ["1 launch failed to be profiled: left out"]


def test_a_range_has_no_shape_but_numbers(tmp_path: Path) -> None:
    one = read(tmp_path, details(csv_launch(grid="(0, 0, 0)", block="(0, 0, 0)"))).one

    assert (one.workload, one.grid) == ("range", None)


def test_the_grid_of_old_versions_counts_threads(tmp_path: Path) -> None:
    rows = [("Launch Statistics", "Grid Size", "", "1220")]

    one = read(tmp_path, details(csv_launch(grid="(156160, 1, 1)", rows=rows))).one

    assert one.grid == (1220, 1, 1)


def test_a_sorted_copy_gives_whole_launches_in_their_first_order(tmp_path: Path) -> None:
    rows = [DURATION, (SOL, "Elapsed Cycles", "cycle", "100"), (SOL, "SM [%]", "%", "5.00")]
    head, *lines = details(*(csv_launch(id=i, rows=rows) for i in range(3))).splitlines()

    got = read(tmp_path, "\n".join([head, *sorted(lines, key=lambda line: line.split('"')[-3])]))

    assert [one.id for one in got.launches] == ["0/0/0", "0/0/1", "0/0/2"]
    assert [len(one.metrics) for one in got.launches] == [5, 5, 5]


def test_rows_that_come_too_late_are_counted(tmp_path: Path) -> None:
    launches = [csv_launch(id=i) for i in range(300)]

    got = read(tmp_path, details(*launches, csv_launch(id=0)))

    assert len(got.launches) == 300
    assert not got.source.complete
    assert "1 row of launches that had ended long before" in got.source.notes[0]


def test_a_header_without_rows_is_refused(tmp_path: Path) -> None:
    assert "has a header but no rows" in refused(tmp_path, details())


@settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(seed=st.integers(0, 10**6), index=st.booleans())
def test_the_order_of_the_columns_does_not_matter(seed: int, index: bool, tmp_path: Path) -> None:
    launches = [csv_launch(id=i, kernel=f"f{i}(int, float *)") for i in range(2)]
    rows = [[*one.identity(), *row] for one in launches for row in one.rows]
    order = list(range(len(IDENTITY) + len(METRIC)))
    random.Random(seed).shuffle(order)
    out = io.StringIO()
    table = csv.writer(out)
    for number, row in enumerate([[*IDENTITY, *METRIC], *rows]):
        first = ["" if number == 0 else str(number - 1)] if index else []
        table.writerow(first + [row[i] for i in order])

    shuffled = read(tmp_path, out.getvalue()).launches

    plain = quoted((*IDENTITY, *METRIC)) + "\n" + "\n".join(map(quoted, rows))
    assert shuffled == read(tmp_path, plain).launches

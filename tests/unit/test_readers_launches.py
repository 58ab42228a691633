"""What a launch of a report file becomes."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from fixtures.report_writer import Float32, Rule, Uint32, Workload, launch, write_report

from ncu_triage.model import Launch
from ncu_triage.readers.open import open_report

Reader: TypeAlias = Callable[..., list[Launch]]

OPCODES = "sass__inst_executed_per_opcode"


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    def reader(*launches: Workload, source_index: int = 0, **overrides: object) -> list[Launch]:
        path = write_report(tmp_path / "r.ncu-rep", launches, **overrides)
        return list(open_report(path, source_index).launches())

    return reader


def test_an_id_is_source_range_action_in_file_order(read: Reader) -> None:
    launches = read(
        launch(name="a", process=1), launch(name="b", process=2, context=9), source_index=3
    )

    assert [(one.id, one.name, one.process) for one in launches] == [
        ("3/0/0", "a", 1),
        ("3/0/1", "b", 2),
    ]


def test_values_come_as_floats_and_texts_in_base_units(read: Reader) -> None:
    metrics = {
        "count": 7,
        "double": 0.25,
        "single": Float32(0.5),
        "short": Uint32(3),
        "list": "a,b",
        "huge": 2**53 + 1,
    }

    (one,) = read(launch(metrics=metrics))

    assert one.metrics == {**metrics, "huge": 2.0**53}
    assert all(isinstance(value, float | str) for value in one.metrics.values())
    assert not any(isinstance(value, int) for value in one.metrics.values())


def test_what_has_no_value_is_not_zero(read: Reader) -> None:
    (one,) = read(launch(metrics={"a": 1, "none": None, "nan": math.nan, "inf": -math.inf}))

    assert one.metrics == {"a": 1.0}
    assert one.valueless == {"none"}
    assert one.nan == {"nan", "inf"}


def test_only_lists_by_opcode_are_decoded(read: Reader) -> None:
    (one,) = read(
        launch(
            metrics={OPCODES: 12},
            histograms={OPCODES: {"FFMA": 8, "MOV": 4}, "other_by_name": {"x": 1}},
            instances={"inst_executed": {16: 5, 32: 6}},
        )
    )

    assert one.histograms == {OPCODES: {"FFMA": 8.0, "MOV": 4.0}}
    assert one.metrics == {OPCODES: 12.0}
    assert one.valueless == {"other_by_name", "inst_executed"}


def test_grid_and_block_are_the_metrics_where_the_message_counts_threads(read: Reader) -> None:
    dims = {f"launch__{what}_dim_{axis}": 2 for what in ("grid", "block") for axis in "xyz"}

    own, other, none = read(
        launch(grid=(4, 5, 1), block=(32, 1, 1), metrics={"launch__device_id": 3}),
        launch(grid=(64, 64, 64), block=None, metrics=dims),
        launch(grid=(0, 0, 0), block=(0, 0, 0)),
    )

    assert (own.grid, own.block, own.device) == ((4, 5, 1), (32, 1, 1), 3)
    assert (other.grid, other.block) == ((2, 2, 2), (2, 2, 2))
    assert (none.grid, none.block, none.device) == (None, None, 0)


def test_a_grid_that_old_versions_count_in_threads_is_shown_in_blocks(read: Reader) -> None:
    metrics = {"launch__grid_size": 6}
    threads, blocks, neither = read(
        launch(grid=(64, 6, 1), block=(32, 2, 1), metrics=metrics),
        launch(grid=(6, 1, 1), block=(32, 1, 1), metrics=metrics),
        launch(grid=(64, 2, 1), block=(32, 1, 1), metrics=metrics),
    )
    assert (threads.grid, blocks.grid, neither.grid) == ((2, 3, 1), (6, 1, 1), None)


def test_a_program_may_name_its_context_and_its_streams(read: Reader) -> None:
    named: dict[str, Any] = {"context_name": "solver", "stream_name": "copies"}
    kinds = ("kernel", "range", "graph", "cmdlist")
    launches = read(*(launch(kind=kind, **named) for kind in kinds))
    assert {one.workload: (one.context_name, one.stream_name) for one in launches} == {
        "kernel": ("solver", "copies"),
        "range": ("solver", None),
        "graph": ("solver", "copies"),
        "cmdlist": ("solver", "copies"),
    }
    (unnamed,) = read(launch())
    assert (unnamed.context_name, unnamed.stream_name) == (None, None)


def test_an_absurd_number_is_no_device(read: Reader) -> None:
    (one,) = read(launch(metrics={"launch__device_id": 1e300}))

    assert one.device is None


def test_an_empty_demangled_name_gives_way_to_the_function(read: Reader) -> None:
    bare, full = read(launch(name="f", demangled=""), launch(name="f", demangled="f(int)"))

    assert (bare.name, bare.demangled) == ("f", "f")
    assert (full.name, full.demangled) == ("f", "f(int)")


def test_every_kind_of_workload_is_read(read: Reader) -> None:
    launches = read(
        launch(name="copy"),
        launch(kind="range"),
        launch(kind="cmdlist", name="frame", rules=[Rule()]),
        launch(kind="cmdlist", name=""),
        launch(kind="graph"),
        per_block=5,
        sources=2,
    )

    assert [(one.workload, one.name) for one in launches] == [
        ("kernel", "copy"),
        ("range", "range"),
        ("cmdlist", "frame"),
        ("cmdlist", "command list"),
        ("graph", "graph"),
    ]
    assert [one.grid is None for one in launches] == [False, True, True, True, True]
    assert [one.stream for one in launches] == [7, None, 7, 7, 7]
    assert [len(one.rules) for one in launches] == [0, 0, 1, 0, 0]


def test_nvtx_names_are_those_of_the_launching_thread(read: Reader) -> None:
    (one,) = read(
        launch(thread=5, push_pop={5: ["step", "forward"], 6: ["loader"]}, start_end=["epoch"])
    )

    assert one.nvtx == ("step", "forward", "epoch")


def test_rules_come_with_their_gain_and_plain_text(read: Reader) -> None:
    rule, odd = read(
        launch(
            rules=[
                Rule(
                    id="Stall",
                    section="WarpStateStats",
                    kind="optimization",
                    title="Long stalls",
                    text="See @section:SourceCounters:Source Counters@.",
                    speedup=12.5,
                    scope="global",
                ),
                Rule(text=None),
            ]
        ),
        launch(rules=[Rule(name="Bottleneck", title=None, speedup=math.nan)]),
    )

    (stall,) = rule.rules
    assert (stall.rule, stall.section, stall.kind) == ("Stall", "WarpStateStats", "optimization")
    assert (stall.title, stall.text) == ("Long stalls", "See Source Counters.")
    assert (stall.speedup_pct, stall.scope) == (12.5, "global")
    assert (odd.rules[0].title, odd.rules[0].speedup_pct, odd.rules[0].scope) == (
        "Bottleneck",
        None,
        None,
    )


def test_names_may_stand_in_a_later_block(read: Reader) -> None:
    (one, _) = read(launch(metrics={"a": 1}), launch(metrics={"b": 2}), names_last=True)

    assert one.metrics == {"a": 1.0}


def test_sections_are_the_collected_ones(read: Reader) -> None:
    (one,) = read(launch(sections=["SpeedOfLight", "Occupancy"]))

    assert one.sections == ("SpeedOfLight", "Occupancy")

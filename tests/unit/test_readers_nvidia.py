"""The synthetic reports are real ones: NVIDIA's own reader says the same of them."""

from __future__ import annotations

import math
from pathlib import Path

from fixtures.nvidia_reader import nvidia_view
from fixtures.report_writer import Float32, Rule, Workload, launch, write_report

from ncu_triage.model import Launch
from ncu_triage.readers.open import open_report

REPORTS: dict[str, list[Workload]] = {
    "values": [
        launch(
            metrics={"a": 1, "b": 2.5, "c": Float32(0.1), "t": "x,y", "none": None, "n": math.nan},
            histograms={"sass__inst_executed_per_opcode": {"FFMA": 3, "MOV": 4}},
            instances={"inst_executed": {16: 5}},
            sections=["SpeedOfLight", "Occupancy"],
        )
    ],
    "rules": [
        launch(
            rules=[
                Rule(kind=kind, title=f"T {kind}", text="x", speedup=1.0)
                for kind in ("none", "ok", "warning", "error", "optimization")
            ]
        )
    ],
    "one range for all": [
        launch(name="a", process=1),
        launch(name="b", process=2, context=2, stream=9),
        launch(name="c", process=1),
    ],
    "kinds": [
        launch(kind="graph"),
        launch(kind="range"),
        launch(name="k"),
        launch(kind="cmdlist", name="frame", rules=[Rule(title="T")]),
    ],
    "nvtx": [launch(push_pop={1: ["outer", "inner"], 2: ["other"]}, start_end=["epoch"])],
    "names": [launch(name="f", demangled=""), launch(name="")],
}


def ours(one: Launch) -> tuple[object, ...]:
    rules = [(r.rule, r.section, r.kind, r.title, r.text) for r in one.rules]
    values = (dict(one.metrics), one.valueless, one.nan, list(one.sections))
    return (one.id, one.name, one.workload, *values, rules, list(one.nvtx))


def test_both_readers_say_the_same(tmp_path: Path) -> None:
    paths = [
        write_report(tmp_path / f"{i}.ncu-rep", launches, sources=1)
        for i, launches in enumerate(REPORTS.values())
    ]

    theirs = nvidia_view(paths)

    for path, expected in zip(paths, theirs, strict=True):
        launches = list(open_report(path, 0).launches())
        assert [ours(one) for one in launches] == [(f"0/{one.place}", *one[1:]) for one in expected]

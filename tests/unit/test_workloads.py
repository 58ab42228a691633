"""Ranges, graphs and command lists are judged as what they are: many kernels as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.launches import A4500, kernel
from fixtures.reports_whole import mixed, moving, written

from ncu_triage.compare.build import compare
from ncu_triage.engine.bottleneck import bottleneck
from ncu_triage.engine.workload import about, about_this
from ncu_triage.model import Diagnosis
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.render import console, renderer
from ncu_triage.render.comparison_view import comparison_view
from ncu_triage.view.build import view

SHAPE_RULES = {
    *("small-grid", "tail-effect", "block-size-not-warp-multiple", "single-resident-block"),
    *("low-occupancy", "small-work-per-thread", "short-kernel", "register-spilling"),
}


@pytest.fixture
def judged(tmp_path: Path) -> Diagnosis:
    found, failures = diagnose([written(tmp_path, mixed())], rules())
    assert not failures
    return found


def test_no_rule_about_a_launchs_shape_speaks(judged: Diagnosis) -> None:
    many = [k for k in judged.kernels if k.workload != "kernel"]
    assert len(many) == 4
    for one in many:
        fired = {f.rule for f in one.findings} | {u.rule for u in one.undecided}
        assert not fired & SHAPE_RULES
        assert one.absent["waves_per_sm"] == one.absent["achieved_occupancy_pct"]
        assert one.absent["waves_per_sm"] == "not-applicable"


def test_graphs_are_no_links_of_chains_and_no_tiny_launches(judged: Diagnosis) -> None:
    # `bias` reads what `scale` wrote, but a graph lies between them.
    assert judged.findings == []
    assert "fusion-candidate" not in {u.rule for u in judged.undecided}


def test_many_short_graphs_are_no_launch_overhead(tmp_path: Path) -> None:
    graphs = [moving("graph", 4 + i / 100, 1, 1, kind="graph") for i in range(20)]
    found, _ = diagnose([written(tmp_path, graphs)], rules())
    assert found.findings == []
    assert len(found.groups) == 1
    assert found.groups[0].workload == "graph"


def test_graphs_of_other_times_and_ranges_of_other_names_are_others(tmp_path: Path) -> None:
    launches = [
        moving("graph", 100, 20, 20, kind="graph"),
        moving("graph", 110, 20, 21, kind="graph"),
        moving("graph", 500, 90, 91, kind="graph"),
        moving("range", 100, 21, 21, kind="range", push_pop={1: ["forward"]}),
        moving("range", 100.1, 21, 22, kind="range", push_pop={1: ["backward"]}),
    ]
    found, _ = diagnose([written(tmp_path, launches)], rules())
    assert [k.group for k in found.kernels] == [0, 0, 1, 2, 3]
    names = {row.name.short for row in view(found).table.rows}
    assert names == {"graph #1", "graph #2", "range › forward", "range › backward"}


def test_what_to_collect_asks_for_whole_graphs_again_and_filters_by_no_name(
    judged: Diagnosis,
) -> None:
    assert judged.collect_next is not None
    command = judged.collect_next.command
    assert "--graph-profiling graph" in command
    assert "--replay-mode range" in command
    assert "--kernel-name" not in command


def test_the_texts_speak_of_a_graph(judged: Diagnosis) -> None:
    short, long = (k for k in judged.kernels if k.workload == "graph")
    assert short.bottleneck.sentence.startswith("The graph runs for 4.00 µs")
    (wall,) = (f for f in long.findings if f.rule == "bandwidth-wall")
    assert wall.cause.startswith("The graph moves bytes")
    assert wall.remedies[0].startswith("Profile the kernels in the graph one by one")
    assert "this graph is done" in wall.remedies[-1]
    assert long.measurement[0].warning.startswith("many kernels are measured as one")
    assert long.roofline.note is not None
    assert long.roofline.note.startswith("an aggregate of all that ran in the graph")


def test_what_the_roofline_would_allow_is_not_told_of_averages(judged: Diagnosis) -> None:
    told = {k.workload for k in judged.kernels if k.what_if}
    assert told == {"kernel"}


def test_idle_time_in_a_range_may_lie_between_its_kernels() -> None:
    metrics = {
        **A4500,
        "gpu__time_duration.sum": 1e6,
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 20.0,
        "l1tex__throughput.avg.pct_of_peak_sustained_active": 20.0,
        "lts__throughput.avg.pct_of_peak_sustained_elapsed": 20.0,
        "sm__cycles_active.avg": 4e5,
        "gpc__cycles_elapsed.max": 1e6,
    }
    found = bottleneck(kernel(metrics, workload="range", name="range", demangled="range"))
    assert found.kind == "underfilled"
    assert "there is time between them" in found.sentence
    assert "blocks" not in found.sentence


def test_the_page_shows_no_occupancy_and_says_as_a_whole(judged: Diagnosis) -> None:
    shown = view(judged)
    cards = {card.name.short: card for card in shown.cards}
    card = cards["graph #2"]
    assert "Occupancy" not in {bar.label for bar in card.bars}
    assert {fact.label: fact.text for fact in card.facts}["Workload"] == "graph as a whole"
    assert "Shape" not in {fact.label for fact in card.facts}
    assert not any(fact.text == "does not apply" for fact in card.absent)
    assert "Occupancy" in {bar.label for bar in cards["scale"].bars}
    row = next(row for row in shown.table.rows if row.name.short == "graph #2")
    assert row.shape == "graph as a whole"
    assert row.keys[-1].text == "does not apply"
    assert "workloads limited by" in shown.verdict.headline


@pytest.mark.parametrize(
    ("kind", "begin"),
    [("graph", "The graph, taken as a whole, is"), ("cmdlist", "The command list frame, taken")],
)
def test_the_headline_of_one_workload(tmp_path: Path, kind: str, begin: str) -> None:
    found, _ = diagnose([written(tmp_path, [moving("frame", 900, 250, 250, kind=kind)])], rules())
    assert view(found).verdict.headline.startswith(begin)


def test_a_comparison_calls_them_the_same(judged: Diagnosis) -> None:
    shown = comparison_view(compare(judged, judged))
    assert "range › epoch › forward" in {row.name for row in shown.kernels}


@pytest.mark.parametrize("kind", ["html", "md", "terminal"])
def test_every_output_says_graph(judged: Diagnosis, kind: str) -> None:
    if kind == "terminal":
        text = console.render(judged, width=120)
    else:
        text = renderer(kind)(judged).decode()
    assert "workloads limited by DRAM bandwidth" in text
    assert "graph #2" in text
    assert "any kernels are measured as one" in text


def test_a_text_of_one_kernel_is_no_text_of_kernels() -> None:
    text = "The kernel waits. A kernel reads. Kernels reach 90 %; the kernels do."
    assert (
        about(text, "range")
        == "The range waits. A range reads. Kernels reach 90 %; the kernels do."
    )
    assert about(text, "kernel") == text
    assert about_this("this kernel is done", "cmdlist") == "this command list is done"

"""The rooflines as Plotly's own validators and the JSON see them."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects
import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import HOSTILE, fp64, hostile, realistic, saxpy, transpose

from ncu_triage.model import Diagnosis
from ncu_triage.render.figures import roofline
from ncu_triage.render.picture import LEFT, TOP, picture
from ncu_triage.view.axes import HEIGHT, WIDTH
from ncu_triage.view.build import view
from ncu_triage.view.shown_roof import Chart


def charts(given: Diagnosis) -> list[Chart]:
    return view(given).roofs.charts


def dots(figure: dict[str, Any]) -> list[dict[str, Any]]:
    return [trace for trace in figure["data"] if trace["meta"]["role"] == "dots"]


@pytest.mark.parametrize("given", [realistic(), diagnosis([hostile()]), diagnosis([fp64()])])
def test_plotly_accepts_every_figure(given: Diagnosis) -> None:
    for chart in charts(given):
        plotly.graph_objects.Figure(**roofline(chart))


def test_plotted_numbers_are_the_diagnosis_numbers() -> None:
    given = realistic()
    traces = [trace for chart in charts(given) for trace in dots(roofline(chart))]
    plotted = {point for t in traces for point in zip(t["x"], t["y"], strict=True)}
    assert plotted == {
        (p.intensity, p.performance)
        for kernel in given.kernels
        for p in kernel.roofline.points
        if p.precision != "bandwidth"
    }


def test_roofs_are_drawn_where_the_ceilings_are() -> None:
    (chart,) = charts(diagnosis([saxpy()]))
    nominal, achievable, compute, _ = (
        trace for trace in roofline(chart)["data"] if trace["meta"]["role"] == "roof"
    )
    assert nominal["y"][0] / nominal["x"][0] == pytest.approx(640e9)
    assert achievable["y"][0] / achievable["x"][0] == pytest.approx(589e9)
    assert compute["y"] == [15.05e12, 15.05e12]
    assert nominal["x"][1] == pytest.approx(15.05e12 / 640e9)
    assert chart.ridges[0].x == pytest.approx(15.05e12 / 640e9)


def test_plotly_gets_no_markup_from_a_report() -> None:
    texts = str([roofline(chart) for chart in charts(diagnosis([hostile()]))])
    assert HOSTILE not in texts
    assert "&lt;/script&gt;" in texts


def test_a_larger_share_of_time_is_a_larger_dot() -> None:
    (chart,) = charts(diagnosis([saxpy(), saxpy(grid=(2, 1, 1), quantities={"duration": 9e-3})]))
    large, small = chart.dots
    assert large.size > small.size >= 10


def test_the_still_picture_holds_everything_inside_its_frame() -> None:
    for chart in charts(realistic()):
        still = picture(chart)
        for spot in still.spots:
            assert LEFT <= spot.x <= LEFT + WIDTH
            assert TOP <= spot.y <= TOP + HEIGHT
        for line in still.strokes:
            assert all(LEFT - 1 <= x <= LEFT + WIDTH + 1 for x in (line.x1, line.x2))
            assert all(TOP - 1 <= y <= TOP + HEIGHT + 1 for y in (line.y1, line.y2))


def test_a_kernel_with_instructions_only_has_its_own_roofline() -> None:
    labels = [chart.label for chart in charts(diagnosis([transpose()]))]
    assert labels == ["Instructions · DRAM"]

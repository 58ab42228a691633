"""The roofline as a picture: whole in itself, and the same numbers."""

from __future__ import annotations

import struct
import sys
import xml.etree.ElementTree as xml

import pytest
from fixtures.diagnosis_builder import diagnosis, empty
from fixtures.diagnosis_cases import basic, copy, hostile_report, realistic

from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.render import svg
from ncu_triage.view.build import view

SVG = "{http://www.w3.org/2000/svg}"


def elements(given: Diagnosis, tag: str) -> list[xml.Element]:
    return list(xml.fromstring(svg.render(given)).iter(f"{SVG}{tag}"))


def test_it_shows_the_verdict_the_roofs_and_every_dot() -> None:
    texts = [one.text for one in elements(realistic(), "text")]
    assert texts[0] == view(realistic()).verdict.headline
    assert texts[1] == "nightly.ncu-rep, roofline, Instructions · DRAM"
    dots = [one for one in elements(realistic(), "use") if "spot" in one.get("class", "")]
    chart = view(realistic()).roofs.charts[0]
    legend = len({dot.mark.kind for dot in chart.dots})
    assert len(dots) == len(chart.dots) + legend


def test_kernels_without_floating_point_work_are_bars() -> None:
    texts = [one.text for one in elements(diagnosis([copy()]), "text")]
    assert "534 GB/s of 589 GB/s achievable, 640 GB/s nominal" in texts


@pytest.mark.parametrize(("given", "why"), [(diagnosis([basic()]), "No kernel has"), (empty(), "")])
def test_without_a_place_it_says_why(given: Diagnosis, why: str) -> None:
    assert any((one.text or "").startswith(why) for one in elements(given, "text"))


def test_a_hostile_report_is_text_in_it() -> None:
    tree = xml.fromstring(svg.render(hostile_report("\x00</svg><script>alert(1)</script>")))
    tags = {one.tag.removeprefix(SVG) for one in tree.iter()}
    assert tags <= {"svg", "title", "style", "defs", "path", "rect", "text", "g", "use"}
    links = {value for one in tree.iter() for key, value in one.items() if "href" in key}
    assert all(link.startswith("#") for link in links)


def test_in_pixels_it_is_twice_as_large() -> None:
    data = svg.render_png(realistic())
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    drawn = xml.fromstring(svg.render(realistic()))
    assert (width, height) == (2 * float(drawn.get("width", 0)), 2 * float(drawn.get("height", 0)))


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(UsageError, match=r"pip install 'ncu-triage\[png\]'"):
        svg.render_png(realistic())

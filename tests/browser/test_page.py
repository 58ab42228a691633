"""The page in a real browser, opened from a file: complete, quiet, and safe."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis, empty
from fixtures.diagnosis_cases import HOSTILE, basic, hostile_report, realistic
from fixtures.diagnosis_large import different

from ncu_triage.model import Diagnosis
from ncu_triage.render import html, json_
from ncu_triage.view.build import view

Opened = Callable[..., Any]
# The table's first kernel, and a copy that was launched four times.
FIRST, COPY = "#k-0-0-0", "vectorized_elementwise_kernel<4, AddFunctor<float>, …>"


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("given", [realistic(), diagnosis([basic()]), empty(), hostile_report()])
def test_it_opens_without_complaint_and_without_network(
    opened: Opened, given: Diagnosis, static: bool
) -> None:
    tab = opened(given, static=static)
    if view(given).roofs.charts and not static:
        tab.drawn()
    assert tab.complaints == []
    address = tab.page.url
    assert all(url.startswith((address, "blob:null/", "data:")) for url in tab.requests)


def test_plotly_shows_the_numbers_of_the_json(opened: Opened) -> None:
    given = realistic()
    plotted = set()
    tab = opened(given).drawn()
    for i, chart in enumerate(view(given).roofs.charts):
        if i:
            tab.page.locator(f"label[for=pick-{chart.id}]").click()
            tab.drawn(chart.id)
        traces = tab.page.locator(f"#{chart.id} .live").evaluate(
            "(live) => live.data.filter((t) => t.meta.role === 'dots').map((t) => [t.x, t.y])"
        )
        plotted |= {point for x, y in traces for point in zip(x, y, strict=True)}
    assert plotted == {
        (p.intensity, p.performance)
        for kernel in json_.read(json_.render(given)).kernels
        for p in kernel.roofline.points
        if p.precision != "bandwidth"
    }
    assert tab.complaints == []


def test_nothing_moves_when_plotly_takes_over(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = "document.getElementById('time').getBoundingClientRect().top + scrollY"
    shifted = (
        "new Promise((done) => new PerformanceObserver((list) => done(list.getEntries()"
        ".map((entry) => entry.value))).observe({ type: 'layout-shift', buffered: true })"
        " || setTimeout(() => done([]), 300))"
    )
    tab = opened(realistic()).drawn()
    drawn = tab.page.evaluate(below)
    assert sum(tab.page.evaluate(shifted)) == 0
    monkeypatch.setattr(html, "packed", lambda: None)
    assert opened(realistic()).page.evaluate(below) == drawn


def test_another_roofline_is_picked_with_the_keyboard(opened: Opened) -> None:
    tab = opened(realistic()).drawn()
    tab.page.locator("#pick-roof-0").focus()
    tab.page.keyboard.press("ArrowRight")
    tab.drawn("roof-1")
    assert not tab.page.locator("#roof-0").is_visible()


def test_a_hostile_report_runs_nothing(opened: Opened) -> None:
    tab = opened(hostile_report()).drawn()
    tab.page.evaluate("() => { window.alert = () => { document.title = 'pwned' }; }")
    # Hovering lets Plotly set the name as what it takes for HTML.
    tab.page.evaluate(
        "Plotly.Fx.hover(document.querySelector('.live'), [{ curveNumber: 4, pointNumber: 0 }])"
    )
    assert "onerror" in tab.page.locator(".hoverlayer").first.text_content()
    assert tab.page.evaluate("document.images.length") == 0
    assert tab.page.evaluate("document.title").endswith(view(hostile_report()).verdict.headline)
    assert HOSTILE in tab.page.locator("#cards").text_content()
    assert tab.complaints == []


def test_a_click_on_a_mark_goes_to_its_card(opened: Opened) -> None:
    tab = opened(realistic()).drawn()
    # Plotly's own layer lies above the marks, so the mouse goes where the mark is.
    mark = tab.page.locator("#roof-0 .points path").first
    mark.scroll_into_view_if_needed()
    box = mark.bounding_box()
    tab.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    anchor = f"#{view(realistic()).roofs.charts[0].dots[0].name.anchor}"
    tab.page.wait_for_url(f"**/*{anchor}")
    assert abs(tab.page.locator(anchor).bounding_box()["y"]) < 900


def test_a_click_on_a_mark_works_without_script(opened: Opened) -> None:
    tab = opened(realistic(), static=True)
    tab.page.locator("#roof-0 svg a use").first.click()
    assert tab.page.url.endswith(view(realistic()).roofs.charts[0].dots[0].name.anchor)


@pytest.mark.parametrize("script", [True, False])
def test_the_points_are_downloaded_as_csv(opened: Opened, script: bool) -> None:
    tab = opened(realistic(), script=script)
    with tab.page.expect_download() as caught:
        tab.page.get_by_text("Download all points as CSV").click()
    assert caught.value.suggested_filename == "nightly.ncu-rep-roofline.csv"
    rows = list(csv.reader(io.StringIO(caught.value.path().read_text())))
    dots = [dot for chart in view(realistic()).roofs.charts for dot in chart.dots]
    numbers = {float(cell) for row in rows[1:] for cell in row[4:] if cell}
    assert numbers == {value for dot in dots for value in (dot.x, dot.y)}


def test_the_table_sorts_by_number_with_missing_ones_last(opened: Opened) -> None:
    tab = opened(realistic())
    head = tab.page.locator("#kernel-table thead button")
    column = head.filter(has_text="DRAM")
    column.click()
    assert tab.rows()[0].startswith("vectorized")
    column.click()
    assert tab.rows()[0].startswith("DeviceScanInitKernel")
    assert tab.page.locator("th[aria-sort=ascending]").inner_text().startswith("DRAM")
    head.filter(has_text="L2").click()
    assert tab.rows()[-1] == "reduce<512u>"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"name": "at::native"}, [COPY]),
        ({"kind": "compute-pipe"}, ["Sobel"]),
        ({"rule": "stall mio throttle"}, ["transposeCoalesced"]),
        ({"kind": "dram-bandwidth", "name": "VECTOR"}, [COPY]),
        ({"name": "nothing is called so"}, []),
    ],
)
def test_the_table_filters(opened: Opened, fields: dict[str, str], found: list[str]) -> None:
    tab = opened(realistic())
    for field, value in fields.items():
        control = tab.page.locator(f"#filter [name={field}]")
        if field == "name":
            control.fill(value)
        else:
            control.select_option(label=value) if field == "rule" else control.select_option(value)
    assert tab.rows() == found
    assert tab.page.locator("#filter output").text_content() == f"{len(found)} of 6 kernels"


def test_a_long_name_is_told_on_demand(opened: Opened) -> None:
    tab = opened(realistic())
    link = tab.page.locator("#kernel-table a.name", has_text="vectorized")
    link.hover()
    assert "at::native::AddFunctor<float>" in link.get_attribute("title")


@pytest.mark.parametrize("anchor", ["k-0-0-1", "k-0-0-5"])
def test_a_link_to_a_launch_opens_what_it_lies_in(opened: Opened, anchor: str) -> None:
    tab = opened(realistic(), anchor=f"#{anchor}")
    tab.page.locator(f"#{anchor}").wait_for()
    assert abs(tab.page.locator(f"#{anchor}").bounding_box()["y"]) < 900


@pytest.mark.parametrize("static", [False, True])
def test_without_script_everything_is_there(opened: Opened, static: bool) -> None:
    tab = opened(realistic(), script=False, static=static)
    assert tab.page.locator("#roof-0 .plot > svg").bounding_box()["height"] > 300
    assert not tab.page.locator("#filter").is_visible()
    assert tab.page.locator("#kernel-table tbody tr").count() == 6
    tab.page.locator("label[for=pick-roof-1]").click()
    assert tab.page.locator("#roof-1 .plot > svg").is_visible()
    assert tab.complaints == []


@pytest.mark.parametrize("width", [400, 800, 1400, 2200])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_the_window_and_shows_something(opened: Opened, width: int, dark: bool) -> None:
    tab = opened(realistic(), size=(width, 900), dark=dark).drawn()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
    assert len(tab.page.screenshot()) > 20_000
    paper = tab.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_the_kernel_table_fits_a_window_of_1200_pixels(opened: Opened) -> None:
    # Without a scroll bar of its own, although the window has one.
    tab = opened(realistic(), size=(1185, 900))
    box = "document.querySelector('#kernels .scroll')"
    assert tab.page.evaluate(f"{box}.scrollWidth - {box}.clientWidth") == 0


def test_on_paper_what_is_folded_is_open_and_what_is_clicked_is_gone(opened: Opened) -> None:
    tab = opened(realistic(), dark=True).drawn()
    tab.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    tab.page.emulate_media(media="print")
    assert not tab.page.locator("nav").is_visible()
    assert tab.page.locator("#roof-0 .plot > svg").is_visible()
    assert not tab.page.locator("#roof-0 .live").is_visible()
    assert not tab.page.locator("#filter").is_visible()
    assert tab.page.locator(f"{FIRST} .places, {FIRST} .remedies").first.is_visible()
    assert tab.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert tab.page.pdf()[:5] == b"%PDF-"


def test_a_thousand_kernels_are_told_and_sorted_quickly(opened: Opened) -> None:
    page = html.render(different(1000))
    assert len(page) < 6_000_000
    usable = []
    for _ in range(3):
        tab = opened(page)
        usable.append(
            tab.page.evaluate("performance.getEntriesByType('navigation')[0].domInteractive")
        )
    assert min(usable) < 2000
    tab.drawn()
    spent = tab.page.evaluate(
        "(() => { const t = performance.now(); "
        "document.querySelector('#kernel-table thead button').click(); "
        "document.body.offsetHeight; return performance.now() - t; })()"
    )
    assert spent < 1000
    tab.page.locator("#filter [name=name]").fill("Sobel_998")
    assert tab.rows() == ["Sobel_998"]
    assert tab.complaints == []

"""The page in a real browser, opened from a file: complete, quiet, and safe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chromium import Browser, browser, executable
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import basic, hostile, realistic, tiny, transpose

from ncu_triage.model import Diagnosis
from ncu_triage.render import html
from ncu_triage.view.build import view

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(executable() is None, reason="no Chromium on this machine"),
]
DRAWN = "!!document.querySelector('.live[data-ready] .main-svg')"


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture
def opened(tab: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Return a function that writes a page and opens it from the disk."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def open_page(given: Diagnosis, anchor: str = "", **screen: object) -> str:
        path = tmp_path / "diag.html"
        path.write_bytes(html.render(given))
        tab.open(f"{path.as_uri()}{anchor}", **screen)
        return path.as_uri()

    return open_page


@pytest.mark.parametrize("given", [realistic(), diagnosis([basic()]), diagnosis([])])
def test_it_opens_without_complaint_and_without_network(
    tab: Browser, opened: Callable[..., str], given: Diagnosis
) -> None:
    address = opened(given)
    if view(given).roofs.charts:
        tab.wait_for(DRAWN)
    assert tab.complaints() == []
    assert all(url.startswith((address, "blob:null/", "data:")) for url in tab.requests())


def test_plotly_shows_the_numbers_of_the_view(tab: Browser, opened: Callable[..., str]) -> None:
    opened(realistic())
    tab.wait_for(DRAWN)
    dots = "document.querySelector('.live').data.filter((t) => t.meta.role === 'dots')"
    plotted = tab.run(f"{dots}.flatMap((trace) => trace.x)")
    assert sorted(plotted) == sorted(dot.x for dot in view(realistic()).roofs.charts[0].dots)
    assert tab.run("document.querySelectorAll('.plot > svg').length") == 3


def test_nothing_moves_when_plotly_takes_over(
    tab: Browser, opened: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    below = "document.getElementById('time').getBoundingClientRect().top + scrollY"
    opened(realistic())
    tab.wait_for(DRAWN)
    drawn = tab.run(below)
    monkeypatch.setattr(html, "packed", lambda: None)
    opened(realistic())
    assert tab.run(below) == drawn


def test_another_roofline_is_drawn_when_picked(tab: Browser, opened: Callable[..., str]) -> None:
    opened(realistic())
    tab.wait_for(DRAWN)
    tab.run("document.getElementById('pick-roof-1').click()")
    tab.wait_for("!!document.querySelector('#roof-1 .live[data-ready]')")
    assert tab.run("getComputedStyle(document.getElementById('roof-0')).display") == "none"
    assert tab.complaints() == []


def test_a_hostile_report_runs_nothing(tab: Browser, opened: Callable[..., str]) -> None:
    opened(diagnosis([hostile()]))
    tab.wait_for(DRAWN)
    tab.run("window.alert = () => { document.title = 'pwned' }")
    # Hovering lets Plotly set the name as what it takes for HTML.
    tab.run(
        "Plotly.Fx.hover(document.querySelector('.live'), [{ curveNumber: 4, pointNumber: 0 }])"
    )
    assert tab.run("document.images.length") == 0
    assert tab.run("document.title") != "pwned"
    assert "onerror" in tab.run("document.querySelector('.hoverlayer').textContent")
    assert tab.complaints() == []


def rows(tab: Browser) -> list[str]:
    found = tab.run(
        "[...document.querySelectorAll('#kernel-table tbody tr')]"
        ".filter((row) => !row.hidden).map((row) => row.querySelector('a').textContent)"
    )
    return list(found)


def test_the_table_sorts_by_number_with_missing_ones_last(
    tab: Browser, opened: Callable[..., str]
) -> None:
    opened(realistic())
    buttons = "[...document.querySelectorAll('#kernel-table thead button')]"
    column = f"{buttons}.find((button) => button.textContent.startsWith('DRAM'))"
    tab.run(f"{column}.click()")
    assert rows(tab)[0].startswith("vectorized")
    tab.run(f"{column}.click()")
    assert rows(tab)[0].startswith("DeviceScanInitKernel")
    assert tab.run(f"{column}.parentElement.getAttribute('aria-sort')") == "ascending"
    l2 = column.replace("DRAM", "L2")
    tab.run(f"{l2}.click()")
    assert rows(tab)[-1] == "reduce<512u>"


@pytest.mark.parametrize(
    ("field", "value", "found"),
    [
        ("name", "at::native", ["vectorized_elementwise_kernel<4, AddFunctor<float>, …>"]),
        ("kind", "compute-pipe", ["Sobel"]),
        ("rule", "stall-mio-throttle", ["transposeCoalesced"]),
        ("name", "nothing is called so", []),
    ],
)
def test_the_table_filters(
    tab: Browser, opened: Callable[..., str], field: str, value: str, found: list[str]
) -> None:
    opened(realistic())
    tab.run(f"document.querySelector('#filter [name={field}]').value = '{value}'")
    tab.run("document.getElementById('filter').dispatchEvent(new Event('input'))")
    assert rows(tab) == found
    assert tab.run("document.querySelector('#filter output').value") == f"{len(found)} of 6 kernels"


@pytest.mark.parametrize("anchor", ["k-0-0-1", "k-0-0-5"])
def test_a_link_to_a_launch_opens_what_it_lies_in(
    tab: Browser, opened: Callable[..., str], anchor: str
) -> None:
    opened(realistic(), anchor=f"#{anchor}")
    tab.wait_for(f"document.getElementById('{anchor}').getBoundingClientRect().height > 0")
    tab.wait_for(
        f"Math.abs(document.getElementById('{anchor}').getBoundingClientRect().top) < innerHeight"
    )


def test_a_click_on_a_dot_goes_to_its_card(tab: Browser, opened: Callable[..., str]) -> None:
    opened(realistic())
    tab.wait_for(DRAWN)
    event = "{ points: [{ customdata: 'k-0-0-5' }] }"
    tab.run(f"document.querySelector('.live').emit('plotly_click', {event})")
    assert tab.run("location.hash") == "#k-0-0-5"


def test_without_script_everything_is_there(tab: Browser, opened: Callable[..., str]) -> None:
    tab.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        opened(realistic())
    finally:
        tab.call("Emulation.setScriptExecutionDisabled", value=False)
    assert tab.run("document.querySelector('#roof-0 svg').getBoundingClientRect().height") > 300
    assert tab.run("document.getElementById('filter').offsetHeight") == 0
    assert tab.complaints() == []


@pytest.mark.parametrize("width", [400, 800, 1400])
@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_the_window_and_shows_something(
    tab: Browser, opened: Callable[..., str], width: int, dark: bool
) -> None:
    opened(realistic(), width=width, dark=dark)
    tab.wait_for(DRAWN)
    assert tab.run("document.documentElement.scrollWidth") <= width
    assert len(tab.screenshot(whole=False)) > 20_000
    paper = tab.run("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(21, 24, 28)" if dark else "rgb(255, 255, 255)")


def test_hundreds_of_kernels_stay_usable(tab: Browser, opened: Callable[..., str]) -> None:
    many = diagnosis([make(grid=(n, 1, 1)) for n in range(2, 302) for make in (tiny, transpose)])
    opened(many)
    tab.wait_for(DRAWN)
    spent = tab.run(
        "(() => { const t = performance.now(); "
        "document.querySelector('#kernel-table thead button').click(); "
        "document.body.offsetHeight; return performance.now() - t; })()"
    )
    assert spent < 1000
    assert tab.complaints() == []

"""The page: whole in itself, safe with hostile names, small, and complete without script."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import msgspec
import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import HOSTILE, basic, hostile, realistic, transpose
from fixtures.diagnosis_large import repeated

from ncu_triage.render import html, plotly_js
from ncu_triage.view.build import view

LOADING = {"src", "srcset", "poster", "action", "formaction", "data", "background"}


class Page(HTMLParser):
    """A page's elements: tags with their attributes, ids, scripts, and visible text."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.text = ""
        self._script: dict[str, str | None] | None = None
        self.feed(data.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = dict(attrs) if tag in ("script", "style") else None

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text += data
        else:
            self.scripts.append((self._script, data))
            self._script = None

    def with_attribute(self, name: str) -> list[str]:
        return [value for _, attributes in self.tags if (value := attributes.get(name))]


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(html.render(realistic()))


def test_nothing_is_loaded_from_anywhere(page: Page) -> None:
    loading = [(t, a) for t, a in page.tags if LOADING & a.keys()]
    assert loading == []
    links = [a["href"] for t, a in page.tags if t == "link"]
    assert links == ["data:,"]
    assert all(
        href.startswith(("#", "data:,", "data:text/csv;")) for href in page.with_attribute("href")
    )


def test_every_link_has_its_target_and_no_id_is_there_twice(page: Page) -> None:
    ids = page.with_attribute("id")
    assert len(ids) == len(set(ids))
    targets = {href[1:] for href in page.with_attribute("href") if href.startswith("#")}
    assert targets <= set(ids)
    assert set(page.with_attribute("aria-labelledby")) | set(page.with_attribute("for")) <= set(ids)


def test_headings_go_down_one_level_at_a_time(page: Page) -> None:
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_the_policy_allows_exactly_the_pages_own_script(page: Page) -> None:
    (policy,) = (a["content"] for _, a in page.tags if a.get("http-equiv"))
    (own,) = (text for attributes, text in page.scripts if attributes == {} and "figures" in text)
    digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}' 'strict-dynamic' blob:;" in str(policy)
    assert str(policy).startswith("default-src 'none'")
    assert not [a for _, a in page.tags if any(name.startswith("on") for name in a)]


def test_plotly_is_carried_whole(page: Page) -> None:
    (packed,) = (text for a, text in page.scripts if a.get("type") == "text/plain")
    script = plotly_js.script()
    assert script and gzip.decompress(base64.b64decode(packed)) == script.read_bytes()


def test_the_figures_in_the_page_are_the_views(page: Page) -> None:
    (data,) = (text for a, text in page.scripts if a.get("type") == "application/json")
    figures = msgspec.json.decode(data)
    for chart in view(realistic()).roofs.charts:
        plotted = [t for t in figures["charts"][chart.id]["data"] if t["meta"]["role"] == "dots"]
        assert sorted(x for t in plotted for x in t["x"]) == sorted(dot.x for dot in chart.dots)


def test_a_hostile_report_adds_no_element() -> None:
    data = html.render(diagnosis([hostile()]))
    assert HOSTILE.encode() not in data
    assert not [tag for tag, _ in Page(data).tags if tag == "img"]
    assert HOSTILE in Page(data).text


@pytest.mark.parametrize(
    "text",
    ["</script>", "<!--", "\u2028\u2029", "&amp;", "${alert(1)}", "'\"`"],
)
def test_json_cannot_end_its_script(text: str) -> None:
    encoded = str(html.script_json({"b": text, "a": 1}))
    assert not set("<>&\u2028\u2029") & set(encoded)
    assert msgspec.json.decode(encoded) == {"a": 1, "b": text}
    assert encoded.startswith('{"a":1')


def test_a_page_of_one_kernel_is_small() -> None:
    given = diagnosis([transpose()])
    assert len(html.render(given)) < 2_300_000
    assert len(html.render_static(given)) < 150_000


def test_ten_thousand_launches_of_a_few_kernels_are_grouped() -> None:
    data = html.render(repeated(10_000))
    assert len(data) < 12_000_000
    assert data.count(b'<article class="card') == 200


def test_a_full_name_stands_once(page: Page) -> None:
    assert page.text.count("at::native::AddFunctor<float>, std::array<char*, 3ul> >") == 1


def test_without_a_chart_plotly_stays_out() -> None:
    assert len(html.render(diagnosis([basic()]))) < 150_000


def test_the_static_page_has_no_script_and_says_the_same(page: Page) -> None:
    static = Page(html.render_static(realistic()))
    assert [tag for tag, _ in static.tags if tag == "script"] == []
    said = page.text.split()
    assert all(word in said for word in static.text.split())
    assert {"filter"} == set(page.with_attribute("id")) - set(static.with_attribute("id")) - {
        "figures",
        "plotly",
    }


def test_missing_is_said_and_never_zero() -> None:
    text = Page(html.render(diagnosis([basic()]))).text
    assert "not collected" in text
    assert "not a number: its counter failed" in text
    assert "Occupancy\n\n0" not in text


def test_a_page_without_plotly_keeps_its_still_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plotly_js, "script", lambda: None)
    data = html.render(realistic())
    assert b'id="plotly"' not in data
    assert b"<svg viewBox" in data

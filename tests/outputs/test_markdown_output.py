"""The ticket: whatever a report says stays text, and it fits a comment."""

from __future__ import annotations

import re

import pytest
from fixtures.diagnosis_builder import diagnosis
from fixtures.diagnosis_cases import basic, hostile_report, realistic, transpose
from fixtures.diagnosis_large import different
from markdown_it import MarkdownIt

from ncu_triage.render.markdown import LIMIT, render, render_full
from ncu_triage.render.marked import code, mixed, prose, table

# What GitHub's and GitLab's dialects add to CommonMark, as far as it matters here.
DIALECT = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
TAGS = re.compile(r"<(/?[a-zA-Z][\w-]*)")
OURS = {
    *("h2", "h3", "p", "strong", "em", "br", "blockquote", "ul", "ol", "li", "code"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary"),
}


def shown(text: str) -> str:
    """Return the HTML that a forge would make of it."""
    return DIALECT.render(text)


@pytest.mark.parametrize(
    "text",
    [
        "</details><img src=x onerror=alert(1)>",
        "[click](javascript:alert(1)) ![x](http://evil/x.png)",
        "a | b || c\n| d |",
        "*bold* _it_ __b__ ~~s~~ # no heading",
        "`code` ``` fence",
        "# heading",
        "- item",
        "1. item",
        "> quote",
        "&lt;script&gt; &copy; &#64;ada",
        "\\*escaped\\*",
        "line\n\n<script>alert(1)</script>",
        "===",
        "https://evil.example www.evil.example",
    ],
)
def test_a_text_comes_out_as_it_went_in(text: str) -> None:
    plain = " ".join(text.split())
    made = shown(prose(text))
    assert set(TAGS.findall(made)) == {"p", "/p"}
    said = re.sub("<[^>]*>", "", made).strip().replace("\N{WORD JOINER}", "")
    assert (
        said.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").replace("&quot;", '"')
        == plain
    )


@pytest.mark.parametrize(
    "text", ["@ada", "#12", "!3", "mail ada@example.org", "/close", "http://x.y", "&5", "$x$"]
)
def test_no_forge_takes_a_text_for_a_mention_or_an_order(text: str) -> None:
    written = prose(text)
    assert not re.search(r"[@#!]\w|&\d|^/|://|(?<!\\)\$", written)


@pytest.mark.parametrize("text", ["plain", "a`b", "``", "a|b", "<b>", "a\nb", "`"])
def test_code_keeps_its_backticks(text: str) -> None:
    made = shown(code(text))
    assert made.count("<code>") == 1
    inner = re.sub("<[^>]*>", "", made).strip()
    assert inner.replace("&lt;", "<").replace("&gt;", ">") == " ".join(text.split())


def test_code_between_backticks_and_odd_ones() -> None:
    assert mixed("pad `tile[32]` by one") == "pad `tile[32]` by one"
    assert mixed("an odd ` one") == "an odd \\` one"


def test_a_bar_does_not_end_a_cell() -> None:
    made = shown(table(("a", "b"), [(code("x|y"), prose("p | q"))]))
    assert made.count("<td>") == 2
    assert "x|y" in made and "p | q" in made


def test_a_hostile_report_adds_no_element_and_no_link() -> None:
    made = shown(render(hostile_report()).decode())
    assert {tag.lstrip("/") for tag in TAGS.findall(made)} <= OURS
    assert "href" not in made and "<img" not in made


def test_it_says_the_verdict_what_to_fix_and_each_kernel_with_its_evidence() -> None:
    text = render(realistic()).decode()
    order = [
        "51.2 % of the GPU time",
        "### What to fix first",
        "### Kernels",
        "<summary><code>transposeCoalesced</code> (grid 256 × 256, block 32 × 8): L1 / shared",
        "96.9 %** (≥ 10.0 %, of wavefronts)",
        "Pad the tile by one column: `tile[32][33]`.",
        "### What this report cannot say",
        "ncu --set full --kernel-name reduce",
        "### How it was measured",
    ]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert text.count("<details>") == text.count("</details>") == 6


def test_nothing_is_told_twice() -> None:
    text = render(diagnosis([transpose(), transpose(grid=(1, 1, 1))])).decode()
    assert text.count("Pad the tile by one column") == 1
    assert "Cause and fixes: as for `transposeCoalesced`." in text


def test_a_long_report_is_cut_and_says_so() -> None:
    given = different(300)
    text = render(given)
    assert len(text) < LIMIT == 60_000
    told = text.decode()
    cut = re.search(r"Cut here to fit a comment: (\d+) kernels more", told)
    assert cut and int(cut[1]) == 300 - told.count("<details>")
    assert "The 40 longest kernels; 260 more are not listed." in told
    assert "### How it was measured" in told
    whole = render_full(given).decode()
    assert whole.count("<details>") == 300 and "Cut here" not in whole


def test_missing_is_said() -> None:
    text = render(diagnosis([basic()])).decode()
    assert "Stalls: not collected." in text
    assert "not a number: its counter failed" in text

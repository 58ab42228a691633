"""Draw the pictures that the README and the guides show.

    PYTHONPATH=tests:tests/browser python tests/browser/pictures.py

They come from the project's own example and fixtures, never from a real report.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from conftest import executable
from fixtures.diagnosis_large import forty
from fixtures.operators_case import write_case
from msgspec.structs import replace
from playwright.sync_api import Browser, sync_playwright

from ncu_triage import api, summary
from ncu_triage.model import Diagnosis
from ncu_triage.render import html, svg

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "fixtures" / "example.ncu-rep"
TO = ROOT / "docs" / "images"


def main() -> None:
    """Draw them all."""
    example = api.diagnose(EXAMPLE)
    TO.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=["--no-sandbox"])
        _draw(browser, html.render(_one(example)), "one-kernel", 1500)
        _draw(browser, html.render(forty()), "forty-kernels", 1500, "#roofline")
        _draw(browser, html.render_static(example), "static", 1250, "#roofline")
        _draw(browser, html.render_static(_operators()), "operators", 900, "#operators")
        browser.close()
    (TO / "roofline.svg").write_bytes(svg.render(example))


def _one(example: api.Diagnosis) -> Diagnosis:
    """Keep one kernel of the example, and nothing that is about the others."""
    kernels = [kernel for kernel in example.kernels if kernel.name == "transpose_tile"]
    return replace(
        example,
        kernels=kernels,
        groups=[group for group in example.groups if group.id == kernels[0].group],
        totals=summary.totals(kernels),
        findings=[],
        priorities=[p for p in example.priorities if p.kernels == [kernels[0].id]],
        collect_next=None,
    )


def _operators() -> Diagnosis:
    with TemporaryDirectory() as folder:
        report, operators = write_case(Path(folder))
        return api.diagnose(report, operators=operators)


def _draw(browser: Browser, page: bytes, name: str, height: int, anchor: str = "") -> None:
    file = TO / f"{name}.html"
    file.write_bytes(page)
    context = browser.new_context(viewport={"width": 1200, "height": height}, offline=True)
    tab = context.new_page()
    tab.goto(file.as_uri() + anchor)
    tab.wait_for_timeout(2500)
    tab.screenshot(path=TO / f"{name}.png")
    context.close()
    file.unlink()


if __name__ == "__main__":
    main()

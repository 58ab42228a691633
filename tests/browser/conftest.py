"""A headless Chromium without network, and pages that are opened from the disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, sync_playwright

from ncu_triage.model import Diagnosis
from ncu_triage.render import html

_NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the browser, and skip it where there is none."""
    skip = pytest.mark.skipif(executable() is None, reason="no Chromium on this machine")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            item.add_marker(skip)


def executable() -> str | None:
    """Return the browser's path, or None where there is none."""
    return next((path for name in _NAMES if (path := shutil.which(name))), None)


class Tab:
    """A page, and all that happened in it: complaints, and addresses asked for."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", self._listen)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def _listen(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def drawn(self, chart: str = "roof-0") -> Tab:
        """Wait until Plotly has drawn a chart."""
        self.page.locator(f"#{chart} .live[data-ready] .main-svg").first.wait_for()
        return self

    def rows(self) -> list[str]:
        """Return the names in the kernel table as it is shown."""
        return self.page.locator("#kernel-table tbody tr:not([hidden]) a.name").all_inner_texts()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--force-color-profile=srgb"]
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        yield browser
        browser.close()


Opened = Callable[..., Tab]


@pytest.fixture
def opened(chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    """Return a function that writes a page, opens it from the disk, and returns its tab."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    contexts = []

    def open_page(  # noqa: PLR0913 - the ways to look at a page
        given: Diagnosis | bytes,
        anchor: str = "",
        *,
        static: bool = False,
        script: bool = True,
        dark: bool = False,
        size: tuple[int, int] = (1280, 900),
    ) -> Tab:
        render = html.render_static if static else html.render
        path = tmp_path / "diag.html"
        path.write_bytes(given if isinstance(given, bytes) else render(given))
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=script,
            offline=True,
        )
        contexts.append(context)
        tab = Tab(context.new_page())
        tab.page.goto(path.as_uri() + anchor)
        return tab

    yield open_page
    for context in contexts:
        context.close()

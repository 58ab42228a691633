"""What all tests share. Helpers are imported as `fixtures.<module>`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

_CORPUS = "NCU_TRIAGE_CORPUS"


@pytest.fixture(scope="session")
def corpus() -> Path:
    """Return the folder of real reports; tests that ask for it are marked `corpus`."""
    folder = Path(os.environ[_CORPUS])
    assert folder.is_dir(), f"{_CORPUS} names no folder"
    return folder


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep what the tests compile out of the user's cache, and the user's out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what needs the corpus where there is none."""
    if os.environ.get(_CORPUS):
        return
    skip = pytest.mark.skip(reason=f"set {_CORPUS} to the folder of real reports")
    for item in items:
        if item.get_closest_marker("corpus"):
            item.add_marker(skip)


def _skipped_in_ci(config: pytest.Config) -> int:
    """Count skipped tests where none may be: in the project's CI, which has everything."""
    strict = os.environ.get("CI") == "true" and os.environ.get(_CORPUS)
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    return len(reporter.stats.get("skipped", [])) if strict and reporter else 0


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a CI run that skipped something."""
    if _skipped_in_ci(session.config) and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say why a CI run failed that shows no failed test."""
    if count := _skipped_in_ci(config):
        terminalreporter.write_line(f"{count} skipped: in CI nothing may be skipped", red=True)

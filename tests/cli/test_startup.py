"""A short run imports no more than it needs, and ends at once without losing anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "example.ncu-rep"
NEVER = {
    "fsspec",
    "ncu_report",
    "numpy",
    "pandas",
    "plotly",
    "pyarrow",
    "pydantic",
    "rich",
    "sqlalchemy",
    "statistics",
    "yaml",
}
# Well above what is imported now; a library that drags in a hundred modules shows.
MOST = {"--version": 210, "json": 340, "html": 390}


def _imported(folder: Path, *words: str | Path) -> set[str]:
    """Return the modules that a second run imports; the first fills the cache."""
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "ncu_triage", *words],
            capture_output=True,
            text=True,
            check=True,
            cwd=folder,
        )
    return set(re.findall(r"^import time: .*\|\s+([\w.]+)$", done.stderr, re.MULTILINE))


@pytest.mark.parametrize("kind", ["--version", "json", "html"])
def test_only_what_is_needed_is_imported(kind: str, tmp_path: Path) -> None:
    words = [kind] if kind == "--version" else [EXAMPLE, "-o", tmp_path / f"out.{kind}"]
    found = _imported(tmp_path, *words)
    assert "ncu_triage.cli.show_options" in found
    assert sorted({name.partition(".")[0] for name in found} & NEVER) == []
    assert len(found) <= MOST[kind], sorted(found)


def test_a_pipe_gets_everything_before_the_process_ends() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ncu_triage", EXAMPLE, "no-such-file", "--format", "json"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stdout.startswith(b"{") and done.stdout.rstrip().endswith(b"}")
    assert b"no-such-file" in done.stderr


def test_whoever_asked_to_be_told_of_the_end_is_told() -> None:
    program = (
        "import atexit, sys; atexit.register(print, 'the end');"
        f"sys.argv = ['ncu-triage', {str(EXAMPLE)!r}];"
        "from ncu_triage.cli.entry import entry; entry()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout.endswith(b"the end\n")

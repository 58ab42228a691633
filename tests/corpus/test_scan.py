"""A scan over all real reports and all broken ones."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ncu_triage.errors import InputError
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.readers.open import open_report

pytestmark = pytest.mark.corpus


class Scanned(NamedTuple):
    """The scan that all tests look at."""

    out: Path
    code: int
    log: list[str]
    seconds: float

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows of the index."""
        loaded: list[dict[str, Any]] = json.loads((self.out / "index.json").read_text())["reports"]
        return loaded


@pytest.fixture(scope="module")
def scanned(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Scanned:
    out = tmp_path_factory.mktemp("scan") / "out"
    command = [sys.executable, "-m", "ncu_triage", "scan", corpus / "rep", corpus / "bad"]
    began = time.perf_counter()
    done = subprocess.run([*command, "-o", out], capture_output=True, text=True, check=False)
    return Scanned(out, done.returncode, done.stderr.splitlines(), time.perf_counter() - began)


def test_every_good_file_is_judged_and_every_bad_one_has_its_reason(
    scanned: Scanned, corpus: Path
) -> None:
    assert scanned.code == 3
    by_name = {name: row for row in scanned.rows for name in row["names"]}
    files = [*(corpus / "rep").iterdir(), *(corpus / "bad").iterdir()]
    assert set(by_name) == {f"{path.parent.name}/{path.name}" for path in files}
    for path in files:
        row = by_name[f"{path.parent.name}/{path.name}"]
        readable = not diagnose([path], rules())[1]
        assert (row["loss"] is None) == readable, path.name
        assert readable or (row["loss"] == "unreadable" and len(row["reason"]) > 20)
        assert path.parent.name == "bad" or readable


def test_what_was_cut_says_so(scanned: Scanned) -> None:
    cut = [row for row in scanned.rows if "bad/multi-cut" in row["names"][0]]
    assert len(cut) == 4
    assert all(not row["complete"] and row["notes"] for row in cut)


def test_each_content_is_judged_once(scanned: Scanned) -> None:
    contents = [row["sha256"] for row in scanned.rows if row["sha256"]]
    assert len(contents) == len(set(contents))
    assert len(scanned.log) == len(scanned.rows)


def test_every_page_is_whole_and_shares_the_script(scanned: Scanned) -> None:
    pages = sorted((scanned.out / "reports").glob("*.html"))
    assert len(pages) == sum(row["loss"] is None for row in scanned.rows)
    assert all(page.read_bytes().rstrip().endswith(b"</html>") for page in pages)
    assert sum(page.stat().st_size for page in pages) < 60e6


def test_the_data_is_what_a_single_run_gives(scanned: Scanned, corpus: Path) -> None:
    from ncu_triage.render import json_

    for row in [row for row in scanned.rows if row["data"]][::20]:
        diagnosis, _ = diagnose([corpus / row["names"][0]], rules())
        assert (scanned.out / row["data"]).read_bytes() == json_.render(diagnosis)


def test_the_second_run_takes_a_fraction(scanned: Scanned, corpus: Path) -> None:
    command = [sys.executable, "-m", "ncu_triage", "scan", corpus / "rep", corpus / "bad"]
    began = time.perf_counter()
    done = subprocess.run(
        [*command, "-o", scanned.out], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert not any(line.startswith("judged") for line in done.stderr.splitlines())
    assert time.perf_counter() - began < max(2.0, scanned.seconds / 2)


def test_csv_exports_are_found_by_content(corpus: Path, tmp_path: Path) -> None:
    folder = corpus / "csv"
    command = [sys.executable, "-m", "ncu_triage", "scan", folder, "-o", tmp_path / "out"]
    subprocess.run(command, capture_output=True, check=False)
    rows = json.loads((tmp_path / "out" / "index.json").read_text())["reports"]
    taken = {name for row in rows for name in row["names"]}
    for path in (p for p in folder.rglob("*") if p.is_file()):
        if _is_profile(path):
            assert str(path.relative_to(folder)) in taken


def _is_profile(path: Path) -> bool:
    try:
        return any(True for _ in open_report(path, 0).launches())
    except InputError:
        return False

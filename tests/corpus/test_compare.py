"""Real pairs: what was removed between them is named."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.compare.comparison import Comparison, KernelChange
from ncu_triage.model import Diagnosis
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.render.comparison_outputs import COMPARISON_OUTPUTS, comparison_renderer

pytestmark = pytest.mark.corpus
# What names a cause of the pairs' table, where it is not the rule of that name: rules that
# went, or themes of the explanation. C3 has no counters that could show its cause.
NAMES = {
    "barrier/unroll": {"barrier-stalls"},
    "fp64-division": {"fp64", "math-pipe-bound"},
    "fp64-on-weak-gpu": {"fp64-on-weak-gpu", "fp64"},
    "more-reuse/tiling": {"no-data-reuse", "shared-memory"},
    "non-vectorised": {"scalar-loads"},
    "small-grid": {"small-grid"},
}


@cache
def _diagnosis(path: Path) -> Diagnosis:
    diagnosis, failures = diagnose([path], rules())
    assert not failures
    return diagnosis


def _side(corpus: Path, row: dict[str, str], side: str) -> Diagnosis:
    """Return a diagnosis of the one launch that a row speaks of."""
    whole = _diagnosis(corpus / "rep" / row[f"{side}_file"])
    id = f"0/{row[f'{side}_range']}/{row[f'{side}_action']}"
    return replace(whole, kernels=[k for k in whole.kernels if k.id == id])


def _rows(corpus: Path, table: str = "pairs.csv") -> list[dict[str, str]]:
    with (corpus.parent / "labels" / table).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _comparison(corpus: Path, row: dict[str, str]) -> Comparison:
    return compare(_side(corpus, row, "before"), _side(corpus, row, "after"))


def _named(kernel: KernelChange) -> set[str]:
    """Return what a comparison names: rules that went, and the themes that it tells."""
    gone = {finding.rule for finding in kernel.findings if finding.fate == "gone"}
    return gone | {theme.id for theme in kernel.explanation}


def test_the_removed_cause_is_named_in_every_trusted_pair(corpus: Path) -> None:
    missed, clean = [], 0
    for row in _rows(corpus):
        if row["trust"] != "yes":
            continue
        clean += 1
        (kernel,) = _comparison(corpus, row).kernels
        cause = row["cause_removed"]
        if not NAMES.get(cause, {cause}) & _named(kernel):
            missed.append((row["pair_id"], cause, sorted(_named(kernel))))
    assert clean >= 16
    assert not missed


def test_every_pair_is_recognised_and_its_time_is_that_of_the_table(corpus: Path) -> None:
    for row in _rows(corpus):
        (kernel,) = _comparison(corpus, row).kernels
        assert kernel.time is not None
        ratio = float(row["duration_after_us"]) / float(row["duration_before_us"])
        assert kernel.time.change_pct == pytest.approx(100 * (ratio - 1), abs=0.01)


def test_no_change_and_regressions_are_called_so(corpus: Path) -> None:
    verdicts = {"improvement": "faster", "regression": "slower", "no change": "same"}
    # 6.5 % of one launch each is within the spread that one launch is assumed to have.
    unsure = {"P5": "same"}
    for row in _rows(corpus, "pairs_more.csv"):
        (kernel,) = _comparison(corpus, row).kernels
        assert kernel.change is not None
        expected = unsure.get(row["pair_id"], verdicts[row["trust"]])
        assert kernel.change.verdict == expected, row["pair_id"]


def test_whole_reports_of_one_program_are_matched_kernel_by_kernel(corpus: Path) -> None:
    folder = corpus / "rep"
    found = compare(
        _diagnosis(folder / "v100sxm232gb-2022.2-0295a32.ncu-rep"),
        _diagnosis(folder / "v100sxm232gb-2022.2-d28c9cf.ncu-rep"),
    )
    assert {k.match.how for k in found.kernels} == {"name-and-shape"}
    assert not found.only_before and not found.only_after
    assert found.totals.change is not None
    assert found.totals.change.change_pct == pytest.approx(-17.7, abs=0.1)
    # Four of the five were not touched, and none of them is called faster or slower.
    assert [k.change.verdict for k in found.kernels if k.change].count("same") == 4


def test_a_report_against_itself_never_changed(corpus: Path) -> None:
    for path in sorted((corpus / "rep").glob("*.ncu-rep"))[::9]:
        found = compare(_diagnosis(path), _diagnosis(path))
        assert {k.match.confidence for k in found.kernels} <= {"high"}
        assert not found.only_before and not found.only_after
        for kernel in found.kernels:
            assert not kernel.change or kernel.change.verdict == "same"
            assert not kernel.explanation and kernel.bottleneck is None


@pytest.mark.parametrize("kind", COMPARISON_OUTPUTS)
def test_real_comparisons_have_every_output(
    corpus: Path, kind: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for row in _rows(corpus)[::4]:
        assert comparison_renderer(kind)(_comparison(corpus, row), None)

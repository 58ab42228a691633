"""Real kernels: NVIDIA's samples, and the diagnoses of two experts."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from ncu_triage.model import Finding, KernelDiagnosis
from ncu_triage.pipeline import diagnose, rules

pytestmark = pytest.mark.corpus
ASSERTED = ("high", "medium", "low")


@cache
def _kernels(path: Path) -> dict[str, KernelDiagnosis]:
    diagnosis, failures = diagnose([path], rules())
    assert not failures
    return {kernel.id: kernel for kernel in diagnosis.kernels}


@pytest.fixture
def sample(corpus: Path) -> Callable[[str], KernelDiagnosis]:
    def find(name: str) -> KernelDiagnosis:
        (kernel,) = _kernels(corpus / "rep" / f"sample-{name}.ncu-rep").values()
        return kernel

    return find


def _finding(kernel: KernelDiagnosis, rule: str) -> Finding | None:
    return next((f for f in kernel.findings if f.rule == rule), None)


def test_the_conflicted_transpose(sample: Callable[[str], KernelDiagnosis]) -> None:
    kernel = sample("transposeCoalesced-a4500")
    assert kernel.bottleneck.kind == "l1-shared-bandwidth"
    first = kernel.findings[0]
    assert first.rule == "bank-conflicts"
    assert kernel.quantities["shared_load_ways"] == pytest.approx(32, abs=0.5)
    assert first.gain is not None
    # The padded twin saves 29.8 %; NVIDIA's estimate is 87.
    assert first.gain.expected_pct == pytest.approx(30, abs=3)
    assert first.gain.at_most_pct < 50


@pytest.mark.parametrize(
    "name",
    ["transposeNoBankConflicts-a4500", "addConstDouble-a4500", "addConstDouble3-a4500"],
)
def test_at_the_bandwidth_wall_no_better_access_is_promised(
    sample: Callable[[str], KernelDiagnosis], name: str
) -> None:
    kernel = sample(name)
    assert kernel.bottleneck.kind == "dram-bandwidth"
    assert _finding(kernel, "bandwidth-wall") is not None
    for rule in ("uncoalesced-access", "bank-conflicts"):
        finding = _finding(kernel, rule)
        assert finding is None or finding.severity == "info"


def test_the_strided_add_on_a_small_card(sample: Callable[[str], KernelDiagnosis]) -> None:
    kernel = sample("addConstDouble3-a2000")
    assert kernel.bottleneck.kind in ("l1-shared-bandwidth", "dram-bandwidth")
    finding = _finding(kernel, "uncoalesced-access")
    assert finding is not None and finding.severity in ASSERTED
    assert finding.gain is not None
    # The coalesced twin saves 18.8 %.
    assert finding.gain.expected_pct == pytest.approx(19, abs=3)


def test_double_precision_on_a_weak_gpu(sample: Callable[[str], KernelDiagnosis]) -> None:
    finding = _finding(sample("sobelDouble-a4500"), "fp64-on-weak-gpu")
    assert finding is not None and finding.severity == "high"


def test_too_many_instructions_are_not_bad_access(
    sample: Callable[[str], KernelDiagnosis],
) -> None:
    kernel = sample("sobelFloat-a4500")
    assert kernel.bottleneck.kind == "issue-bound"
    assert _finding(kernel, "uncoalesced-access") is None


def _labels(corpus: Path) -> list[dict[str, str]]:
    with (corpus.parent / "labels" / "kernels.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _labelled(corpus: Path, row: dict[str, str]) -> KernelDiagnosis:
    kernels = _kernels(corpus / "rep" / row["file"])
    return kernels[f"0/{row['range']}/{row['action']}"]


def test_the_bottleneck_is_one_that_an_expert_would_defend(corpus: Path) -> None:
    rows = _labels(corpus)
    wrong = [
        (row["file"], row["name"], kind, row["accepted"])
        for row in rows
        if (kind := _labelled(corpus, row).bottleneck.kind) not in row["accepted"].split(";")
    ]
    assert len(wrong) <= 2, wrong


def test_nothing_is_asserted_that_the_experts_call_misleading(corpus: Path) -> None:
    with (corpus.parent / "labels" / "vocabulary.csv").open(encoding="utf-8") as file:
        words = {row["word"]: set(row["rules"].split(";")) for row in csv.DictReader(file)}
    misleading = []
    for row in _labels(corpus):
        kernel = _labelled(corpus, row)
        said = {f.rule for f in kernel.findings if f.severity in ASSERTED}
        for word in filter(None, row["wrong_findings"].split(";")):
            misleading += [
                (row["file"], row["name"], rule) for rule in words.get(word, set()) & said
            ]
    assert misleading == []

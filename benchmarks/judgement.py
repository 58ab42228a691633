"""Hold the judgement against experts and against what really happened after a fix.

    python benchmarks/judgement.py LABELS PAIRS CORPUS

LABELS is a folder with kernels.csv and vocabulary.csv, PAIRS a CSV of before/after
launches, CORPUS a folder with the reports under rep/. Prints the share of bottlenecks
that an expert would defend, how many of the agreed symptoms are found, what is asserted
although the experts call it misleading, and the error of the expected gains beside the
profiler's own estimates.
"""

from __future__ import annotations

import csv
import statistics
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ncu_triage.model import Finding, KernelDiagnosis
from ncu_triage.pipeline import diagnose, rules

ASSERTED = ("high", "medium", "low")
# A symptom that is met by saying what could not be decided.
SAID_AS_UNDECIDED = {"missing-stall-data"}
# The words of the pairs for a cause, where they differ from the rules' ids.
CAUSES = {"non-vectorised": "scalar-loads", "more-reuse/tiling": "no-data-reuse"}
CLEAN = {"O1", "O2", "O3", "O4", "T4", "R1", "R2", "M2", "M3", "M4", "M5"}


class Gain(NamedTuple):
    """One pair: what was predicted for its cause, and what happened."""

    pair: str
    cause: str
    actual: float
    expected: float
    at_most: float | None
    nvidia: float | None


@cache
def kernels(path: Path) -> dict[str, KernelDiagnosis]:
    """Diagnose one report, once."""
    diagnosis, failures = diagnose([path], rules())
    if failures:
        raise SystemExit(f"{failures[0].path}: {failures[0].message}")
    return {kernel.id: kernel for kernel in diagnosis.kernels}


def rows(path: Path) -> list[dict[str, str]]:
    """Read a table."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def launch(corpus: Path, row: dict[str, str], prefix: str = "") -> KernelDiagnosis:
    """Find the launch that a row speaks of."""
    id = f"0/{row[prefix + 'range']}/{row[prefix + 'action']}"
    return kernels(corpus / "rep" / row[prefix + "file"])[id]


def asserted(kernel: KernelDiagnosis) -> set[str]:
    """Return the rules that speak up about a kernel."""
    return {finding.rule for finding in kernel.findings if finding.severity in ASSERTED}


def judge_labels(labels: Path, corpus: Path) -> None:
    """Print how the diagnoses compare with the experts'."""
    words = {r["word"]: set(r["rules"].split(";")) for r in rows(labels / "vocabulary.csv")}
    table = rows(labels / "kernels.csv")
    accepted = primary = wanted = found = 0
    for row in table:
        kernel = launch(corpus, row)
        accepted += kernel.bottleneck.kind in row["accepted"].split(";")
        primary += kernel.bottleneck.kind == row["primary"]
        said = asserted(kernel)
        for word in filter(None, row["symptoms_both"].split(";")):
            if word in SAID_AS_UNDECIDED:
                continue
            hit = bool(words.get(word, set()) & said) or word == kernel.bottleneck.kind
            wanted, found = wanted + 1, found + hit
            if not hit:
                print(f"  not found: {word} in {row['file']} {row['name']}")
        for word in filter(None, row["wrong_findings"].split(";")):
            for rule in words.get(word, set()) & said:
                print(f"  misleading: {rule} in {row['file']} {row['name']}")
    print(f"bottleneck defended by an expert  {accepted} of {len(table)}")
    print(f"bottleneck both experts named     {primary} of {len(table)}")
    print(f"agreed symptoms found             {found} of {wanted} ({found / wanted:.3f})")


def gain_of(corpus: Path, row: dict[str, str]) -> Gain:
    """Compare a pair's prediction with what happened; no finding promises nothing."""
    before = launch(corpus, row, "before_")
    cause = CAUSES.get(row["cause_removed"], row["cause_removed"])
    finding: Finding | None = next((f for f in before.findings if f.rule == cause), None)
    gain = finding.gain if finding else None
    nvidia = row.get("nvidia_best_relevant_estimate_pct")
    return Gain(
        row["pair_id"],
        cause,
        float(row["actual_saved_pct"]),
        gain.expected_pct if gain else 0.0,
        gain.at_most_pct if gain else None,
        float(nvidia) if nvidia else None,
    )


def judge_pairs(pairs: Path, corpus: Path) -> None:
    """Print how the expected gains compare with the measured ones."""
    clean = [gain_of(corpus, row) for row in rows(pairs) if row["pair_id"] in CLEAN]
    for g in clean:
        most = f"{g.at_most:5.1f}" if g.at_most is not None else "    -"
        print(
            f"  {g.pair:4} {g.cause:20} actual {g.actual:5.1f}  expected {g.expected:5.1f}", end=""
        )
        print(f"  at most {most}  NVIDIA {g.nvidia if g.nvidia is not None else '-'}")
    for name, errors in {
        "this": [abs(g.expected - g.actual) for g in clean],
        "NVIDIA": [abs(g.nvidia - g.actual) for g in clean if g.nvidia is not None],
    }.items():
        if errors:
            middle, mean = statistics.median(errors), statistics.fmean(errors)
            figures = f"median {middle:4.1f}  mean {mean:4.1f}  worst {max(errors):4.1f}"
            print(f"gain error, {name:7} {figures}")
    broken = [g.pair for g in clean if g.at_most is not None and g.actual > g.at_most + 3]
    print(f"'at most' exceeded by over 3 points: {', '.join(broken) or 'none'}")


def main() -> None:
    """Print both tables."""
    if len(sys.argv) != 4:
        raise SystemExit(__doc__)
    labels, pairs, corpus = (Path(argument) for argument in sys.argv[1:])
    judge_labels(labels, corpus)
    judge_pairs(pairs, corpus)


if __name__ == "__main__":
    main()

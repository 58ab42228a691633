"""Where in the code a finding sits: the lines or instructions that carry its metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from ncu_triage.model import KernelDiagnosis, Where
from ncu_triage.readers.source.attribute import attribute


def with_places(
    path: Path, kernels: Sequence[KernelDiagnosis], sources: Mapping[str, str]
) -> list[KernelDiagnosis]:
    """Name the places of every asserted finding; `sources` has the metric by rule.

    `kernels` are one file's, in its order. What the file cannot tell is left out.
    """
    wanted: dict[int, list[str]] = {}
    for kernel in kernels:
        metrics = {sources[f.rule] for f in kernel.findings if f.rule in sources}
        if metrics:
            wanted[_number(kernel)] = sorted(metrics)
    found = attribute(path, wanted) if wanted else {}
    return [_placed(kernel, found, sources) for kernel in kernels]


def unplaced(kernels: Sequence[KernelDiagnosis], sources: Mapping[str, str]) -> str | None:
    """Say why no finding has its place in the code; None where one has."""
    findings = [finding for kernel in kernels for finding in kernel.findings]
    if any(finding.where for finding in findings):
        return None
    if not any(finding.rule in sources for finding in findings):
        return "none of the findings sits at single lines of code"
    return (
        "no line can be named: the report has no counters by instruction, which"
        " --section SourceCounters --import-source yes collects"
    )


def _placed(
    kernel: KernelDiagnosis,
    found: Mapping[tuple[int, str], list[Where]],
    sources: Mapping[str, str],
) -> KernelDiagnosis:
    number = _number(kernel)
    findings = [
        replace(finding, where=found.get((number, sources.get(finding.rule, "")), []))
        for finding in kernel.findings
    ]
    return replace(kernel, findings=findings)


def _number(kernel: KernelDiagnosis) -> int:
    """Return a launch's place in its file, the last part of its id."""
    return int(kernel.id.rpartition("/")[2])

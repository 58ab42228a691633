"""Read, derive, judge: from opened profiles to one Diagnosis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path

from ncu_triage import __version__
from ncu_triage.engine.judge import judge, judge_report
from ncu_triage.engine.numbers import engine_entries
from ncu_triage.engine.priorities import priorities
from ncu_triage.engine.report_numbers import report_entries
from ncu_triage.engine.ruleset import RuleSet, load_rules
from ncu_triage.model import (
    CatalogueEntry,
    Device,
    Diagnosis,
    KernelDiagnosis,
    Provenance,
    Settings,
    Source,
    Tool,
)
from ncu_triage.quantities.catalogue import catalogue, entry
from ncu_triage.quantities.derive import derive, device
from ncu_triage.readers.report import Report
from ncu_triage.resources import data_dir
from ncu_triage.summary import (
    Groups,
    collect_next,
    groups,
    share_catalogue,
    together,
    totals,
)

Progress = Callable[[int], None]


def names() -> dict[str, CatalogueEntry]:
    """Return every number that a rule may name, with its unit and denominator."""
    quantities = {id: entry(item, Provenance()) for id, item in catalogue().items()}
    return quantities | engine_entries() | report_entries()


@lru_cache(maxsize=4)
def rules(extra: tuple[Path, ...] = ()) -> RuleSet:
    """Load the project's rules and those of the user's folders, which replace by id."""
    return load_rules([data_dir("rules"), *extra], names())


def diagnose(
    reports: Iterable[Report], judged_by: RuleSet, progress: Progress | None = None
) -> Diagnosis:
    """Judge every launch of the opened profiles.

    `progress` is called with the number of launches done so far.
    """
    kernels: list[KernelDiagnosis] = []
    devices: dict[str, Device] = {}
    sources: list[Source] = []
    settings: list[Settings] = []
    numbering = Groups()
    for report in reports:
        for launch in report.launches():
            kernel = derive(launch)
            kernels.append(judge(kernel, judged_by, numbering.of(kernel)))
            found = device(launch)
            if found:
                devices.setdefault(found.name, found)
            if progress:
                progress(len(kernels))
        sources.append(report.source())
        settings.append(report.settings())
    return _assemble(kernels, judged_by, sources, (list(devices.values()), settings))


def _assemble(
    kernels: list[KernelDiagnosis],
    judged_by: RuleSet,
    sources: list[Source],
    taken: tuple[list[Device], Sequence[Settings]],
) -> Diagnosis:
    devices, settings = taken
    whole = judge_report(kernels, judged_by)
    shared, slim = share_catalogue(kernels, names())
    return Diagnosis(
        tool=Tool(name="ncu-triage", version=__version__, rules=judged_by.version),
        sources=sources,
        devices=devices,
        collection=together(settings),
        totals=totals(kernels),
        catalogue=shared,
        kernels=slim,
        groups=groups(kernels),
        findings=whole.findings,
        priorities=priorities(kernels),
        collect_next=collect_next(kernels),
    )

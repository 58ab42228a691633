"""Hold two diagnoses against each other: from both to one Comparison."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ncu_triage.compare.caveats import caveats
from ncu_triage.compare.comparison import (
    Alone,
    Comparison,
    Fate,
    KernelChange,
    Launches,
    Report,
    Side,
)
from ncu_triage.compare.explain import explanation, units
from ncu_triage.compare.findings import (
    bottleneck_change,
    failed,
    finding_changes,
    findings_of,
    occasional_changes,
    occasional_of,
    report_changes,
    undecided,
)
from ncu_triage.compare.match import Pair, match
from ncu_triage.compare.meaning import Meanings
from ncu_triage.compare.numbers import numbers_of
from ncu_triage.compare.reports import lost_of
from ncu_triage.compare.runs import Run, number, numbers, runs
from ncu_triage.compare.spread import spread
from ncu_triage.compare.times import Spent, Timed, timed, totals
from ncu_triage.compare.work import notes, rarely
from ncu_triage.model import Diagnosis


def compare(before: Diagnosis, after: Diagnosis, *, chosen: bool = False) -> Comparison:
    """Say what changed between two profiles, by how much against its spread, and why.

    `chosen` where the user picked a kernel of either for the other.
    """
    mine, yours = runs(before), runs(after)
    matched = match(mine, yours, chosen=chosen)
    meanings = Meanings(before, after)
    measured = [(pair, timed(pair)) for pair in matched.pairs]
    spent = Spent.of(mine), Spent.of(yours)
    kernels = [_kernel(pair, times, meanings, spent[0].seconds) for pair, times in measured]
    return Comparison(
        before=_side(before, mine),
        after=_side(after, yours),
        caveats=caveats(before, after, matched.pairs),
        totals=totals([times for _, times in measured], spent),
        kernels=_ranked(kernels),
        only_before=_alone(matched.only_before, "gone"),
        only_after=_alone(matched.only_after, "new"),
        report=Report(
            findings=report_changes(before, after),
            undecided=undecided([after]),
            failed=failed([after]),
        ),
    )


def _kernel(pair: Pair, times: Timed, meanings: Meanings, spent: float) -> KernelChange:
    findings, counted = finding_changes(pair), numbers_of(pair, meanings)
    occasional = occasional_changes(pair)
    judged = times.cycles if times.measure == "cycles" else times.time
    saved = times.seconds[0] - times.seconds[1] if times.seconds else None
    return KernelChange(
        id=0,
        match=pair.match,
        before=_launches(pair.before),
        after=_launches(pair.after),
        measure=times.measure,
        time=times.time,
        cycles=times.cycles,
        paired=times.paired,
        saved=saved,
        share_pct=100 * times.seconds[0] / spent if times.seconds and spent else None,
        bottleneck=bottleneck_change(pair),
        findings=findings,
        undecided=undecided(pair.after.launches),
        units=units(counted),
        explanation=explanation(counted, findings, judged.verdict if judged else None),
        notes=[*notes(pair, counted), *rarely(pair.after, occasional)],
        occasional=occasional,
        failed=failed(pair.after.launches),
    )


def _ranked(kernels: Sequence[KernelChange]) -> list[KernelChange]:
    """Put the kernels first that moved the whole most; number them in that order."""
    ranked = sorted(kernels, key=lambda k: (k.saved is None, -abs(k.saved or 0.0)))
    return [replace(kernel, id=id) for id, kernel in enumerate(ranked)]


def _alone(all_runs: Sequence[Run], fate: Fate) -> list[Alone]:
    """Describe what only one side has, longest first."""
    made = [
        Alone(
            launches=_launches(run),
            findings=findings_of(run, fate),
            undecided=undecided(run.launches),
            occasional=occasional_of(run, fate),
            failed=failed(run.launches),
        )
        for run in all_runs
    ]
    return sorted(made, key=lambda one: -(one.launches.total or 0.0))


def _launches(run: Run) -> Launches:
    speaker, times = run.speaker, numbers(run.launches, "duration")
    return Launches(
        name=speaker.name,
        demangled=speaker.demangled,
        grid=speaker.grid,
        block=speaker.block,
        launches=len(run.launches),
        speaker=speaker.id,
        total=sum(times) if times else None,
        median=number(speaker, "duration"),
        spread_pct=_percent(spread(times)) if times else None,
        cycles=number(speaker, "elapsed_cycles"),
        sm_clock=number(speaker, "sm_clock"),
        bottleneck=speaker.bottleneck,
    )


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


def _side(diagnosis: Diagnosis, all_runs: Sequence[Run]) -> Side:
    by_kind: dict[str, float] = {}
    for kernel in diagnosis.kernels:
        value = number(kernel, "duration")
        if value is not None:
            kind = kernel.bottleneck.kind
            by_kind[kind] = by_kind.get(kind, 0.0) + value
    return Side(
        sources=[source.name for source in diagnosis.sources],
        ncu_versions=sorted({s.ncu_version for s in diagnosis.sources if s.ncu_version}),
        devices=sorted({run.device for run in all_runs if run.device}),
        tool=diagnosis.tool.version,
        rules=diagnosis.tool.rules,
        launches=len(diagnosis.kernels),
        duration=sum(by_kind.values()) if by_kind else None,
        time_by_bottleneck=dict(sorted(by_kind.items(), key=lambda item: (-item[1], item[0]))),
        lost=lost_of(diagnosis.sources),
        kernel_rules=diagnosis.tool.kernel_rules,
        report_rules=diagnosis.tool.report_rules,
    )

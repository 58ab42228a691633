"""Bring a scan, and what its history knows, before a gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ncu_triage.compare.comparison import BottleneckChange, Change
from ncu_triage.gate.subjects import Subject, Subjects, of_diagnosis, together
from ncu_triage.history.benchmark import benchmark_of
from ncu_triage.history.events import Trend
from ncu_triage.history.measure import storable
from ncu_triage.history.series import Limits
from ncu_triage.history.tonight import Tonight, tonight
from ncu_triage.history.watch import Moved
from ncu_triage.render import json_
from ncu_triage.scan.row import Index, Row
from ncu_triage.scan.store import Store

_Numbers = Mapping[tuple[str, str], int]
_Key = tuple[str, str, str | None, str | None]
_FEW = "the history has too few earlier nights to compare with"


def subjects(store: Store, overview: Index, trends: Sequence[Trend], numbers: _Numbers) -> Subjects:
    """Return the kernels of all reports; `numbers` are those by content and benchmark."""
    known: dict[_Key, list[Trend]] = {}
    for trend in trends:
        kernel = trend.kernel
        key = (kernel.benchmark, kernel.demangled, kernel.grid, kernel.block)
        known.setdefault(key, []).append(trend)
    judged = overview.judged
    return together([part for row in judged for part in _of_report(store, row, known, numbers)])


def _of_report(
    store: Store, row: Row, known: Mapping[_Key, list[Trend]], numbers: _Numbers
) -> list[Subjects]:
    """Return the kernels of a report, once for each benchmark whose last night it is."""
    diagnosis = json_.read((store.folder / (row.data or "")).read_bytes())
    # The first name of each benchmark speaks for it.
    names = {storable(benchmark_of(name)): name for name in reversed(row.names)}
    nights = [
        (benchmark, name, numbers[row.sha256 or "", benchmark])
        for benchmark, name in reversed(names.items())
        if (row.sha256 or "", benchmark) in numbers
    ]
    if not nights:
        return [of_diagnosis(diagnosis, row.names[0])]
    parts = []
    for benchmark, name, report in nights:
        found = of_diagnosis(diagnosis, name)
        kernels = [_with_nights(one, benchmark, known, report) for one in found.kernels]
        parts.append(replace(found, kernels=kernels))
    return parts


def _with_nights(
    subject: Subject, benchmark: str, known: Mapping[_Key, list[Trend]], report: int
) -> Subject:
    about = subject.about
    shape = ["x".join(map(str, extent)) if extent else None for extent in (about.grid, about.block)]
    for trend in known.get((benchmark, storable(about.name), shape[0], shape[1]), []):
        if night := tonight(trend, report, Limits()):
            return _held_against(subject, night, trend.barred(report))
    return subject


def _held_against(subject: Subject, night: Tonight, barred: str | None) -> Subject:
    """Put beside a kernel how it differs from its own nights, those that may be compared."""
    if night.moved is None:
        why = f"not comparable with the night before: {barred}"
        return replace(subject, alone=why if barred else _FEW)
    before, after = night.kind_before, night.kind_after
    changed = bool(before and after and before != after)
    return replace(
        subject,
        alone=None,
        change=_change(night.moved, night.excused),
        measure="time",
        bottleneck=BottleneckChange(before=before or "", after=after or "", sure=True)
        if changed
        else None,
        findings=[replace(f, new=f.rule in night.new_rules) for f in subject.findings],
        why=["at another clock: its cycles are the same"] if night.excused else [],
    )


def _change(moved: Moved, excused: bool) -> Change:
    after = moved.before if excused else moved.after
    percent = 100 * (after / moved.before - 1)
    return Change(
        before=moved.before,
        after=after,
        change_pct=percent,
        noise_pct=moved.noise_pct,
        sigmas=0.0 if excused else moved.sigmas,
        spread="measured",
        verdict="same" if percent == 0 else "slower" if percent > 0 else "faster",
    )

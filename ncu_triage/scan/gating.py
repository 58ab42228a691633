"""Bring a scan, and what its history knows, before a gate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from ncu_triage.compare.comparison import BottleneckChange, Change
from ncu_triage.gate.rows import WHOLE, About
from ncu_triage.gate.subjects import Subject, Subjects, of_diagnosis, together
from ncu_triage.history.events import Trend
from ncu_triage.history.measure import storable
from ncu_triage.history.series import Limits
from ncu_triage.history.tonight import LEAST_EARLIER, Tonight, tonight
from ncu_triage.history.watch import Moved
from ncu_triage.history.whole import whole
from ncu_triage.history.words import day
from ncu_triage.model import Extent
from ncu_triage.render import json_
from ncu_triage.scan.recording import Kept
from ncu_triage.scan.row import Index, Row
from ncu_triage.scan.store import Store
from ncu_triage.view import words

_Key = tuple[str, str, str | None, str | None]


def subjects(store: Store, overview: Index, kept: Kept) -> Subjects:
    """Return the kernels of all reports and, with a history, what it misses and the totals."""
    known: dict[_Key, list[Trend]] = {}
    for trend in kept.trends:
        kernel = trend.kernel
        key = (kernel.benchmark, kernel.demangled, kernel.grid, kernel.block)
        known.setdefault(key, []).append(trend)
    judged = overview.judged
    found = together([part for row in judged for part in _of_report(store, row, known, kept)])
    kernels = [*found.kernels, *gone(kept)]
    return replace(found, kernels=kernels, totals=totals(store, overview, kept))


def _of_report(
    store: Store, row: Row, known: Mapping[_Key, list[Trend]], kept: Kept
) -> list[Subjects]:
    """Return the kernels of a report, once for each benchmark of which it is judged tonight."""
    diagnosis = json_.read((store.folder / (row.data or "")).read_bytes())
    nights = nights_of(row, kept)
    if not nights:
        found = of_diagnosis(diagnosis, row.names[0])
        settled = bool(kept.names)
        return [replace(found, kernels=[replace(k, settled=settled) for k in found.kernels])]
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


def _why_alone(night: Tonight, barred: str | None) -> str:
    """Say why a night has nothing that it could be held against."""
    if barred:
        return f"not comparable with the night before: {barred}"
    earlier = words.count(night.earlier, "earlier night")
    return f"{earlier} to compare with, and {LEAST_EARLIER} are needed"


def _held_against(subject: Subject, night: Tonight, barred: str | None) -> Subject:
    """Put beside a kernel how it differs from its own nights, those that may be compared."""
    if night.moved is None:
        return replace(subject, alone=_why_alone(night, barred))
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


def nights_of(row: Row, kept: Kept) -> list[tuple[str, str, int]]:
    """Return what a report is a judged night of: benchmark, name there, and its number."""
    # The first name of each benchmark speaks for it.
    names = {kept.names[name]: name for name in reversed(row.names) if name in kept.names}
    return [
        (benchmark, name, kept.reports[row.sha256 or "", benchmark])
        for benchmark, name in reversed(names.items())
        if (row.sha256 or "", benchmark) in kept.reports
    ]


def gone(kept: Kept) -> Iterator[Subject]:
    """Yield the kernels and the benchmarks that these nights show to be gone."""
    nights = set(kept.reports.values())
    for trend in kept.trends:
        for event in trend.events:
            if event.event == "vanished" and event.found in nights:
                since, kernel = trend.report(event.since), trend.kernel
                shape = {"grid": _extent(kernel.grid), "block": _extent(kernel.block)}
                about = About(name=kernel.demangled, source=since.name, **shape)
                yield _gone(about, f"gone from its benchmark since {day(since.at)}")
    for one in kept.absent:
        about = About(name=WHOLE, source=one.benchmark)
        yield _gone(about, f"no report came since {day(one.since.at)}, while others did")


def _gone(about: About, why: str) -> Subject:
    # What needs two results has nothing to say of it.
    return Subject(about=about, no_time=why, no_bottleneck=why, alone=why, settled=True)


def _extent(text: str | None) -> Extent | None:
    if text is None:
        return None
    x, y, z = map(int, text.split("x"))
    return x, y, z


def totals(store: Store, overview: Index, kept: Kept) -> list[Subject]:
    """Return each benchmark as a whole, held against its own nights."""
    trends: dict[str, list[Trend]] = {}
    for trend in kept.trends:
        trends.setdefault(trend.kernel.benchmark, []).append(trend)
    wholes = {benchmark: whole(those) for benchmark, those in trends.items()}
    return [
        _total(wholes[benchmark], name, report)
        for row in overview.judged
        for benchmark, name, report in nights_of(row, kept)
    ]


def _total(trend: Trend, name: str, report: int) -> Subject:
    subject = Subject(
        about=About(name=WHOLE, source=name), alone="the report is cut or has no time"
    )
    night = tonight(trend, report, Limits())
    if night is None:
        return subject
    if night.moved is None:
        return replace(subject, alone=_why_alone(night, trend.barred(report)))
    return replace(subject, alone=None, change=_change(night.moved, False), measure="time")

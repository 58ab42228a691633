"""Arrange a scan for its page: texts, numbers to sort by, and what to filter by."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ncu_triage.gate.gated import Gated
from ncu_triage.history.words import what
from ncu_triage.render.comparison_gate import gate_view
from ncu_triage.render.comparison_shown import GateView
from ncu_triage.render.scan_index import EventRow, IndexView, LostRow, ReportRow
from ncu_triage.scan.row import Gate, Index, KernelEvent, Row
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.shown import Cell, Fact

LOSSES = {
    "unreadable": "not readable",
    "crashed": "crashed",
    "out-of-time": "took too long",
    "out-of-memory": "took too much memory",
    "bug": "a bug of this tool",
}
# So many kernels do not get slower on one day by themselves.
_MANY = 5
_DAY = len("2026-01-05")
# Rows of a gate that a page shows; index.json has all.
_MOST_GATE = 20
# Findings weigh by their severity when reports are sorted by them.
_WEIGHTS = {"high": 1_000_000, "medium": 1_000, "low": 1}


def shown(index: Index) -> IndexView:
    """Return what the page shows."""
    judged = index.judged
    rules = {row.worst.rule for row in judged if row.worst}
    return IndexView(
        title=f"Scan of {words.count(sum(len(row.names) for row in index.reports), 'file')}",
        headline=headline(index),
        facts=_facts(index),
        events=[_event(event) for event in index.events],
        rows=[_row(row) for row in judged],
        marks=[words.mark(kind) for kind in sorted({row.bottleneck or "" for row in judged})],
        gpus=sorted({_gpu(row) for row in judged}),
        rules=[Fact(rule, words.plain(rule)) for rule in sorted(rules)],
        lost=[_lost(row) for row in index.lost],
        gate=_gate(index.gate),
        passed_over=_passed_over(index.passed_over),
        tool=index.tool,
    )


def headline(index: Index) -> str:
    """Say in one line what somebody must know in the morning."""
    parts = [f"{words.count(len(index.judged), 'report')} judged"]
    if index.lost:
        parts.append(f"{len(index.lost)} could not be")
    slower = [event for event in index.events if event.direction == "slower" and event.alarming]
    if slower:
        parts.append(_slower(slower))
    limited = [e for e in index.events if e.event == "bottleneck" and e.alarming]
    if limited:
        parts.append(f"{words.count(len(limited), 'kernel')} with another bottleneck")
    gone = [event for event in index.events if event.event == "vanished"]
    if gone:
        parts.append(f"{words.count(len(gone), 'kernel')} gone")
    missing = [event for event in index.events if event.event == "missing"]
    if missing:
        parts.append(f"{words.count(len(missing), 'benchmark')} without a report")
    return "; ".join(parts)


def recorded(new: int, known: int, chosen: bool) -> str | None:
    """Say what came into the history; `chosen` where the user gave a label or a time.

    What was there keeps the label and the time of its first scan.
    """
    if not known:
        return None
    keep = " and keeps its" if known == 1 else " and keep their"
    kept = f"{keep} label and time" if chosen else ""
    was = f"{words.count(known, 'night')} {'was' if known == 1 else 'were'} there already"
    return f"history: {new or 'nothing'} recorded; {was}{kept}"


def _slower(events: Sequence[KernelEvent]) -> str:
    """Say which kernel got slower most; many at once are hardly each kernel's own fault."""
    worst = max(events, key=lambda event: event.change_pct or 0.0)
    text = f"{words.count(len(events), 'kernel')} slower"
    days = {event.since[:_DAY] for event in events}
    if len(events) >= _MANY and len(days) == 1:
        text += f", all since {days.pop()}: the machine or the build, rather than a kernel"
    return f"{text} ({worst.kernel} by {percent(worst.change_pct or 0.0)})"


def _facts(index: Index) -> list[Fact]:
    judged = index.judged
    times = [row.duration for row in judged if row.duration is not None]
    facts = [Fact("Reports judged", f"{len(judged):,}")]
    if index.lost:
        facts.append(Fact("Not judged", f"{len(index.lost):,}"))
    facts.append(Fact("Launches", f"{sum(row.launches for row in judged):,}"))
    if times:
        facts.append(Fact("Time in launches", show(sum(times), "s")))
    return facts


def _row(row: Row) -> ReportRow:
    worst = row.worst
    return ReportRow(
        name=row.names[0],
        others=row.names[1:],
        page=row.page or "",
        facts=", ".join(filter(None, [row.format, row.ncu_version and f"ncu {row.ncu_version}"])),
        gpu=_gpu(row),
        launches=Cell(f"{row.launches:,}", float(row.launches)),
        time=_seconds(row.duration),
        mark=words.mark(row.bottleneck or ""),
        share=_share(row),
        fix=worst.title if worst else None,
        no_fix="no saving estimated" if any(row.severities.values()) else "nothing found",
        saving=_saving(row),
        severity=_severities(row),
        care=_care(row),
        rule=worst.rule if worst else "",
    )


def _gpu(row: Row) -> str:
    return ", ".join(dict.fromkeys(row.devices)) or "unknown"


def _seconds(value: float | None) -> Cell:
    return Cell("unknown", None) if value is None else Cell(show(value, "s"), value)


def _share(row: Row) -> str | None:
    return f"{percent(row.bottleneck_pct)} of the time" if row.bottleneck_pct is not None else None


def _saving(row: Row) -> Cell:
    if row.worst is None:
        return Cell("–", 0.0)
    return Cell(show(row.worst.seconds, "s"), row.worst.seconds, percent(row.worst.share_pct))


def _severities(row: Row) -> Cell:
    counted = {name: row.severities.get(name, 0) for name in _WEIGHTS}
    text = ", ".join(f"{count} {name}" for name, count in counted.items() if count)
    return Cell(text or "none", float(sum(_WEIGHTS[n] * c for n, c in counted.items())))


def _care(row: Row) -> list[str]:
    """Say what the reader must know before the numbers."""
    if row.complete:
        return []
    lost = f", {words.count(row.lost_launches, 'launch')} lost" if row.lost_launches else ""
    return [f"incomplete{lost}", *row.notes]


def _lost(row: Row) -> LostRow:
    kind = LOSSES[row.loss or "bug"]
    return LostRow(row.names[0], row.names[1:], kind, row.reason or "", row.page)


def _event(event: KernelEvent) -> EventRow:
    whole = "the whole benchmark" if event.event == "missing" else event.benchmark
    where = ", ".join(filter(None, [whole, event.shape, event.device]))
    return EventRow(
        kernel=event.kernel,
        where=where,
        what=what(event),
        since=event.since,
        alarming=event.alarming,
    )


def _gate(gate: Gate | None) -> GateView | None:
    if gate is None:
        return None
    shown = gate_view(Gated(gate.rows), {})
    rows = shown.rows[:_MOST_GATE]
    cut = f" The gravest {len(rows)} of {len(shown.rows)} rows:" if rows != shown.rows else ""
    return replace(shown, rows=rows, passed=gate.passed, sentence=f"{gate.sentence}{cut}")


def _passed_over(count: int) -> str | None:
    if not count:
        return None
    return f"{words.count(count, 'other file')} in the folders hold no profile."

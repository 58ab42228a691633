"""The kernel table: a row per group, longest first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.bars import UNITS, unit_bar
from ncu_triage.view.book import Book
from ncu_triage.view.clusters import Cluster, limited_by, shape
from ncu_triage.view.shown import Bar, Cell, Fact, KeyColumn, Row, Table
from ncu_triage.view.times import ENOUGH_FOR_P99

_NO_SPREAD = Cell("", None)  # one launch


def table(found: Sequence[Cluster], book: Book) -> Table:
    """Return the rows, and what they can be filtered by."""
    bars = [[unit_bar(cluster.speaker, book, unit) for unit in UNITS] for cluster in found]
    columns = ([own[i] for own in bars] for i in range(len(UNITS)))
    keys = [_column(unit.label, column) for unit, column in zip(UNITS, columns, strict=True)]
    fired = sorted({finding.rule for c in found for k in c.launches for finding in k.findings})
    rules = {rule: i for i, rule in enumerate(fired)}
    rows = [_row(cluster, keys, own, rules) for cluster, own in zip(found, bars, strict=True)]
    kinds = {row.mark.kind for row in rows}
    return Table(
        keys=keys,
        rows=rows,
        marks=[words.mark(kind) for kind in sorted(kinds)],
        rules=[Fact(rule, words.plain(rule)) for rule in fired],
    )


def _column(label: str, bars: Sequence[Bar]) -> KeyColumn:
    """Name a column with the denominator that most of its numbers have."""
    bases = Counter(bar.basis for bar in bars if bar.fill is not None)
    return KeyColumn(label, bases.most_common(1)[0][0] if bases else None)


def _row(
    cluster: Cluster, keys: Sequence[KeyColumn], bars: Sequence[Bar], rules: Mapping[str, int]
) -> Row:
    kernel, spread = cluster.speaker, cluster.group.duration
    findings = kernel.findings
    return Row(
        name=cluster.name,
        shape=shape(cluster.group),
        launches=Cell(f"{cluster.group.launches:,}", float(cluster.group.launches)),
        median=_time(spread.median),
        p99=_tail(cluster),
        share=_share(cluster),
        mark=limited_by(kernel),
        confidence=cluster.confidence,
        keys=[_key(key, bar) for key, bar in zip(keys, bars, strict=True)],
        finding=findings[0].title if findings else None,
        more_findings=max(0, len(findings) - 1),
        rules=sorted({rules[f.rule] for launch in cluster.launches for f in launch.findings}),
    )


def _tail(cluster: Cluster) -> Cell:
    """Show the 99th percentile; of too few launches for one the longest, called so."""
    if cluster.group.launches < 2:
        return _NO_SPREAD
    cell = _time(cluster.group.duration.p99)
    is_maximum = cell.sort is not None and cluster.group.launches < ENOUGH_FOR_P99
    return replace(cell, text=f"max {cell.text}") if is_maximum else cell


def _time(value: float | None) -> Cell:
    return Cell("unknown", None) if value is None else Cell(show(value, "s"), value)


def _share(cluster: Cluster) -> Cell:
    """Show the share of the time, with the time itself beside it."""
    total = cluster.group.duration.total
    if cluster.share is None or total is None:
        return Cell("unknown", None)
    return Cell(percent(cluster.share), cluster.share, show(total, "s"))


def _key(column: KeyColumn, bar: Bar) -> Cell:
    """Show a bar's number; beside it another denominator, or that it is an estimate."""
    if bar.rough:
        return Cell(bar.text, bar.fill, words.ESTIMATED)
    other = bar.fill is not None and bar.basis != column.basis
    return Cell(bar.text, bar.fill, bar.basis if other else None)

"""Put what was found in a report into one row, and rows into their order."""

from __future__ import annotations

from collections import Counter

from ncu_triage.model import SEVERITIES, Diagnosis, Severity
from ncu_triage.scan.row import Row, Worst


def row_of(diagnosis: Diagnosis, name: str) -> Row:
    """Sum up the diagnosis of one file; where its pages lie is not known yet."""
    source, totals = diagnosis.sources[0], diagnosis.totals
    kind, share = _bottleneck(diagnosis)
    gravest = _gravest(diagnosis)
    return Row(
        names=[name],
        sha256=source.sha256,
        format=source.format,
        ncu_version=source.ncu_version,
        complete=source.complete,
        lost_launches=source.lost_launches,
        notes=source.notes,
        devices=[device.name for device in diagnosis.devices],
        launches=totals.launches,
        kernels=len(diagnosis.groups),
        duration=totals.duration,
        bottleneck=kind,
        bottleneck_pct=share,
        worst=_worst(diagnosis, gravest),
        severities=dict(Counter(gravest.values())),
    )


def by_worst(row: Row) -> tuple[bool, float, float, list[str]]:
    """Order rows: what would save the most seconds first, what was not judged last."""
    saved = row.worst.seconds if row.worst else 0.0
    return row.loss is not None, -saved, -(row.duration or 0.0), row.names


def _bottleneck(diagnosis: Diagnosis) -> tuple[str, float | None]:
    """Name what limits most of the time, else most of the launches."""
    totals = diagnosis.totals
    for kind, seconds in totals.time_by_bottleneck.items():
        return kind, 100 * seconds / totals.duration if totals.duration else None
    counts = Counter(kernel.bottleneck.kind for kernel in diagnosis.kernels)
    return counts.most_common(1)[0][0], None


def _gravest(diagnosis: Diagnosis) -> dict[str, Severity]:
    """Return the gravest severity by which each rule fired."""
    found: dict[str, Severity] = {}
    for finding in (f for kernel in diagnosis.kernels for f in kernel.findings):
        before = found.get(finding.rule, "info")
        found[finding.rule] = min(before, finding.severity, key=SEVERITIES.index)
    return found


def _worst(diagnosis: Diagnosis, gravest: dict[str, Severity]) -> Worst | None:
    if not diagnosis.priorities:
        return None
    first = diagnosis.priorities[0]
    return Worst(
        rule=first.rule,
        title=first.title,
        severity=gravest.get(first.rule),
        seconds=first.time_saved.expected,
        share_pct=first.share_pct,
    )

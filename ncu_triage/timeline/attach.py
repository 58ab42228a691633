"""Attach a timeline to a diagnosis: what it says, and the priorities in its order."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.join.launching import (
    doubts,
    entries,
    with_true_gaps,
    with_true_verdict,
)
from ncu_triage.timeline.open import open_timeline
from ncu_triage.timeline.summarise import beside
from ncu_triage.timeline.told import told


def with_timeline(diagnosis: Diagnosis, path: Path) -> Diagnosis:
    """Read a timeline and attach it. Raises InputError for a file that is none."""
    return attached(diagnosis, open_timeline(path))


def attached(diagnosis: Diagnosis, timeline: Timeline) -> Diagnosis:
    """Return the diagnosis with what the timeline says of its kernels.

    The priorities go by the program's time then, and what was judged of launch overhead by
    the true gaps. Where the two are not comparable nothing of the report changes.
    """
    both = beside(timeline, diagnosis)
    names = {kernel.demangled for kernel in diagnosis.kernels}
    shown = told(both, names)
    if not both.match.comparable:
        return replace(diagnosis, timeline=shown)
    findings = [with_true_gaps(one, both.timeline.figures) for one in diagnosis.findings]
    matched = {group.group for group in both.match.groups}
    figures = both.timeline.figures
    kernels = [with_true_verdict(one, figures, matched) for one in diagnosis.kernels]
    if kernels != diagnosis.kernels:
        shown = replace(shown, statements=[doubts(figures), *shown.statements])
    cited = {row.quantity for one in findings for row in one.evidence}
    added = {id: entry for id, entry in entries().items() if id in cited}
    return replace(
        diagnosis,
        timeline=shown,
        kernels=kernels,
        ranked_by="timeline",
        priorities=list(both.priorities),
        findings=findings,
        catalogue=diagnosis.catalogue | added,
    )

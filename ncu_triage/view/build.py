"""Arrange a Diagnosis for its readers, once, for every output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from ncu_triage.model import CollectNext, Diagnosis, Tool
from ncu_triage.view import words
from ncu_triage.view.book import Book
from ncu_triage.view.cards import cards
from ncu_triage.view.clusters import Cluster, clusters
from ncu_triage.view.header import facts, private, title, verdict
from ncu_triage.view.method import method
from ncu_triage.view.parts import undecided_views, whole_findings
from ncu_triage.view.priorities import notices, priorities, ranking
from ncu_triage.view.roofs import roofs
from ncu_triage.view.shown import (
    Card,
    Fact,
    FindingView,
    KernelTimes,
    Method,
    Notice,
    PriorityView,
    Ranking,
    Table,
    TimeShare,
    UndecidedView,
    Verdict,
)
from ncu_triage.view.shown_roof import Roofs
from ncu_triage.view.table import table
from ncu_triage.view.times import kernel_times, times

if TYPE_CHECKING:
    from ncu_triage.view.shown_operators import OperatorView
    from ncu_triage.view.shown_timeline import TimelineView


class View(Struct, frozen=True):
    """All that a reader sees, in reading order."""

    title: str
    facts: list[Fact]
    private: list[Fact]
    verdict: Verdict
    ranking: Ranking
    priorities: list[PriorityView]
    notices: list[Notice]
    roofs: Roofs
    times: list[TimeShare]
    by_kernel: KernelTimes
    table: Table
    cards: list[Card]
    findings: list[FindingView]
    undecided: list[UndecidedView]
    collect_next: CollectNext | None
    method: Method
    tool: Tool
    operators: list[OperatorView]
    operators_note: str | None
    timeline: TimelineView | None = None


def view(diagnosis: Diagnosis) -> View:
    """Arrange, group and format a diagnosis; nothing is judged here."""
    found = clusters(diagnosis)
    shown = _view(diagnosis, found)
    return _beside_timeline(shown, diagnosis, found) if diagnosis.timeline else shown


def _beside_timeline(shown: View, diagnosis: Diagnosis, found: Sequence[Cluster]) -> View:
    """Add what a timeline says, as a whole and to each card."""
    from ncu_triage.view.timeline import timeline_view
    from ncu_triage.view.timeline_kernels import with_real_times

    cards = with_real_times(shown.cards, diagnosis, found)
    return replace(shown, cards=cards, timeline=timeline_view(diagnosis, found))


def _view(diagnosis: Diagnosis, found: Sequence[Cluster]) -> View:
    """Arrange all that comes from the report alone."""
    book = Book(diagnosis.catalogue)
    told = cards(found, book)
    operators, note = [], None
    if diagnosis.operators:  # most reports have none, and need not load how they are told
        from ncu_triage.view import operators as told_operators

        operators, note = (
            told_operators.operators(diagnosis, found),
            told_operators.meaning(diagnosis),
        )
        told = told_operators.on_cards(told, operators)
    return View(
        title=title(diagnosis),
        facts=facts(diagnosis, found),
        private=private(diagnosis),
        verdict=verdict(diagnosis, found),
        ranking=ranking(diagnosis),
        priorities=priorities(diagnosis, found),
        notices=notices(diagnosis, found),
        roofs=roofs(diagnosis, found),
        times=times(diagnosis, found),
        by_kernel=kernel_times(found),
        table=table(found, book),
        cards=told,
        findings=whole_findings(diagnosis, found, book),
        undecided=undecided_views(diagnosis, found, book),
        collect_next=_next(diagnosis.collect_next),
        method=method(diagnosis, book),
        tool=diagnosis.tool,
        operators=operators,
        operators_note=note,
    )


def _next(collect: CollectNext | None) -> CollectNext | None:
    return replace(collect, why=words.sentence(collect.why)) if collect else None

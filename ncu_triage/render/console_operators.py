"""Operators in the terminal: two lines each in the summary, and the calculator's card."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ncu_triage.render.ink import Ink
from ncu_triage.render.letters import clip, columns_of, fit, wrap
from ncu_triage.view.build import View
from ncu_triage.view.shown import Fact
from ncu_triage.view.shown_operators import OperatorRow, OperatorView

_INDENT = "   "
_GAP = 2
_LEAST_NAME = 12


def operators(shown: View, ink: Ink, width: int) -> list[str]:
    """Write a line for each operator, and below it what matters most about its numbers."""
    head = ("Operators", "calls", "time", "best", "time/best", "bytes/least", "above best")
    rows = [
        (one.name, one.calls, one.time, one.best, one.over_best, one.traffic, one.above)
        for one in shown.operators
    ]
    lines = _columns([head, *rows], width)
    written = [ink.bold(lines[0])]
    for one, line in zip(shown.operators, lines[1:], strict=True):
        notes = one.notes[:1] if one.kernels else [one.sentence]  # the rest with --kernel
        written += [line, *(ink.dim(text) for note in notes for text in _below(note, width))]
    return written


def in_full(shown: View, anchors: Collection[str], ink: Ink, width: int) -> Iterator[list[str]]:
    """Write the operators of some kernels: theory and measurement side by side."""
    for one in shown.operators:
        if not set(one.cards) & set(anchors):
            continue
        head = ("", "in theory", "measured", "ratio")
        rows = [(r.label, r.theory, r.measured or "", r.ratio or "") for r in one.rows]
        yield [
            *map(ink.bold, wrap(f"{one.name}: {one.title}, {one.shape}", width)),
            *wrap(f"{one.sentence} {one.launches}.", width),
            *_columns([head, *rows], width),
            *(ink.dim(text) for note in one.notes for text in _below(note, width)),
        ]


def _below(note: str, width: int) -> list[str]:
    plain = note.replace("`", "")
    return [_INDENT + line for line in wrap(plain, width - len(_INDENT))]


def _columns(rows: Sequence[Sequence[str]], width: int) -> list[str]:
    """Write rows in columns: the first to the left and cut to what the others leave."""
    rooms = [max(columns_of(row[i]) for row in rows) for i in range(len(rows[0]))]
    rooms[0] = max(_LEAST_NAME, min(rooms[0], width - sum(rooms[1:]) - _GAP * len(rooms[1:])))
    return [
        clip((" " * _GAP).join(fit(t, rooms[i], i > 0) for i, t in enumerate(row)).rstrip(), width)
        for row in rows
    ]


def card(one: OperatorView, ink: Ink, width: int) -> str:
    """Write an operator without a report: its numbers, its best times, its formulas."""
    head = [*map(ink.bold, wrap(f"{one.title}: {one.shape}", width))]
    facts = [Fact(row.label, _with_note(row)) for row in one.rows if row.label != "Time"]
    notes = [line for note in one.notes for line in wrap(note, width)]
    blocks = [
        head,
        _facts(facts, width),
        notes,
        list(_roofs(one, ink, width)),
        [ink.bold("Worked out"), *map(ink.dim, _facts(one.formulas, width))],
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _with_note(row: OperatorRow) -> str:
    return f"{row.theory} ({row.note})" if row.note else row.theory


def _facts(facts: Sequence[Fact], width: int) -> list[str]:
    room = max((columns_of(fact.label) for fact in facts), default=0)
    lines = []
    for fact in facts:
        first, *rest = wrap(fact.text, max(20, width - room - _GAP)) or [""]
        lines.append(f"{fit(fact.label, room, right=False)}{' ' * _GAP}{first}")
        lines += (" " * (room + _GAP) + line for line in rest)
    return lines


def _roofs(one: OperatorView, ink: Ink, width: int) -> Iterator[str]:
    """Write a line for each GPU: its best time, nominal and achievable."""
    if not one.roofs:
        return
    head = ("Best time", "nominal", "achievable", "limited by")
    rows = [head, *((r.gpu, r.nominal, r.achievable, r.limit) for r in one.roofs)]
    rooms = [max(columns_of(row[i]) for row in rows) for i in range(3)]
    for i, row in enumerate(rows):
        cells = [
            fit(text, room, right=j > 0)
            for j, (text, room) in enumerate(zip(row, rooms, strict=False))
        ]
        line = clip("  ".join([*cells, row[3]]), width)
        yield ink.bold(line) if i == 0 else line
    if one.roofs_note:
        yield from map(ink.dim, wrap(one.roofs_note, width))

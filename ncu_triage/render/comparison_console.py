"""A comparison in the terminal: what must be said first, the whole, the kernels, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.compare.comparison import Comparison
from ncu_triage.render.comparison_shown import (
    AloneRow,
    ComparisonView,
    KernelRow,
    Measured,
    Reason,
)
from ncu_triage.render.comparison_view import comparison_view
from ncu_triage.render.comparison_words import ARROW, ASSUMED
from ncu_triage.render.letters import clip, columns_of, fit, wrap
from ncu_triage.view import words

_NARROWEST = 40
_WIDE = 118
_MOST_ROWS, _MOST_WHY, _MOST_REASONS, _MOST_ALONE = 10, 3, 3, 3
_LEAST_NAME, _LONGEST_NAME = 12, 44
_MISSING = "-"
_BOLD, _DIM, _CARE, _BETTER, _WORSE = "1", "2", "33", "32", "31"
_TONES = {"better": _BETTER, "worse": _WORSE, "neutral": ""}


def render(comparison: Comparison, *, colour: bool = False, width: int = 80) -> str:
    """Write the comparison for a terminal of so many columns."""
    shown, page = comparison_view(comparison), _Page(colour, max(width, _NARROWEST))
    blocks = (
        _head(shown, page),
        _caveats(shown, page),
        _whole(shown, page),
        _kernels(shown, page),
        *(_why(row, page) for row in _moved(shown)),
        _alone("Only before", shown.only_before, page),
        _alone("Only after", shown.only_after, page),
    )
    return "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))) + "\n"


class _Page:
    """A terminal's width, and whether its letters have colours."""

    def __init__(self, colour: bool, width: int) -> None:
        self.colour = colour
        self.width = width

    def ink(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour and code and text else text

    def wrapped(self, code: str, text: str, indent: str = "") -> Iterator[str]:
        for line in wrap(text, self.width - len(indent)):
            yield f"{indent}{self.ink(code, line)}"


def _head(shown: ComparisonView, page: _Page) -> Iterator[str]:
    yield page.ink(_BOLD, clip(shown.title, page.width))
    yield from page.wrapped(_DIM, "; ".join(f"{f.label} {f.text}" for f in shown.facts))


def _caveats(shown: ComparisonView, page: _Page) -> Iterator[str]:
    """Write what forbids or hampers the comparison, before any number."""
    for caveat in shown.caveats:
        sign = "Not comparable" if caveat.refuses else "Note"
        yield from page.wrapped(_CARE, f"{sign}: {caveat.text} {caveat.effect}")


def _whole(shown: ComparisonView, page: _Page) -> Iterator[str]:
    yield from page.wrapped(_BOLD, shown.headline)
    for sentence in shown.sentences:
        yield from page.wrapped("", sentence)
    for one in shown.totals:
        yield from page.wrapped("", _sentence(one), "  ")


def _sentence(one: Measured) -> str:
    return f"{one.label}: {one.before} {ARROW} {one.after}, {one.change} {one.noise}"


def _kernels(shown: ComparisonView, page: _Page) -> Iterator[str]:
    """Write a table of the kernels that moved the whole most."""
    rows = shown.kernels[:_MOST_ROWS]
    if not rows:
        return
    columns = [_Column(*column) for column in _columns(rows, page.width)]
    used = sum(2 + column.width for column in columns[1:])
    name = min(_LONGEST_NAME, columns[0].width, max(_LEAST_NAME, page.width - used))
    for i in range(len(rows) + 1):
        texts = [fit(columns[0].texts[i], name, right=False)]
        texts += [fit(column.texts[i], column.width, column.right) for column in columns[1:]]
        line = clip("  ".join(texts).rstrip(), page.width)
        yield page.ink(_DIM, line) if i == 0 else line
    more = len(shown.kernels) - len(rows)
    if more:
        yield page.ink(_DIM, f"and {words.count(more, 'more kernel')}")
    if any(ASSUMED in row.measures[0].noise for row in rows if row.measures):
        yield page.ink(_DIM, clip("* assumed: too few launches to measure it", page.width))


class _Column:
    """A column of the table: its texts with the head, and how wide that is."""

    def __init__(self, right: bool, texts: list[str]) -> None:
        self.right = right
        self.texts = texts
        self.width = max(map(columns_of, texts))


def _columns(rows: Sequence[KernelRow], width: int) -> Iterator[tuple[bool, list[str]]]:
    main = [row.measures[0] if row.measures else None for row in rows]
    yield False, ["kernel", *(row.name for row in rows)]
    yield True, ["before", *(one.before if one else _MISSING for one in main)]
    yield True, ["after", *(one.after if one else _MISSING for one in main)]
    yield True, ["change", *(one.change if one else _MISSING for one in main)]
    yield True, ["1 sigma", *(_noise(one) if one else _MISSING for one in main)]
    if width >= _WIDE:
        yield False, ["limited by", *map(_limits, rows)]


def _noise(one: Measured) -> str:
    return one.noise.replace(ASSUMED, "*")


def _limits(row: KernelRow) -> str:
    return f" {ARROW} ".join(mark.label for mark in row.marks)


def _moved(shown: ComparisonView) -> list[KernelRow]:
    """Choose the kernels to explain: those that changed, else the only one there is."""
    changed = [row for row in shown.kernels if row.measures and row.measures[0].tone != "neutral"]
    told = changed or [row for row in shown.kernels[:1] if len(shown.kernels) == 1]
    return told[:_MOST_WHY]


def _why(row: KernelRow, page: _Page) -> Iterator[str]:
    """Say of one kernel what went, what came, and which numbers moved."""
    renamed = f"{row.renamed} {ARROW} " if row.renamed else ""
    verdict = f": {row.measures[0].verdict}" if row.measures else ""
    yield page.ink(_BOLD, clip(f"{renamed}{row.name}{verdict}", page.width))
    for note in filter(None, (row.match, *row.notes)):
        yield from page.wrapped(_DIM, words.sentence(note), "  ")
    yield clip(f"  Limited by: {_limits(row)} ({row.confidences})", page.width)
    for finding in row.findings:
        if finding.severity != "info":
            line = clip(f"{finding.fate}: {finding.title}", page.width - 2)
            yield f"  {page.ink(_TONES[finding.tone], line)}"
    for reason in row.reasons[:_MOST_REASONS]:
        yield from page.wrapped("", _reason(reason), "  ")


def _reason(reason: Reason) -> str:
    moves = (
        f"{move.label} {move.before} {ARROW} {move.after}"
        + (f" ({move.basis})" if move.basis else "")
        for move in reason.moves
    )
    return f"{reason.label}: {'; '.join(moves)}"


def _alone(head: str, rows: Sequence[AloneRow], page: _Page) -> Iterator[str]:
    if not rows:
        return
    shown = ", ".join(f"{row.name} ({row.time})" for row in rows[:_MOST_ALONE])
    more = len(rows) - _MOST_ALONE
    yield from page.wrapped("", f"{head}: {shown}{f' and {more} more' if more > 0 else ''}")

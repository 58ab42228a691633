"""Operators in the ticket: a table of all, then each one's numbers, folded."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.render.letters import glue
from ncu_triage.render.marked import bullets, code, inside, mixed, prose, table
from ncu_triage.view.build import View
from ncu_triage.view.shown_operators import OperatorView

_HEAD = ("Operator", "Calls", "Time", "Best", "Time / best", "Bytes / least", "Above best")
_IN_FULL = 8  # in a comment, which the kernels need, too
_NUMBERS = ("", "In theory", "Measured", "Ratio")


def operators(shown: View, most: int | None) -> Iterator[str]:
    """Write the operators, at most so many; only the first of those in full."""
    yield "### Operators"
    yield prose(shown.operators_note or "")
    yield table(_HEAD, map(_row, shown.operators[:most]), right=range(1, len(_HEAD)))
    for one in shown.operators if most is None else shown.operators[:_IN_FULL]:
        yield from _card(one)
    left = len(shown.operators[most:]) if most is not None else 0
    if left:
        yield f"*{left} more operators are not listed.*"


def _row(one: OperatorView) -> list[str]:
    name = f"{prose(one.name)}<br>{prose(one.title)}"
    cells = (one.time, one.best, one.over_best, one.traffic, one.above)
    return [name, one.calls, *map(glue, cells)]


def _card(one: OperatorView) -> Iterator[str]:
    yield f"<details>\n<summary>{inside(one.name)}: {inside(one.sentence)}</summary>"
    yield f"{prose(one.title)}: {prose(one.shape)}"
    if one.kernels:
        rest = f" and {one.more} more" if one.more else ""
        yield f"{one.launches} of {', '.join(code(name.short) for name in one.kernels)}{rest}"
    cells = (
        (
            f"{row.label}<br>{prose(row.note)}" if row.note else row.label,
            glue(row.theory),
            prose(glue(row.measured or "")),
            glue(row.ratio or ""),
        )
        for row in one.rows
    )
    yield table(_NUMBERS, cells, right=(1, 2, 3))
    yield bullets(map(mixed, one.notes))
    yield bullets(f"{prose(fact.label)}: {code(fact.text)}" for fact in one.formulas)
    yield "</details>"

"""How the gate ended, as text: what failed, with what was expected and found."""

from __future__ import annotations

from collections.abc import Mapping

from ncu_triage.gate.gated import Gated
from ncu_triage.gate.rows import WHOLE, About, Row, failures, unjudged
from ncu_triage.render.comparison_shown import GateRow, GateView, Tone
from ncu_triage.view import words
from ncu_triage.view.names import shorten

_ORDER = ("failed", "warning", "nothing to judge", "acknowledged")


def gate_view(gated: Gated, short: Mapping[str, str], *, whole: bool = True) -> GateView:
    """Arrange the rows that did not simply pass, gravest first."""
    rows = [_row(row, short) for row in gated.rows if row.outcome != "passed"]
    return GateView(
        sentence=gate_sentence(gated, whole=whole),
        rows=sorted(rows, key=lambda row: _ORDER.index(row.state)),
        passed=sum(row.outcome == "passed" for row in gated.rows),
    )


def gate_sentence(gated: Gated, *, whole: bool = True) -> str:
    """Say how the gate ended; over less than the `whole` it does not simply pass."""
    failed = failures(gated.rows)
    if failed:
        broken = len({row.condition for row in failed})
        of = words.count(len({row.condition for row in gated.rows}), "condition")
        does = "does" if broken == 1 else "do"
        many = words.count(len(failed), "failure")
        return f"The gate fails: {many}; {broken} of {of} {does} not hold."
    open_ = unjudged(gated.rows)
    if open_:
        return f"The gate does not pass: nothing could be judged by {', '.join(open_)}."
    if gated.lost or not whole:
        return "The gate does not pass: what could be judged is fine, and not all could be."
    return "The gate passes."


def state(row: Row) -> str:
    """Name a row's outcome; a failure of level warn is a warning."""
    if row.outcome == "failed" and row.level == "warn":
        return "warning"
    return "nothing to judge" if row.outcome == "nothing" else row.outcome


def about_text(about: About, short: Mapping[str, str] | None = None) -> str:
    """Name what a row is about: the file where there are several, the kernel, its shape."""
    name = WHOLE if about.name == WHOLE else (short or {}).get(about.name) or shorten(about.name)
    place = ""
    if about.grid and about.block:
        grid, block = ("x".join(map(str, extent)) for extent in (about.grid, about.block))
        place = f" (grid {grid}, block {block})"
    return f"{f'{about.source}: ' if about.source else ''}{name}{place}"


def _row(row: Row, short: Mapping[str, str]) -> GateRow:
    told = state(row)
    tone: Tone = "worse" if told in ("failed", "warning") else "neutral"
    return GateRow(
        state=told,
        tone=tone,
        condition=row.condition,
        about=about_text(row.about, short),
        expected=row.expected,
        found=row.found,
        evidence=row.evidence,
        reason=row.reason,
    )

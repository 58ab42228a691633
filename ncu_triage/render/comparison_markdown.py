"""A comparison as Markdown: the comment under a pull request, whole even when it is long.

Names come from reports and are set as code, where nothing in them means anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.gated import Gated
from ncu_triage.render.comparison_shown import (
    AloneRow,
    ComparisonView,
    GateRow,
    GateView,
    KernelRow,
    Measured,
    Move,
)
from ncu_triage.render.comparison_view import comparison_view
from ncu_triage.render.comparison_words import ARROW
from ncu_triage.render.marked import code, prose, table, tag
from ncu_triage.view import words

# A comment holds 65,536 characters; these many lines stay below a third of that.
_MOST_ROWS, _MOST_WHY, _MOST_GATE, _MOST_EVIDENCE = 20, 5, 20, 6
_LONGEST = 300
# By this line a job finds the comment that it wrote before, to replace it.
MARK = "<!-- ncu-triage compare -->"
_NUMBERS = range(1, 5)
_HEAD = ("before", "after", "change", "one sigma")


def render(comparison: Comparison, gated: Gated | None = None) -> bytes:
    """Write the comment."""
    shown = comparison_view(comparison, gated)
    return ("\n".join(_lines(shown)).rstrip() + "\n").encode()


def render_gate(headline: str, shown: GateView) -> bytes:
    """Write what the gate of a scan said, under the line that says how the scan went."""
    lines = ["### ncu-triage scan", "", f"**{prose(headline)}**", "", *_gate(shown)]
    return ("\n".join(lines).rstrip() + "\n").encode()


def _name(text: str) -> str:
    return code(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _lines(shown: ComparisonView) -> Iterator[str]:
    yield from (MARK, "### ncu-triage compare", "", _name(shown.title), "")
    for caveat in shown.caveats:
        sign = "**Not comparable:** " if caveat.refuses else ""
        yield from (f"> {sign}{prose(caveat.text)} {prose(caveat.effect)}", "")
    yield from (f"**{prose(shown.headline)}**", "")
    for sentence in shown.sentences:
        yield from (prose(sentence), "")
    if shown.gate:
        yield from _gate(shown.gate)
    if shown.totals:
        rows = [_measured(one) for one in shown.totals]
        yield from (table(("the whole", *_HEAD), rows, _NUMBERS), "")
    yield from _kernels(shown.kernels)
    yield from _alone("Only before", shown.only_before)
    yield from _alone("Only after", shown.only_after)
    facts = "; ".join(f"{fact.label} {fact.text}" for fact in shown.facts)
    yield prose(f"{facts}. {shown.tool}.")


def _measured(one: Measured) -> list[str]:
    change = f"**{one.change}**" if one.tone != "neutral" else one.change
    return [prose(one.label), prose(one.before), prose(one.after), change, prose(one.noise)]


def _kernels(kernels: Sequence[KernelRow]) -> Iterator[str]:
    rows = kernels[:_MOST_ROWS]
    if not rows:
        return
    head = ("kernel", *_HEAD, "limited by", "findings")
    yield from (table(head, [_kernel(row) for row in rows], _NUMBERS), "")
    more = len(kernels) - len(rows)
    if more:
        yield from (f"and {words.count(more, 'more kernel')}", "")
    changed = [row for row in rows if row.measures and row.measures[0].tone != "neutral"]
    for row in (changed or rows[:1])[:_MOST_WHY]:
        yield from _why(row)


def _kernel(row: KernelRow) -> list[str]:
    measures = _measured(row.measures[0])[1:] if row.measures else ["no time"] + [""] * 3
    renamed = f"{_name(row.renamed)} {ARROW} " if row.renamed else ""
    told = [f"{f.fate}: {f.rule}" for f in row.findings if f.severity != "info"]
    limits = f" {ARROW} ".join(mark.label for mark in row.marks)
    return [f"{renamed}{_name(row.name)}", *measures, prose(limits), prose("; ".join(told))]


def _why(row: KernelRow) -> Iterator[str]:
    """Write what explains a kernel's change, folded."""
    verdict = f": {row.measures[0].change}" if row.measures else ""
    yield from (f"<details><summary>{tag(row.name)}{verdict}</summary>", "")
    for note in filter(None, (row.match, *row.notes)):
        yield f"* {prose(words.sentence(note))}"
    for finding in row.findings:
        yield f"* {finding.fate}: {prose(finding.title)} ({finding.severity})"
    for reason in row.reasons:
        yield f"* {prose(reason.label)}: {'; '.join(map(_move, reason.moves))}"
    yield from ("", "</details>", "")


def _move(move: Move) -> str:
    basis = f" ({move.basis})" if move.basis else ""
    return prose(f"{move.label} {move.before} {ARROW} {move.after}{basis}")


def _gate(gate: GateView) -> Iterator[str]:
    yield from (f"**{prose(gate.sentence)}**", "")
    for row in gate.rows[:_MOST_GATE]:
        yield from _gate_row(row)
    more = len(gate.rows) - _MOST_GATE
    if more > 0:
        yield f"* and {more} more"
    if gate.rows:
        yield ""


def _gate_row(row: GateRow) -> Iterator[str]:
    yield (
        f"* **{row.state}** {code(row.condition)} {_name(row.about)}: "
        f"expected {prose(row.expected)}; found {prose(row.found)}"
    )
    for line in row.evidence[:_MOST_EVIDENCE]:
        yield f"  * {prose(line)}"
    if row.reason:
        yield f"  * {prose(row.reason)}"


def _alone(head: str, rows: Sequence[AloneRow]) -> Iterator[str]:
    if not rows:
        return
    named = [f"{_name(row.name)} ({row.time})" for row in rows[:_MOST_WHY]]
    more = len(rows) - len(named)
    yield from (f"{head}: {', '.join(named)}{f' and {more} more' if more else ''}", "")

"""The summary in the terminal: what a person reads first, on one screen."""

from __future__ import annotations

from ncu_triage.errors import InputError
from ncu_triage.model import Diagnosis
from ncu_triage.render.choice import Choice
from ncu_triage.render.console_card import card
from ncu_triage.render.console_table import chosen, lines, notes
from ncu_triage.render.ink import Ink
from ncu_triage.render.letters import clip, printable, wrap
from ncu_triage.view import words
from ncu_triage.view.build import View, view
from ncu_triage.view.header import CEILINGS
from ncu_triage.view.shown import FindingView, Row, Saving

_SCREEN = 24  # lines; the kernel table takes what the rest leaves
_LEAST_ROWS = 3
_BESIDE_ROWS = 5  # the head, two notes, a blank line and the prompt
_HEAD_LINES = 2
_MISSING_LINES = 2  # for titles
_WHOLE = 2  # findings about the whole report
_NARROWEST = 40
_CARDS = 5  # kernels that are told in full where a name is asked for
_FACTS = ("GPU time", "Launches", "GPU", "SM clock", "Collected")
_ALL = Choice()


def render(
    diagnosis: Diagnosis, *, colour: bool = False, width: int = 80, choice: Choice = _ALL
) -> str:
    """Write the summary for a terminal of so many columns.

    Where a name is asked for, the kernels of that name are told in full instead. Raises
    InputError where there is none.
    """
    shown, ink, width = view(diagnosis), Ink(colour), max(width, _NARROWEST)
    rows = chosen(shown.table, choice)
    if choice.kernel and not rows:
        found = words.count(len(shown.table.rows), "kernel")
        raise InputError(f"--kernel {choice.kernel.pattern}: none of {found} has such a name")
    blocks = _kernel_blocks if choice.kernel else _summary_blocks
    found_blocks = blocks(shown, rows, choice, ink, width)
    return "\n\n".join("\n".join(block) for block in found_blocks if block) + "\n"


def _summary_blocks(
    shown: View, rows: list[Row], choice: Choice, ink: Ink, width: int
) -> list[list[str]]:
    above = [
        _head(shown, ink, width),
        _verdict(shown, ink, width),
        _priorities(shown, ink, width),
        _timeline(shown, ink, width),
    ]
    below = [_operators(shown, ink, width), _rest(shown, ink, width)]
    used = sum(len(block) + 1 for block in above + below if block)
    fitting = max(_LEAST_ROWS, _SCREEN - used - _BESIDE_ROWS)
    table = _kernels(shown, rows, choice._replace(top=choice.top or fitting), ink, width)
    return [*above, table, *below]


def _kernel_blocks(
    shown: View, rows: list[Row], choice: Choice, ink: Ink, width: int
) -> list[list[str]]:
    most = choice.top or _CARDS
    cards = {one.name.anchor: one for one in shown.cards}
    told = [card(cards[row.name.anchor], ink, width) for row in rows[:most]]
    table = _kernels(shown, rows, choice._replace(top=most), ink, width)
    return [
        [*_head(shown, ink, width), *_achievable(shown, ink, width)],
        table,
        *_told_operators(shown, rows[:most], ink, width),
        *told,
    ]


def _head(shown: View, ink: Ink, width: int) -> list[str]:
    told = {fact.label: fact.text for fact in shown.facts}
    facts = "; ".join(f"{label} {told[label]}" for label in _FACTS if label in told)
    private = [line for fact in shown.private for line in wrap(f"{fact.label}: {fact.text}", width)]
    head = [ink.bold(clip(shown.title, width)), *map(ink.dim, wrap(facts, width, _HEAD_LINES))]
    return [*head, *map(ink.dim, private)]


def _verdict(shown: View, ink: Ink, width: int) -> list[str]:
    lines = [ink.bold(line) for line in wrap(shown.verdict.headline, width)]
    return lines + [line for text in shown.verdict.sentences for line in wrap(text, width)]


def _priorities(shown: View, ink: Ink, width: int) -> list[str]:
    """Write two lines a priority: what it is, then what it saves, of whose time, and where."""
    lines = []
    missing = "; ".join(one.title for one in shown.priorities if one.missing)
    for i, one in enumerate((p for p in shown.priorities if not p.missing), 1):
        lines.append(clip(f"{i}. {one.title}", width))
        where = ", ".join(name.short for name in one.kernels) + (", …" if one.more else "")
        lines.append(ink.dim(clip(f"   {_saving(one.saving)}: {where}", width)))
        if one.beside:
            lines.append(ink.dim(clip(f"   {one.beside}", width)))
    if missing:
        lines += wrap(f"{shown.ranking.missing} {missing}", width, _MISSING_LINES)
    more = shown.ranking.more_than_any
    lines = [*(wrap(more, width) if more else []), *lines]
    head = clip(f"Fix first, {shown.ranking.short}", width)
    return [ink.bold(head), *lines] if lines else []


def _timeline(shown: View, ink: Ink, width: int) -> list[str]:
    """Write what a timeline says in a few lines; that one is refused stands in a note."""
    one = shown.timeline
    if one is None or not one.in_short:
        return []
    told = [line for text in one.in_short for line in wrap(text, width)]
    return [ink.bold(clip(f"On the timeline {one.name}", width)), *told]


def _operators(shown: View, ink: Ink, width: int) -> list[str]:
    if not shown.operators:
        return []
    from ncu_triage.render.console_operators import operators

    return operators(shown, ink, width)


def _told_operators(shown: View, rows: list[Row], ink: Ink, width: int) -> list[list[str]]:
    if not shown.operators:
        return []
    from ncu_triage.render.console_operators import in_full

    return list(in_full(shown, {row.name.anchor for row in rows}, ink, width))


def _saving(saving: Saving) -> str:
    expected = f"{saving.expected} ({saving.expected_share}) expected"
    return f"{expected}, {saving.at_most} ({saving.at_most_share}) at most"


def _kernels(shown: View, rows: list[Row], choice: Choice, ink: Ink, width: int) -> list[str]:
    """Write the table's first rows, how many there are besides, and what the numbers mean."""
    listed = rows[: choice.top]
    if not listed:
        return []
    head, *texts = lines(shown.table, listed, width, choice.sort)
    left = len(rows) - len(listed)
    more = [f"and {words.count(left, 'more kernel')}; --top {len(rows)} lists all"] if left else []
    signs = wrap(notes(shown.table, listed, width, choice.sort), width)
    return [ink.dim(head), *texts, *map(ink.dim, more + signs)]


def _achievable(shown: View, ink: Ink, width: int) -> list[str]:
    """Say in a line by which ceilings was judged."""
    told = (fact for fact in shown.facts if fact.label == CEILINGS)
    return [ink.dim(clip(f"{fact.label}: {fact.text}", width)) for fact in told]


def _whole(found: FindingView, ink: Ink, width: int) -> list[str]:
    """Write a finding about the whole, and below it the kernels that it concerns."""
    rows = found.parts.rows if found.parts else []
    names = dict.fromkeys(name.short for row in rows for name in row.kernels)
    where = [ink.dim(clip(f"   {', '.join(names)}", width))] if names else []
    return [clip(found.title, width), *where]


def _rest(shown: View, ink: Ink, width: int) -> list[str]:
    """Say what concerns the whole report, what to read with care, what to collect next."""
    above = {one.title for one in shown.priorities}
    whole = [f for f in shown.findings if f.severity != "info" and f.title not in above]
    lines = [line for found in whole[:_WHOLE] for line in _whole(found, ink, width)]
    lines += _achievable(shown, ink, width)
    if shown.notices:
        notice, more = shown.notices[0], len(shown.notices) - 1
        rest = f" ({words.count(more, 'more note')})" if more else ""
        lines += map(ink.care, wrap(f"Note: {notice.text}{rest}", width))
    undecided = len(shown.undecided)
    if undecided:
        text = f"{words.count(undecided, 'rule')} could not be decided: numbers are missing."
        lines += wrap(text, width)
    if shown.collect_next:
        lines += [ink.bold("Collect next"), f"  {printable(shown.collect_next.command)}"]
        lines += [ink.dim(f"  {line}") for line in wrap(shown.collect_next.why, width - 2)]
    return lines

"""The ticket: Markdown that reads well in GitHub, GitLab and Jira, and stays short.

A comment there holds 64 KB, so what does not fit is left out and said to be: kernels from
the end of the list first, never the verdict or what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncu_triage.model import Diagnosis
from ncu_triage.render.letters import glue
from ncu_triage.render.markdown_card import Told, card, finding
from ncu_triage.render.marked import bullets, code, mixed, prose, table
from ncu_triage.view import words
from ncu_triage.view.build import View, view
from ncu_triage.view.shown import Cell, Name, PriorityView, Row, Table

LIMIT = 60_000  # bytes
_KEYS = ("DRAM", "L2", "L1 / shared", "SM")  # a comment is narrow
_ROWS = 40  # of a table
_RESERVE = 400  # for the sentence that says what was cut


def render(diagnosis: Diagnosis) -> bytes:
    """Write the ticket, cut to what a comment holds."""
    return _write(diagnosis, LIMIT, _ROWS)


def render_full(diagnosis: Diagnosis) -> bytes:
    """Write the ticket with every kernel, however long it gets."""
    return _write(diagnosis, None, None)


def _write(diagnosis: Diagnosis, limit: int | None, rows: int | None) -> bytes:
    shown = view(diagnosis)
    head, tail = _joined(_head(shown, rows)), _joined(_tail(shown, rows))
    room = None if limit is None else limit - len(head.encode()) - len(tail.encode()) - _RESERVE
    return _joined([head, *_cards(shown, room), tail]).encode() + b"\n"


def _joined(blocks: Iterable[str]) -> str:
    return "\n\n".join(block for block in blocks if block)


def _cards(shown: View, room: int | None) -> Iterator[str]:
    """Write the kernels' parts while there is room, then how many are cut."""
    if shown.cards:
        yield "### Kernel by kernel"
    told: Told = {}
    for i, one in enumerate(shown.cards):
        text = card(one, told)
        size = len(text.encode()) + 2
        if room is not None and size > room:
            left = words.count(len(shown.cards) - i, "kernel")
            yield f"*Cut here to fit a comment: {left} more. `--uncut` writes all of them.*"
            return
        room = None if room is None else room - size
        yield text


def _head(shown: View, rows: int | None) -> Iterator[str]:
    yield f"## {prose(shown.title)}"
    yield f"**{prose(shown.verdict.headline)}**"
    yield "  \n".join(map(prose, shown.verdict.sentences))
    facts = [*shown.facts, *shown.private]
    yield " · ".join(f"{fact.label}: {prose(fact.text)}" for fact in facts)
    yield _notices(shown)
    yield from _priorities(shown)
    if shown.timeline:
        from ncu_triage.render.markdown_timeline import timeline

        yield from timeline(shown.timeline)
    yield from _times(shown)
    if shown.findings:
        yield "### About the whole report"
        yield "\n".join(line for one in shown.findings for line in finding(one, {}))
    if shown.operators:
        from ncu_triage.render.markdown_operators import operators

        yield from operators(shown, rows)
    yield from _kernels(shown.table, rows)


def _notices(shown: View) -> str:
    lines = [
        f"**{prose(one.text)}** {prose(one.effect)}{_in(one.kernels, one.more, one.concerned)}"
        for one in shown.notices
    ]
    text = f"**Read with care**\n\n{bullets(lines)}"
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines()) if lines else ""


def _in(names: list[Name], more: int, concerned: str = "") -> str:
    rest = (f" and {more} more" if more else "") + (f" ({concerned})" if concerned else "")
    return f" In {', '.join(code(one.short) for one in names)}{rest}." if names else ""


def _priorities(shown: View) -> Iterator[str]:
    yield "### What to fix first"
    if shown.ranking.more_than_any:
        yield f"**{prose(shown.ranking.more_than_any)}**"
    if not shown.priorities:
        yield "No finding of this report comes with a saving."
        return
    ranked = [one for one in shown.priorities if not one.missing]
    yield "\n".join(f"{i}. {_priority(one)}" for i, one in enumerate(ranked, 1))
    yield prose(shown.ranking.text)
    if missing := [_priority(one) for one in shown.priorities if one.missing]:
        yield f"{prose(shown.ranking.missing or '')}\n\n{bullets(missing)}"


def _priority(one: PriorityView) -> str:
    saved = one.saving
    of = f" {saved.of}" if one.missing else ""
    expected = f"**{saved.expected}** ({saved.expected_share}{of}) expected"
    most = f"{saved.at_most} ({saved.at_most_share}) at most"
    sure = "" if one.confidence == "high" else f"; {one.confidence} confidence"
    where = _in(one.kernels, one.more, one.launches)
    other = f" {prose(one.beside)}" if one.beside else ""
    return f"**{prose(one.title)}**  \n   {expected}, {most}{sure}.{where}{other}"


def _times(shown: View) -> Iterator[str]:
    if not shown.times:
        return
    yield "### Where the time goes"
    rows = [(one.mark.label, one.share, one.time, f"{one.kernels:,}") for one in shown.times]
    yield table(("Limited by", "Share", "Time", "Kernels"), rows, right=(1, 2, 3))


def _kernels(kernels: Table, most: int | None) -> Iterator[str]:
    if not kernels.rows:
        return
    yield "### Kernels"
    keys = [i for i, key in enumerate(kernels.keys) if key.label in _KEYS]
    heads = [f"{kernels.keys[i].label}<br>{kernels.keys[i].basis or ''}" for i in keys]
    header = ("Kernel", "Share", "Median", "P99", "n", "Limited by", *heads)
    numbers = (1, 2, 3, 4, *range(6, len(header)))
    yield table(header, (_row(row, keys) for row in kernels.rows[:most]), right=numbers)
    left = len(kernels.rows[most:]) if most is not None else 0
    if left:
        yield f"*The {len(kernels.rows) - left} longest kernels; {left} more are not listed.*"


def _row(row: Row, keys: Iterable[int]) -> list[str]:
    return [
        f"{code(row.name.short)}<br>{row.shape}" if row.shape else code(row.name.short),
        *map(glue, (row.share.text, row.median.text, row.p99.text)),
        row.launches.text,
        f"{row.mark.label} ({row.confidence})",
        *(_key(row.keys[i]) for i in keys),
    ]


def _key(cell: Cell) -> str:
    return f"{glue(cell.text)}<br>{cell.note}" if cell.note else glue(cell.text)


def _tail(shown: View, rows: int | None) -> Iterator[str]:
    yield "### What this report cannot say"
    if shown.collect_next:
        yield f"Collect next: {code(shown.collect_next.command)}"
        passes = shown.collect_next.passes
        yield mixed(shown.collect_next.why) + (f" Expect {prose(passes)}." if passes else "")
    yield from _undecided(shown, rows)
    yield "### How it was measured"
    yield bullets(f"{prose(fact.label)}: {prose(fact.text)}" for fact in shown.method.facts)
    if shown.method.ceilings:
        told = [f"*{prose(fact.label)}*: {prose(fact.text)}" for fact in shown.method.ceilings]
        yield f"Judged by these ceilings:\n\n{bullets(told)}"
    bases = [f"*{fact.label}*: {prose(fact.text)}" for fact in shown.method.bases]
    yield f"Percentages are of different wholes:\n\n{bullets(bases)}" if bases else ""
    tool = shown.tool
    yield prose(f"Made by {tool.name} {tool.version} (rules {tool.rules}).")


def _undecided(shown: View, rows: int | None) -> Iterator[str]:
    if not shown.undecided:
        yield "Every rule could be decided."
        return
    cells = [
        (prose(u.title), f"{u.kernels:,}", u.share or "unknown", prose(u.missing), code(u.collect))
        for u in shown.undecided[:rows]
    ]
    header = ("Undecided rule", "Kernels", "Share of the time", "Missing", "Collect")
    yield table(header, cells, right=(1, 2))

"""The summary in the terminal: what a person reads first, on one screen."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ncu_triage.model import Diagnosis
from ncu_triage.render.letters import clip, columns_of, fit, printable, squeeze, wrap
from ncu_triage.view import words
from ncu_triage.view.build import View, view
from ncu_triage.view.shown import Cell, Row, Saving, Table

_SCREEN = 24  # lines; the kernel table takes what the rest leaves
_LEAST_ROWS = 3
_BESIDE_ROWS = 5  # the head, two notes, a blank line and the prompt
_HEAD_LINES = 2
_WHOLE = 2  # findings about the whole report
_LEAST_FINDING = 20
_NARROWEST = 40
_WIDE = 118
_LEAST_NAME, _LONGEST_NAME = 12, 44
_FACTS = ("GPU time", "Launches", "GPU", "SM clock", "Collected")
_KEYS = ("DRAM", "L1 / shared", "SM")  # what there is room for in a narrow terminal
_MISSING, _OTHER_BASIS = "-", "*"


class _Ink(NamedTuple):
    """Letters' weight and colour; plain where the output is no terminal."""

    on: bool

    def bold(self, text: str) -> str:
        return self._in("1", text)

    def dim(self, text: str) -> str:
        return self._in("2", text)

    def care(self, text: str) -> str:
        return self._in("33", text)

    def _in(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self.on and text else text


class _Column(NamedTuple):
    """A column of the table: its head, its texts, and which side they lean to."""

    head: str
    texts: list[str]
    right: bool = True


def render(diagnosis: Diagnosis, *, colour: bool = False, width: int = 80) -> str:
    """Write the summary for a terminal of so many columns."""
    shown, ink, width = view(diagnosis), _Ink(colour), max(width, _NARROWEST)
    above = [
        _head(shown, ink, width),
        _verdict(shown, ink, width),
        _priorities(shown, ink, width),
    ]
    below = [_rest(shown, ink, width)]
    used = sum(len(block) + 1 for block in above + below if block)
    rows = max(_LEAST_ROWS, _SCREEN - used - _BESIDE_ROWS)
    blocks = [*above, _kernels(shown, ink, width, rows), *below]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _head(shown: View, ink: _Ink, width: int) -> list[str]:
    told = {fact.label: fact.text for fact in shown.facts}
    facts = "; ".join(f"{label} {told[label]}" for label in _FACTS if label in told)
    return [ink.bold(clip(shown.title, width)), *map(ink.dim, wrap(facts, width, _HEAD_LINES))]


def _verdict(shown: View, ink: _Ink, width: int) -> list[str]:
    lines = [ink.bold(line) for line in wrap(shown.verdict.headline, width)]
    return lines + [line for text in shown.verdict.sentences for line in wrap(text, width)]


def _priorities(shown: View, ink: _Ink, width: int) -> list[str]:
    """Write two lines a priority: what it is, then what it saves and where."""
    lines = []
    for i, one in enumerate(shown.priorities, 1):
        lines.append(clip(f"{i}. {one.title}", width))
        where = ", ".join(name.short for name in one.kernels) + (", …" if one.more else "")
        lines.append(ink.dim(clip(f"   {_saving(one.saving)}: {where}", width)))
    return [ink.bold("Fix first"), *lines] if lines else []


def _saving(saving: Saving) -> str:
    expected = f"{saving.expected} ({saving.expected_share}) expected"
    return f"{expected}, {saving.at_most} ({saving.at_most_share}) at most"


def _kernels(shown: View, ink: _Ink, width: int, most: int) -> list[str]:
    """Write the table of the longest kernels in the columns that there is room for."""
    rows = shown.table.rows[:most]
    if not rows:
        return []
    columns = _columns(shown.table, rows, width)
    lines = [clip(line, width) for line in _table(columns, _name_room(columns, width))]
    left = len(shown.table.rows) - len(rows)
    more = [f"and {words.count(left, 'more kernel')}"] if left else []
    notes = wrap(_notes(shown.table, rows, width), width)
    return [ink.dim(lines[0]), *lines[1:], *map(ink.dim, more + notes)]


def _shown_keys(table: Table, width: int) -> list[int]:
    return [i for i, key in enumerate(table.keys) if width >= _WIDE or key.label in _KEYS]


def _columns(table: Table, rows: Sequence[Row], width: int) -> list[_Column]:
    keys = [
        _Column(f"{table.keys[i].label.split()[0]} %", [_number(row.keys[i]) for row in rows])
        for i in _shown_keys(table, width)
    ]
    columns = [
        _Column("kernel", [row.name.short for row in rows], right=False),
        _Column("share", [row.share.text for row in rows]),
        _Column("median", [row.median.text for row in rows]),
        _Column("n", [row.launches.text for row in rows]),
        *keys,
        _Column("limited by", [_limit(row) for row in rows], right=False),
    ]
    left = width - sum(2 + _widest(column) for column in columns)
    if width < _WIDE or left < _LEAST_FINDING:
        return columns
    findings = [clip(row.finding or "none", left) for row in rows]
    return [*columns, _Column("first finding", findings, right=False)]


def _number(cell: Cell) -> str:
    if cell.sort is None:
        return _MISSING
    return cell.text.removesuffix(" %") + (_OTHER_BASIS if cell.note else "")


def _notes(table: Table, rows: Sequence[Row], width: int) -> str:
    """Say of what the percentages are, and what the signs between them mean."""
    keys = _shown_keys(table, width)
    bases: dict[str, list[str]] = defaultdict(list)
    for key in (table.keys[i] for i in keys):
        bases[words.of_what(key.basis) or ""].append(key.label.split()[0])
    texts = [f"{', '.join(labels)} {basis}" for basis, labels in bases.items() if basis]
    cells = [row.keys[i] for row in rows for i in keys]
    others = sorted({cell.note for cell in cells if cell.note})
    texts += [f"{_OTHER_BASIS} {words.of_what(note)}" for note in others]
    if any(cell.sort is None for cell in cells):
        texts.append(f"{_MISSING} not collected")
    return "; ".join(texts)


def _limit(row: Row) -> str:
    sure = row.confidence == "high"
    return row.mark.label if sure else f"{row.mark.label} ({row.confidence})"


def _name_room(columns: Sequence[_Column], width: int) -> int:
    """Return what the names may take: what the other columns leave."""
    used = sum(2 + _widest(column) for column in columns[1:])
    return max(_LEAST_NAME, min(_LONGEST_NAME, width - used))


def _widest(column: _Column) -> int:
    return max(columns_of(text) for text in (column.head, *column.texts))


def _table(columns: Sequence[_Column], names: int) -> Iterable[str]:
    rooms = [min(names, _widest(columns[0])), *map(_widest, columns[1:])]
    kernels = columns[0]._replace(texts=[squeeze(text, rooms[0]) for text in columns[0].texts])
    columns = [kernels, *columns[1:]]
    for row in zip(*([column.head, *column.texts] for column in columns), strict=True):
        cells = zip(row, rooms, columns, strict=True)
        yield "  ".join(fit(text, room, column.right) for text, room, column in cells).rstrip()


def _rest(shown: View, ink: _Ink, width: int) -> list[str]:
    """Say what concerns the whole report, what to read with care, what to collect next."""
    lines = [clip(finding.title, width) for finding in shown.findings[:_WHOLE]]
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
    return lines

"""One kernel in the terminal: its verdict, and each finding with evidence and remedies."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.render.ink import Ink
from ncu_triage.render.letters import wrap
from ncu_triage.view.shown import Bar, Card, EvidenceRow, FindingView

_STALLS = 4
_NARROWEST = 20


def card(one: Card, ink: Ink, width: int) -> list[str]:
    """Write all that is to be said of a kernel."""
    facts = "; ".join(f"{fact.label.lower()} {fact.text}" for fact in one.facts)
    judged = f"{one.mark.label}, {one.confidence} confidence. {one.sentence}"
    return [
        *map(ink.bold, wrap(one.name.full or one.name.short, width)),
        *map(ink.dim, wrap(facts, width)),
        *wrap(judged, width),
        *(
            ink.care(line)
            for notice in one.notices
            for line in wrap(f"Note: {notice.label}", width)
        ),
        *_numbers(one, width),
        *(line for found in one.findings for line in _finding(found, ink, width, "")),
        *_undecided(one, ink, width),
    ]


def _numbers(one: Card, width: int) -> Iterator[str]:
    if one.mixed:
        yield from wrap(f"Its launches differ. {'. '.join(one.mixed)}.", width)
    yield from wrap("; ".join(f"{bar.label} {_value(bar)}" for bar in one.bars), width)
    if one.stalls:
        states = [f"{bar.label} {bar.text}" for bar in one.stalls.bars[:_STALLS]]
        yield from wrap(f"Warps: {', '.join(states)} ({one.stalls.source})", width)
    yield from wrap(f"Roofline: {'; '.join(one.roof)}", width)
    for line in one.what_if:
        yield from wrap(f"What if: {line}", width)


def _value(bar: Bar) -> str:
    return f"{bar.text} {bar.of}" if bar.of else bar.text


def _finding(one: FindingView, ink: Ink, width: int, indent: str) -> Iterator[str]:
    inner = indent + "  "
    sure = "" if one.confidence == "high" else f", {one.confidence} confidence"
    title = _hanging(f"* {one.title} ({one.severity} severity{sure}, {one.rule})", indent, width)
    yield from ([] if indent else [""])
    yield from map(ink.bold, title)
    if one.gain:
        gain = f"{one.gain.expected} expected, at most {one.gain.at_most} of {one.gain.of}"
        yield from _in(f"{gain}; then limited by {one.gain.limited_by}", inner, width)
    yield from _in(one.cause, inner, width)
    if one.evidence:
        evidence = "; ".join(map(_evidence, one.evidence))
        yield from map(ink.dim, _in(f"Evidence: {evidence}", inner, width))
    for place in one.places:
        yield from _hanging(f"at {place.code}: {place.share}", inner, width)
    for i, remedy in enumerate(one.remedies, 1):
        yield from _hanging(f"{i}. {remedy}", inner, width)
    for next in one.consequences:
        yield from _finding(next, ink, width, inner)


def _in(text: str, indent: str, width: int) -> list[str]:
    """Wrap a text of the rules, whose code stands between backticks."""
    plain = text.replace("`", "")
    return [indent + line for line in wrap(plain, max(_NARROWEST, width - len(indent)))]


def _hanging(text: str, indent: str, width: int) -> list[str]:
    """Wrap a list's item: its later lines begin under its first word."""
    mark, _, rest = text.partition(" ")
    below = indent + " " * (len(mark) + 1)
    first, *others = _in(rest, below, width) or [below]
    return [f"{indent}{mark} {first.lstrip()}", *others]


def _evidence(row: EvidenceRow) -> str:
    beside = ", ".join(text for text in (row.limit, row.basis) if text)
    return f"{row.label} {row.value}{f' ({beside})' if beside else ''}"


def _undecided(one: Card, ink: Ink, width: int) -> list[str]:
    rules = ", ".join(rule.title for rule in one.undecided)
    return list(map(ink.dim, wrap(f"Undecided: {rules}", width))) if rules else []

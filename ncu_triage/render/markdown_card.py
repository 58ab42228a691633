"""One kernel's part of the ticket: folded, with the verdict, its numbers and its findings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ncu_triage.render.marked import code, inside, mixed, prose, tag
from ncu_triage.view.shown import Bar, Card, EvidenceRow, FindingView, Name, PartView, StallsView

_STALLS = 5
_REPORT = Name("the report", None, "")  # whose findings are about no single kernel


# What was told of a rule already, and under which kernel: nothing is said twice.
Told: TypeAlias = dict[tuple[str, ...], Name]


def card(one: Card, told: Told) -> str:
    """Write a kernel's part; Jira, which does not fold, shows the same text open."""
    facts = "; ".join(f"{fact.label.lower()} {prose(fact.text)}" for fact in one.facts)
    findings = [line for found in one.findings for line in finding(found, told, one.name)]
    first = f". {inside(one.findings[0].title)}" if one.findings else ""
    summary = f"{tag(one.name.short)}{_shape(one)}: {one.mark.label}, {_time(one)}{first}"
    blocks = [
        f"<details>\n<summary>{summary}</summary>",
        f"{code(one.name.full or one.name.short)}  \n{facts}",
        f"**{one.mark.label}**, {one.confidence} confidence. {prose(one.sentence)}",
        *_care(one),
        _busy(one.bars),
        _warps(one.stalls),
        f"Roofline: {prose('; '.join(one.roof))}",
        f"What if: {prose(' '.join(one.what_if))}",
        "\n".join(findings) or "No rule found anything.",
        _undecided(one),
        "</details>",
    ]
    return "\n\n".join(block for block in blocks if block)


def _shape(one: Card) -> str:
    shape = next((fact.text for fact in one.facts if fact.label == "Shape"), "")
    return f" ({shape})" if shape else ""


def _time(one: Card) -> str:
    facts = {fact.label: fact.text for fact in one.facts}
    time = facts.get("Total") or facts.get("Duration") or "time unknown"
    return f"{facts['Share']} of the time ({time})" if "Share" in facts else time


def _care(one: Card) -> Iterator[str]:
    if one.mixed:
        yield f"Its launches differ. {prose('. '.join(one.mixed))}."
    for notice in one.notices:
        yield f"> {prose(notice.label)}"
    for failure in one.failures:
        yield f"> **The rule {prose(failure.label)} failed.** {prose(failure.text)}"


def _busy(bars: list[Bar]) -> str:
    return f"Busy: {'; '.join(map(_bar, bars))}."


def _bar(bar: Bar) -> str:
    beside = ", ".join(prose(text) for text in (bar.of, bar.note) if text)
    return f"{bar.label} {prose(bar.text)}{f' ({beside})' if beside else ''}"


def _warps(stalls: StallsView | None) -> str:
    if stalls is None:
        return "Stalls: not collected."
    states = "; ".join(f"{prose(one.label)} {one.text}" for one in stalls.bars[:_STALLS])
    return f"Warp states ({prose(stalls.source)}): {states}."


def finding(
    one: FindingView, told: Told, kernel: Name = _REPORT, indent: str = ""
) -> Iterator[str]:
    """Write a finding as a list item, with its consequences below it."""
    inner = indent + "  "
    yield f"{indent}- **{prose(one.title)}** {_tags(one)}"
    yield from (f"{inner}- {line}" for line in _told(one, told, kernel))
    if one.consequences:
        yield f"{inner}- Follows from this:"
        for next in one.consequences:
            yield from finding(next, told, kernel, inner + "  ")


def _tags(one: FindingView) -> str:
    sure = "" if one.confidence == "high" else f", {one.confidence} confidence"
    return f"({one.severity} severity{sure}, {code(one.rule)})"


def _told(one: FindingView, told: Told, kernel: Name) -> Iterator[str]:
    if one.gain:
        time = f" {prose(one.gain.time)}." if one.gain.time else ""
        yield (
            f"**{one.gain.expected}** expected, at most {one.gain.at_most} of {one.gain.of};"
            f" then limited by {prose(one.gain.limited_by)}.{time}"
        )
    before = told.setdefault((one.rule, one.cause, *one.remedies), kernel)
    if before == kernel:
        yield mixed(one.cause)
    if one.evidence:
        yield f"Evidence: {'; '.join(map(_evidence, one.evidence))}"
    if one.parts:
        yield from map(_part, one.parts.rows)
        yield from ([prose(one.parts.rest)] if one.parts.rest else [])
    for place in one.places:
        yield f"At {code(place.code)}: {place.share}"
    if before == kernel:
        yield from (f"Fix {i}: {mixed(text)}" for i, text in enumerate(one.remedies, 1))
    else:
        yield f"Cause and fixes: as for {code(before.short)}."


def _part(one: PartView) -> str:
    names = one.between.join(code(name.short) for name in one.kernels)
    more = f" and {one.more} more" if one.more else ""
    beside = "; ".join(filter(None, (one.shape, one.launches, one.share)))
    numbers = f": {prose(one.numbers)}" if one.numbers else ""
    return f"In {names}{more} ({prose(beside)}){numbers}"


def _evidence(row: EvidenceRow) -> str:
    beside = ", ".join(prose(text) for text in (row.limit, row.basis) if text)
    return f"{prose(row.label)} **{prose(row.value)}**{f' ({beside})' if beside else ''}"


def _undecided(one: Card) -> str:
    rules = ", ".join(prose(rule.title) for rule in one.undecided)
    return f"Undecided: {rules}." if rules else ""

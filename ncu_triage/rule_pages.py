"""A page for each rule, made from its file; and the skeleton of a new one."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ncu_triage.engine.rule import Case, Rule
from ncu_triage.model import CatalogueEntry

_SKELETON = """\
# One file says everything about a rule. Names are quantities: see docs/rules/quantities.md.
# Numbers need a decimal point in conditions: 80.0, not 80.
id: {id}
title: "Say what is wrong, with a number: {{dram_throughput_pct}}"
status: experimental
severity: medium
needs: [dram_throughput_pct]
thresholds: {{limit: 80.0}}
when: dram_throughput_pct >= limit
evidence:
  - dram_throughput_pct >= limit
cause: >
  Say why that costs time.
remedies:
  - "The least effort first."
false_alarms: >
  Say when the numbers look like this and nothing is wrong.
collect: --section SpeedOfLight
references:
  - https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html
cases:
  - name: clearly so
    given: {{dram_throughput_pct: 92.0}}
    expect: fires
  - name: nearly so
    given: {{dram_throughput_pct: 79.0}}
    expect: silent
"""


def skeleton(id: str) -> str:
    """Return the text of a rule that loads and passes its cases, to be filled in."""
    return _SKELETON.format(id=id)


def pages(rules: Sequence[Rule]) -> dict[str, str]:
    """Return every rule's page and the index, by file name."""
    made = {f"{rule.id}.md": page(rule) for rule in rules}
    rows = [f"| [{r.id}]({r.id}.md) | {r.severity} | {_title(r)} |" for r in rules]
    head = ["# Rules", "", "| id | severity at most | says |", "| --- | --- | --- |"]
    made["README.md"] = "\n".join([*head, *rows, ""])
    return made


def quantities_page(entries: Mapping[str, CatalogueEntry], origins: Mapping[str, str]) -> str:
    """Return the page of all numbers that a rule may name, with where each comes from."""
    rows = [
        f"| `{id}` | {e.unit} | {e.label} | {e.basis or ''} | {origins.get(id, e.formula or '')} |"
        for id, e in entries.items()
    ]
    head = [
        "# Quantities",
        "",
        "The numbers that a rule may name. A percentage is of what stands under *of*; the first",
        "origin that the report has the metrics for is taken.",
        "",
        "| name | unit | meaning | of | origin |",
        "| --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *rows, ""])


def page(rule: Rule) -> str:
    """Return a rule's page in Markdown."""
    parts = [
        f"# {rule.id}\n\n{_title(rule)}",
        f"Severity at most **{rule.severity}**, {rule.status}, about the {rule.scope}.",
        f"## Cause\n\n{_prose(rule.cause)}",
        f"## When it fires\n\n```\n{' '.join(rule.when.split())}\n```",
        _thresholds(rule),
        _list("## When it does not apply", [f"`{text}`" for text in rule.unless]),
        _list("## What to do, least effort first", rule.remedies),
        _list("## What to do when a library owns the kernel", rule.remedies_library),
        _gain(rule),
        f"## False alarms\n\n{_prose(rule.false_alarms)}",
        _list("## Follows from", [f"[{id}]({id}.md)" for id in rule.because_of]),
        f"## To collect\n\n`ncu {rule.collect}`",
        _list("## Cases", [_case(case) for case in rule.cases]),
        _list("## References", [f"<{url}>" for url in rule.references]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def headline(rule: Rule) -> str:
    """Return a rule's title without its numbers, for a list."""
    return re.sub(r"\{[^}]*\}", "…", rule.title).replace("[", "").replace("]", "")


def _title(rule: Rule) -> str:
    return headline(rule).replace("|", "\\|")


def _prose(text: str) -> str:
    return " ".join(text.split()).replace("[", "").replace("]", "")


def _list(heading: str, items: Sequence[str]) -> str:
    return "\n".join([heading, "", *(f"* {item}" for item in items)]) if items else ""


def _thresholds(rule: Rule) -> str:
    rows = [f"`{name}` = {value:g}" for name, value in rule.thresholds.items()]
    return _list("Thresholds, which a configuration file may change:", rows)


def _gain(rule: Rule) -> str:
    if rule.gain is None:
        return ""
    lines = [f"waste in {', '.join(rule.gain.waste_in)}"] if rule.gain.waste_in else []
    lines += [f"of {unit} remains `{text}`" for unit, text in rule.gain.remaining.items()]
    if rule.gain.lost is not None:
        lines.append(f"time lost `{rule.gain.lost}`, of which {rule.gain.likely:.0%} is likely won")
    return _list("## How much it could save", lines)


def _case(case: Case) -> str:
    given = ", ".join(
        f"{k} = {v:g}" if isinstance(v, float) else f"{k} = {v}" for k, v in case.given.items()
    )
    return f"{case.expect}: {case.name} ({given})"

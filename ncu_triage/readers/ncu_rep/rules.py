"""The messages of NVIDIA's own rules, as stored with a launch."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple, TypeAlias, TypeVar

from ncu_triage.model import NvidiaRule
from ncu_triage.readers.ncu_rep import schema

T = TypeVar("T")
Kind: TypeAlias = Literal["none", "ok", "warning", "error", "optimization"]
Scope: TypeAlias = Literal["unknown", "local", "global"]

# The file's numbers; the Python interface of NVIDIA's reader numbers them differently.
_KINDS: tuple[Kind, ...] = ("none", "ok", "warning", "error", "optimization")
_SCOPES: tuple[Scope, ...] = ("unknown", "local", "global")

# Where the label of a link stands: last, but for a URL, which comes after its label.
_LINK = re.compile(
    r"@(?:url:(?P<url_label>[^:@]*):[^@]*|(?:section|source|sass):(?:[^@]*:)?(?P<label>[^:@]*))@"
)


class RawMessage(NamedTuple):
    """One message as the file has it, the markup included."""

    rule: str
    name: str
    section: str
    kind: Kind
    title: str
    text: str
    scope: Scope | None
    speedup: float | None


def raw_messages(rules: Iterable[schema.Message]) -> Iterator[RawMessage]:
    """Yield every item of every rule; an item without a message (a chart) has no text."""
    for rule in rules:
        for item in rule.body.items:
            rated = item.HasField("speedup")
            yield RawMessage(
                rule=schema.text(rule.id),
                name=schema.text(rule.name),
                section=schema.text(rule.section),
                kind=_at(_KINDS, item.message.kind),
                title=schema.text(item.message.title),
                text=schema.text(item.message.text),
                scope=_at(_SCOPES, item.speedup.scope) if rated else None,
                speedup=item.speedup.value if rated else None,
            )


def _at(table: tuple[T, ...], number: int) -> T:
    return table[number] if number < len(table) else table[0]


def nvidia_rule(raw: RawMessage) -> NvidiaRule:
    """Turn a message into what a reader sees: links reduced to their labels.

    Messages without a title, as older versions wrote them, get the rule's display name.
    """
    usable = raw.speedup is not None and math.isfinite(raw.speedup)
    return NvidiaRule(
        rule=raw.rule,
        section=raw.section,
        kind=raw.kind,
        title=plain_text(raw.title) or raw.name,
        text=plain_text(raw.text),
        speedup_pct=raw.speedup if usable else None,
        scope=raw.scope if usable else None,
    )


def plain_text(text: str) -> str:
    """Replace NVIDIA's link markup (`@section:X:label@`, `@url:label:link@`) by the label."""
    return _LINK.sub(lambda link: link["url_label"] or link["label"] or "", text)

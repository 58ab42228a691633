"""Change every text of a diagnosis that may come from a report, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from types import NoneType
from typing import Any, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from ncu_triage.model import (
    CatalogueEntry,
    Ceiling,
    Diagnosis,
    OperatorBest,
    OperatorTensor,
    RooflinePoint,
    Tool,
    Undecided,
)

# Given the field's name and the text in it.
Change: TypeAlias = Callable[[str, str], str]

# Fields of the program's own words: ids, units, metrics, kinds.
_OWN = (CatalogueEntry, Ceiling, OperatorBest, OperatorTensor, RooflinePoint, Tool, Undecided)
_TEXTS = frozenset(
    (
        "name",
        "reference",
        "demangled",
        "nvtx",
        "context_name",
        "stream_name",
        "title",
        "text",
        "cause",
        "sentence",
        "warning",
        "effect",
        "remedies",
        "value",
        "limited_by",
        "file",
        "sass",
        "nvidia",
        "message",
        "note",
        "notes",
        "why_not",
        "command",
        "why",
        "advice",
        "remarks",
        "before",
        "after",
    )
)
# Most fields are numbers, or nothing.
_NEVER = (int, float, NoneType)
_MAPS = {"quantities": "value"}


def changed(diagnosis: Diagnosis, change: Change) -> Diagnosis:
    """Return the diagnosis with its texts changed; what stays the same is not copied."""
    found = _changed(diagnosis, "", change)
    assert isinstance(found, Diagnosis)
    return found


def _changed(value: Any, field: str, change: Change) -> Any:
    if isinstance(value, str):
        return change(field, value) if field in _TEXTS else value
    if isinstance(value, Struct):
        return _struct(value, change)
    if isinstance(value, list):
        items = [_changed(item, field, change) for item in value]
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    if isinstance(value, dict) and field in _MAPS:
        return _map(value, _MAPS[field], change)
    return value


def _map(value: dict[str, Any], field: str, change: Change) -> dict[str, Any]:
    # Most are numbers, and a thousand kernels have a hundred thousand of them.
    texts = {key: item for key, item in value.items() if not isinstance(item, float)}
    after = {key: _changed(item, field, change) for key, item in texts.items()}
    return value | after if after != texts else value


def _struct(value: Struct, change: Change) -> Struct:
    if isinstance(value, _OWN):
        return value
    new = {}
    for field in value.__struct_fields__:
        before = getattr(value, field)
        if isinstance(before, _NEVER):
            continue
        after = _changed(before, field, change)
        if after is not before and after != before:
            new[field] = after
    return replace(value, **new) if new else value

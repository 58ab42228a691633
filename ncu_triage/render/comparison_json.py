"""A comparison as JSON, which reads back as the same Comparison."""

from __future__ import annotations

from typing import Any

import msgspec

from ncu_triage.compare.comparison import COMPARISON_VERSION, Comparison
from ncu_triage.gate.gated import Gated
from ncu_triage.render.schema import schema_of


def render(comparison: Comparison, gated: Gated | None = None) -> bytes:
    """Write a comparison as JSON: fields in the types' order, map keys sorted."""
    return msgspec.json.encode(comparison, order="deterministic") + b"\n"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what `render` writes."""
    return schema_of(Comparison, "comparison", COMPARISON_VERSION)

"""The outputs of a comparison: one function each, chosen by file ending."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TypeAlias

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.gated import Gated

ComparisonRenderer: TypeAlias = Callable[[Comparison, Gated | None], bytes]

# Kind of output -> module and function; imported when asked for.
COMPARISON_OUTPUTS = {
    "html": ("comparison_html", "render"),
    "json": ("comparison_json", "render"),
    "md": ("comparison_markdown", "render"),
    "sarif": ("sarif", "render_comparison"),
    "xml": ("junit", "render_comparison"),
}


def comparison_renderer(kind: str) -> ComparisonRenderer:
    """Return the function that writes an output; KeyError for an unknown kind."""
    module, name = COMPARISON_OUTPUTS[kind]
    found: ComparisonRenderer = getattr(
        importlib.import_module(f"ncu_triage.render.{module}"), name
    )
    return found

"""A comparison as one self-contained page, in the look of the report's, without a script."""

from __future__ import annotations

from markupsafe import Markup

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.gated import Gated
from ncu_triage.render.comparison_view import comparison_view
from ncu_triage.render.templating import joined, template

_STYLES = ("base", "layout", "table", "card", "print")
_POLICY = (
    "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


def render(comparison: Comparison, gated: Gated | None = None) -> bytes:
    """Write the page."""
    style = joined("css", _STYLES, ".css") + joined("compare", ("compare",), ".css")
    page = {"policy": _POLICY, "style": Markup(style)}
    shown = comparison_view(comparison, gated)
    return template("compare/compare.html.j2").render(view=shown, page=page).encode()

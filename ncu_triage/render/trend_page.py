"""Kernels over time as a page: one file, no script, no network."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from ncu_triage import __version__
from ncu_triage.render.templating import joined, template
from ncu_triage.render.trend_shown import HEIGHT, WIDTH, TrendShown
from ncu_triage.resources import data_dir

_STYLES = ("base", "layout", "table", "print")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def render(trends: Sequence[TrendShown], title: str) -> bytes:
    """Write the page."""
    own = (data_dir("templates") / "scan" / "trend.css").read_text(encoding="utf-8")
    text = template("scan/trend.html.j2").render(
        trends=trends,
        title=title,
        policy=_POLICY,
        style=Markup(joined("css", _STYLES, ".css") + own),
        version=__version__,
        width=WIDTH,
        height=HEIGHT,
    )
    return text.encode()

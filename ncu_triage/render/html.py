"""The page: one self-contained file that opens from a disk, without network or server."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from markupsafe import Markup
from msgspec import Struct

from ncu_triage.model import Diagnosis
from ncu_triage.render.figures import figures
from ncu_triage.render.picture import MOST_DOTS, Picture, picture
from ncu_triage.render.plotly_js import packed
from ncu_triage.render.points import link
from ncu_triage.render.templating import joined, script_json, template
from ncu_triage.view.build import View, view
from ncu_triage.view.shown_roof import Chart

_STYLES = ("base", "layout", "chart", "table", "card", "print")
_SCRIPTS = ("table", "page", "charts")
_FEWER_DOTS = 30
# Only the page's own script may run, and what it loads (Plotly, from a blob). Plotly and
# the bars set styles on elements; for a browser without 'strict-dynamic', `blob:` stands.
_POLICY = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)


class _Page(Struct, frozen=True):
    """What a page consists of besides the view; all of it is ready to print."""

    policy: str
    style: Markup
    script: Markup | None
    plotly: Markup | None
    figures: Markup
    pictures: dict[str, Picture]
    points: str


def render(diagnosis: Diagnosis) -> bytes:
    """Write the page with an interactive roofline; it says the same with scripts off."""
    return _write(view(diagnosis), with_script=True)


def render_static(diagnosis: Diagnosis) -> bytes:
    """Write the page without any script, for mail and for viewers that allow none."""
    return _write(view(diagnosis), with_script=False)


def _write(shown: View, *, with_script: bool) -> bytes:
    page = _page(shown, with_script)
    return template("report.html.j2").render(view=shown, page=page).encode()


def _page(shown: View, with_script: bool) -> _Page:
    charts = shown.roofs.charts
    styles = (*_STYLES, "operators") if shown.operators else _STYLES
    script = joined("js", _SCRIPTS, ".js") if with_script else None
    allowed = f"'sha256-{_digest(script)}' 'strict-dynamic' blob:" if script else "'none'"
    plotly = packed() if script and charts else None
    styles = (*_STYLES, "timeline") if shown.timeline else _STYLES
    return _Page(
        policy=_POLICY.format(scripts=allowed),
        style=Markup(joined("css", styles, ".css")),
        script=Markup(script) if script else None,
        plotly=Markup(plotly) if plotly else None,
        figures=script_json(figures(charts)),
        pictures=_pictures(charts),
        points=link(shown.roofs) if charts else "",
    )


def _pictures(charts: Sequence[Chart]) -> dict[str, Picture]:
    """Lay the charts out; those that one must pick show fewer kernels."""
    return {c.id: picture(c, MOST_DOTS if i == 0 else _FEWER_DOTS) for i, c in enumerate(charts)}


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()

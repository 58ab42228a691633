"""The page as one of many: they share one copy of Plotly, which lies beside them."""

from __future__ import annotations

import msgspec
from markupsafe import Markup
from msgspec.structs import replace

from ncu_triage.model import Diagnosis
from ncu_triage.render import html
from ncu_triage.render.templating import joined, template
from ncu_triage.resources import data_dir
from ncu_triage.view.build import view


def render(diagnosis: Diagnosis, plotly: str | None) -> bytes:
    """Write the page; `plotly` is where its script lies, as seen from the page."""
    shown = view(diagnosis)
    page = html._page(shown, False)
    script = joined("js", html._SCRIPTS, ".js")
    if plotly is not None and shown.roofs.charts:
        script += _loader(plotly)
    # What this script loads is allowed with it.
    allowed = f"'sha256-{html._digest(script)}' 'strict-dynamic'"
    page = replace(page, script=Markup(script), policy=html._POLICY.format(scripts=allowed))
    return template("report.html.j2").render(view=shown, page=page).encode()


def _loader(plotly: str) -> str:
    text = (data_dir("templates") / "scan" / "plotly.js").read_text(encoding="utf-8")
    return text.replace('"PLOTLY"', msgspec.json.encode(plotly).decode())

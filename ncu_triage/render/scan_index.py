"""The page over a whole scan: a row for each report, worst first."""

from __future__ import annotations

import base64
import hashlib

from markupsafe import Markup
from msgspec import Struct

from ncu_triage.model import Tool
from ncu_triage.render.comparison_shown import GateView
from ncu_triage.render.templating import joined, template
from ncu_triage.resources import data_dir
from ncu_triage.view.shown import Cell, Fact, Mark

_STYLES = ("base", "layout", "table", "print")
_POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)


class ReportRow(Struct, frozen=True):
    """A judged report: its texts, the numbers to sort by, and what it is filtered by."""

    name: str
    others: list[str]
    page: str
    facts: str
    gpu: str
    launches: Cell
    time: Cell
    mark: Mark
    share: str | None
    fix: str | None
    no_fix: str
    saving: Cell
    severity: Cell
    care: list[str]
    rule: str


class LostRow(Struct, frozen=True):
    """A file that could not be judged; `page` is what an earlier scan made of it."""

    name: str
    others: list[str]
    kind: str
    reason: str
    page: str | None = None


class EventRow(Struct, frozen=True):
    """What happened to a kernel, in words."""

    kernel: str
    where: str
    what: str
    since: str
    alarming: bool


class IndexView(Struct, frozen=True):
    """All that the page shows, in reading order."""

    title: str
    headline: str
    facts: list[Fact]
    events: list[EventRow]
    rows: list[ReportRow]
    marks: list[Mark]
    gpus: list[str]
    rules: list[Fact]
    lost: list[LostRow]
    passed_over: str | None
    tool: Tool
    gate: GateView | None = None


def render(view: IndexView) -> bytes:
    """Write the page; it says the same with scripts off."""
    folder = data_dir("templates") / "scan"
    script = (folder / "index.js").read_text(encoding="utf-8")
    style = joined("css", _STYLES, ".css") + (folder / "index.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        template("scan/index.html.j2")
        .render(
            view=view,
            policy=_POLICY.format(digest=digest),
            style=Markup(style),
            script=Markup(script),
        )
        .encode()
    )

"""A diagnosis in a notebook: the verdict, what to fix first, and the roofline."""

from __future__ import annotations

import base64

from ncu_triage.model import Diagnosis
from ncu_triage.render import svg
from ncu_triage.render.templating import template
from ncu_triage.view.build import view


def render(diagnosis: Diagnosis) -> str:
    """Write a piece of HTML that brings its own looks and touches nothing around it.

    The picture is an image of its own: its ids and styles cannot meet the notebook's.
    """
    picture = base64.b64encode(svg.render(diagnosis)).decode()
    return template("notebook.html.j2").render(view=view(diagnosis), picture=picture)

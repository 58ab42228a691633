"""The outputs: a function `(diagnosis) -> bytes` each, chosen by the file's ending."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import PurePath
from typing import TypeAlias

from ncu_triage.model import Diagnosis

Renderer: TypeAlias = Callable[[Diagnosis], bytes]

# Kind of output (the file's ending, the word behind --format) -> module and function. A
# module is imported when its output is asked for: Jinja2 must not slow down the others.
OUTPUTS = {
    "csv": ("csv_", "render"),
    "html": ("html", "render"),
    "json": ("json_", "render"),
    "md": ("markdown", "render"),
    "md-uncut": ("markdown", "render_full"),
    "png": ("svg", "render_png"),
    "sarif": ("sarif", "render"),
    "static": ("html", "render_static"),
    "svg": ("svg", "render"),
    "xml": ("junit", "render"),
}
# Those that an option asks for instead of a file's ending.
STATIC, UNCUT = "static", "md-uncut"
KINDS = tuple(kind for kind in OUTPUTS if kind not in (STATIC, UNCUT))
PICTURES = ("svg", "png")


def kind_of(name: str) -> str | None:
    """Return the kind that a file's ending asks for, or None for an unknown one."""
    kind = PurePath(name).suffix.lower().removeprefix(".")
    return kind if kind in KINDS else None


def renderer(kind: str) -> Renderer:
    """Return the function that writes an output; KeyError for an unknown kind."""
    module, function = OUTPUTS[kind]
    found: Renderer = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return found

"""The outputs: one module each with `render(diagnosis) -> bytes`, chosen by file ending."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import PurePath
from typing import TypeAlias

from ncu_triage.model import Diagnosis

Renderer: TypeAlias = Callable[[Diagnosis], bytes]

# Kind of output (the file's ending, the word behind --format) -> module. A module is
# imported when its output is asked for: Jinja2 must not slow down the others.
OUTPUTS = {"html": "html", "json": "json_"}


def kind_of(name: str) -> str | None:
    """Return the kind that a file's ending asks for, or None for an unknown one."""
    kind = PurePath(name).suffix.lower().removeprefix(".")
    return kind if kind in OUTPUTS else None


def renderer(kind: str) -> Renderer:
    """Return the function that writes an output; KeyError for an unknown kind."""
    module = importlib.import_module(f"{__name__}.{OUTPUTS[kind]}")
    found: Renderer = module.render
    return found

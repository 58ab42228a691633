"""The templates' environment: everything is escaped, and nothing may be undefined."""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import jinja2
import msgspec
from jinja2.bccache import Bucket
from jinja2.ext import Extension
from markupsafe import Markup, escape

from ncu_triage import __version__, cache
from ncu_triage.render.letters import glue, harmless
from ncu_triage.resources import data_dir

_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)


def template(name: str) -> jinja2.Template:
    """Return a template, compiled."""
    return _environment().get_template(name)


@lru_cache(maxsize=4)
def joined(folder: str, names: tuple[str, ...], ending: str) -> str:
    """Join the page's own styles or scripts in their order, without indentation."""
    place = data_dir("templates") / folder
    texts = [(place / f"{name}{ending}").read_text(encoding="utf-8") for name in names]
    return _INDENT.sub("", "\n".join(texts))


def script_json(value: object) -> Markup:
    """Encode a value for a script element: nothing in it can end the element."""
    text = msgspec.json.encode(value, order="sorted").decode()
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def code(text: str) -> Markup:
    """Set what stands between backticks as code, and keep numbers and units together."""
    text = glue(harmless(text))
    parts = [escape(part) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return escape(text)
    parts[1::2] = [Markup("<code>%s</code>") % part for part in parts[1::2]]
    return Markup("").join(parts)


def breakable(name: str) -> Markup:
    """Let a long name break before its template arguments."""
    return Markup("<wbr>&lt;").join(name.split("<", 1))


def _shown(value: object) -> object:
    """Take control characters and marks that turn the direction out of what is printed."""
    plain = isinstance(value, str) and not isinstance(value, Markup)
    return harmless(str(value)) if plain else value


class _Unindented(Extension):
    """Drop the templates' own indentation: over a thousand kernels it adds up."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        return _INDENT.sub("", source)


class _Compiled(jinja2.BytecodeCache):
    """Keep compiled templates, which takes longer than a page of one kernel.

    Jinja2 notices when a template changes; what else decides the code (its version,
    and the environment below) is part of the name.
    """

    def __init__(self) -> None:
        status = Path(__file__).stat()
        made_by = f"{__version__} {jinja2.__version__} {status.st_mtime_ns} {status.st_size}"
        self._made_by = hashlib.sha256(made_by.encode()).hexdigest()[:16]

    def load_bytecode(self, bucket: Bucket) -> None:
        data = cache.load(self._name(bucket))
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: Bucket) -> None:
        cache.store(self._name(bucket), bucket.bytecode_to_string())

    def _name(self, bucket: Bucket) -> str:
        return f"template-{self._made_by}-{bucket.key}"


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(data_dir("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=[_Unindented],
        bytecode_cache=_Compiled(),
        auto_reload=False,  # Templates do not change while a process runs.
    )
    filters: dict[str, Any] = {
        "code": code,
        "glue": glue,
        "breakable": breakable,
        "short": "{:.7g}".format,
    }
    environment.filters |= filters
    return environment

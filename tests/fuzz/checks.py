"""What must hold of every run, whatever its input was."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
import zlib
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

# What a page of this tool never has, and a text that got out of its place would bring.
_FOREIGN_TAGS = {"img", "iframe", "object", "embed", "base", "marquee"}
_FORMULA = re.compile(r"^[=+@\t\r]|^-(?![\d.])")
_KEPT = "\n\t"
_LARGE = 400_000


class Ran(NamedTuple):
    """How a run ended."""

    code: int
    said: str
    shown: str
    outputs: list[Path]


def problems(ran: Ran, codes: tuple[int, ...], *, partly: bool) -> Iterator[str]:
    """Yield what is wrong; `partly` says that one of several inputs was sound."""
    if "Traceback" in ran.said + ran.shown or "bug" in ran.said:
        yield f"a bug: {ran.said[-300:]}"
    if ran.code not in codes:
        yield f"exit code {ran.code}: {ran.said[-300:]}"
    lines = ran.said.split("\n")[:-1]
    yield from (f"a line on stderr: {line[:200]!r}" for line in lines if _unreadable(line))
    written = [path for path in ran.outputs if path.exists()]
    if ran.code in (0, 1) and len(written) < len(ran.outputs):
        yield "an output is missing"
    if ran.code == 3 and not lines:
        yield "exit code 3 without a word"
    if ran.code == 3 and bool(written) and not partly:
        yield "nothing was judged, and there is an output"
    if ran.code == 3 and partly and len(written) < len(ran.outputs):
        yield "the sound input has no output"
    yield from faults(".txt", ran.shown.encode("utf-8", "replace"))
    for path in written:
        yield from (f"{path.suffix}: {one}" for one in faults(path.suffix, path.read_bytes()))


def _unreadable(line: str) -> bool:
    return len(line) > 6100 or not line.isprintable()


def _control(character: str) -> bool:
    return character not in _KEPT and unicodedata.category(character) in ("Cc", "Cs")


def faults(suffix: str, data: bytes) -> Iterator[str]:
    """Yield what is wrong with an output of a kind: not valid, or a text that does something."""
    try:
        text = data.decode()
        kinds = {".json": _json, ".html": _page, ".csv": _table, ".sarif": _plain_json, ".md": _md}
        if suffix in kinds:
            yield from kinds[suffix](text)
        elif suffix in (".xml", ".svg"):
            yield from _tree(ElementTree.fromstring(text))
        elif any(_control(c) for c in text):
            yield "a control character"
    except (ValueError, SyntaxError, csv.Error) as error:
        yield f"not valid: {type(error).__name__}: {error}"[:300]


def _json(text: str) -> Iterator[str]:
    found = _loaded(text)
    if "sources" in found:
        from ncu_triage.render.json_ import read, render

        if render(read(text.encode())) != text.encode():
            yield "it reads back as another diagnosis"
        # The published schema takes ten times as long to hold against.
        if zlib.crc32(text.encode()) % 6 or len(text) > _LARGE:
            return
    validator = _validator("diagnosis" if "sources" in found else "comparison")
    faults = list(validator.iter_errors(found))
    yield from (f"against the schema: {fault.message}"[:300] for fault in faults[:1])


def _plain_json(text: str) -> Iterator[str]:
    _loaded(text)
    return iter(())


def _loaded(text: str) -> Any:
    return json.loads(text, parse_constant=_no_number)


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


@cache
def _validator(what: str) -> Any:
    import jsonschema

    from ncu_triage.render import comparison_json, json_

    schema = json_.schema() if what == "diagnosis" else comparison_json.schema()
    return jsonschema.Draft202012Validator(schema)


class _Page(HTMLParser):
    """Notes what no page of this tool has."""

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at a tag."""
        embedded = tag == "img" and (dict(attrs).get("src") or "").startswith("data:image/")
        if tag in _FOREIGN_TAGS and not embedded:
            self.faults.append(f"<{tag}>")
        for name, value in attrs:
            script = name in ("href", "src") and (value or "").strip().lower().startswith("java")
            if name.startswith("on") or script:
                self.faults.append(f"<{tag} {name}={(value or '')[:80]!r}>")


def _page(text: str) -> Iterator[str]:
    page = _Page()
    page.feed(text)
    page.close()
    yield from page.faults[:2]
    if "alert(1)" in _scripts(text):
        yield "a script with a payload"
    if not text.rstrip().endswith("</html>"):
        yield "the page is no whole one"


def _scripts(text: str) -> str:
    """Return the scripts that are code, not data."""
    found = re.findall(r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", text, re.DOTALL)
    return "\n".join(one for one in found if one.lstrip().startswith("alert"))


def _md(text: str) -> Iterator[str]:
    """Look at a ticket as GitHub shows it: with HTML in it, and links made of addresses."""
    from markdown_it import MarkdownIt

    shown = MarkdownIt("commonmark", {"html": True}).enable("table").render(text)
    page = _Page()
    page.feed(shown)
    page.close()
    yield from page.faults[:2]
    if any(_control(c) for c in text):
        yield "a control character"


def _tree(root: ElementTree.Element) -> Iterator[str]:
    for one in root.iter():
        tag = one.tag.rpartition("}")[2] if isinstance(one.tag, str) else ""
        if tag in ("script", "foreignObject", "image"):
            yield f"<{tag}>"
        for name, value in one.attrib.items():
            if name.startswith("on") or (name.endswith("href") and not value.startswith("#")):
                yield f"an attribute of <{tag}> that does something"


def _table(text: str) -> Iterator[str]:
    csv.field_size_limit(1 << 30)
    rows = list(csv.reader(io.StringIO(text)))
    if len({len(row) for row in rows}) > 1:
        yield "rows of different lengths"
    for row in rows:
        yield from (f"a formula: {cell[:50]!r}" for cell in row if _FORMULA.match(cell))

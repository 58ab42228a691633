"""Texts in Markdown: whatever a report says, it stays text in GitHub, GitLab and Jira.

Besides Markdown's own signs that concerns HTML, mentions (`@name`), references (`#12`),
mathematics (`$x$`) and addresses, which those systems turn into links by themselves.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from ncu_triage.render.letters import harmless

_JOINER = "\N{WORD JOINER}"  # invisible; what stands behind it is no mention and no link
_SIGNS = re.compile(r"[\\`*\[\]<|~$]|(?<![^\W_])_|_(?![^\W_])|&(?=[#\w])")
_LINKS = re.compile(r"(?<=[@#!%~])(?=\w)|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\w)(?=@\w)")
_START = re.compile(r"^(?=[#>+=/-])|^(\d+)(?=[.)](?:\s|$))")  # GitLab obeys lines like /close
_ENTITIES = {"<": "&lt;", "&": f"&amp;{_JOINER}"}
_RUNS = re.compile(r"`+")


def prose(text: str) -> str:
    """Write a text as nothing but text, on one line."""
    text = _SIGNS.sub(lambda m: _ENTITIES.get(m[0], f"\\{m[0]}"), one_line(text))
    return _LINKS.sub(_JOINER, _START.sub(r"\1\\", text))


def code(text: str) -> str:
    """Write a text as code; its own backticks stay inside."""
    text = one_line(text)
    longest = max((len(run) for run in _RUNS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}" if text else ""


def mixed(text: str) -> str:
    """Write a text of the rules, in which backticks set code."""
    parts = one_line(text).split("`")
    if len(parts) % 2 == 0:
        return prose(text)
    return "".join(code(part) if i % 2 else _inner(part) for i, part in enumerate(parts))


def _inner(part: str) -> str:
    """Keep the spaces at the ends, which separate a text from the code beside it."""
    before, after = part[: len(part) - len(part.lstrip())], part[len(part.rstrip()) :]
    return f"{before and ' '}{prose(part)}{after and ' '}" if part.strip() else part[:1]


def tag(text: str) -> str:
    """Write a text inside an HTML element, as code, which no system looks for links in."""
    return f"<code>{html.escape(one_line(text))}</code>"


def inside(text: str) -> str:
    """Write a text inside an HTML element."""
    return _LINKS.sub(_JOINER, html.escape(one_line(text), quote=False))


def one_line(text: str) -> str:
    """Replace what does not print, and bring the text onto one line."""
    return " ".join(harmless(text).split())


def table(header: Sequence[str], rows: Iterable[Sequence[str]], right: Iterable[int] = ()) -> str:
    """Write a table of cells that are Markdown already; some columns lean to the right."""
    leaning = set(right)
    rule = ["--:" if i in leaning else "---" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(map(_cell, row))} |" for row in (header, rule, *rows))


def _cell(text: str) -> str:
    """Keep a bar from ending the cell, in code too; prose has escaped its own."""
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def bullets(items: Iterable[str], indent: str = "") -> str:
    """Write a list of items that are Markdown already."""
    return "\n".join(f"{indent}- {item}" for item in items)

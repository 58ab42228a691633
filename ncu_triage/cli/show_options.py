"""The options of the main job: what is read besides, what is shown, and to whom."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from ncu_triage.errors import UsageError
from ncu_triage.render import KINDS
from ncu_triage.render.choice import Choice, Sort

OutputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--output",
        "-o",
        metavar="OUT",
        help="Write to this file, of the kind that its ending says: "
        f"{', '.join(f'.{kind}' for kind in KINDS)}. - is standard output. May be given "
        "several times. Without it a summary goes to the terminal.",
    ),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="KIND",
        help="The kind of output, whatever the file is called.",
        autocompletion=lambda incomplete: [kind for kind in KINDS if kind.startswith(incomplete)],
    ),
]
StaticOption = Annotated[
    bool,
    typer.Option("--static", help="A page without any script, for mail and locked-down viewers."),
]
UncutOption = Annotated[
    bool,
    typer.Option("--uncut", help="Markdown of all kernels, also where no comment can hold it."),
]
PictureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--picture",
        metavar="FILE",
        help="The roofline as a picture, .svg or .png, to paste into a ticket.",
    ),
]
TimelineOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--timeline",
        metavar="FILE",
        help="A timeline of the same program: an SQLite export of Nsight Systems, or a trace of "
        "PyTorch's profiler (.json, .json.gz). Adds gaps, host-bound stretches and copies, and "
        "ranks what to fix by the program's own time.",
    ),
]
TopOption = Annotated[
    int | None,
    typer.Option("--top", metavar="N", min=1, help="In the terminal: so many kernels."),
]
KernelOption = Annotated[
    str | None,
    typer.Option(
        "--kernel",
        metavar="REGEX",
        help="In the terminal: the kernels of such a name, with all findings.",
    ),
]
SortOption = Annotated[
    Sort,
    typer.Option(
        "--sort",
        metavar="COLUMN",
        help=f"In the terminal: by this column, the largest first. One of {', '.join(Sort)}.",
    ),
]
PrivateOption = Annotated[
    bool,
    typer.Option(
        "--show-private",
        help="Show what the report says of its origin: host, folders, command line, "
        "environment. Otherwise nothing of that is in any output.",
    ),
]
AnonymiseOption = Annotated[
    bool,
    typer.Option(
        "--anonymise",
        help="Replace the names of kernels, NVTX ranges and source files by aliases, the same "
        "in every report.",
    ),
]


def choice(top: int | None, kernel: str | None, sort: Sort, *, terminal: bool) -> Choice:
    """Read the terminal's options. Raises UsageError for a bad pattern, or without a terminal."""
    given = {"--top": top, "--kernel": kernel, "--sort": None if sort is Sort.TIME else sort}
    used = [option for option, value in given.items() if value is not None]
    if used and not terminal:
        raise UsageError(f"{used[0]} shapes the summary in the terminal; leave out -o and --format")
    try:
        return Choice(top, re.compile(kernel) if kernel is not None else None, sort)
    except re.error as error:
        raise UsageError(f"--kernel {kernel}: {error}") from error


def colour() -> bool:
    """Say whether the output is a terminal whose user wants colour."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain

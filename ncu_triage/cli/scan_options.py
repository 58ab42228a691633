"""The options of `scan`, each with its help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Paths = Annotated[
    list[str],
    typer.Argument(
        metavar="PATH...",
        help="Reports, folders, patterns in quotes, or URLs (s3://, gs://, az://, https://).",
    ),
]
Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="OUT", help="The folder to write into.")
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs", "-j", metavar="N", min=1, help="How many files at a time. Default: one a core."
    ),
]
TimeLimit = Annotated[
    float, typer.Option(metavar="SECONDS", min=1, help="The most time that one file may take.")
]
MemoryLimit = Annotated[
    str, typer.Option(metavar="SIZE", help="The most memory that one file may take.")
]
Cluster = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="The scheduler of a Dask cluster that does the work."),
]
History = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="Record the measurements, and say what changed: a file (SQLite), or a database's "
        "address (postgresql://).",
    ),
]
Label = Annotated[
    str | None,
    typer.Option(metavar="TEXT", help="What these reports are of, such as a commit."),
]
When = Annotated[
    str | None,
    typer.Option(
        metavar="TIME", help="When they were taken, such as 2026-01-05. Default: the files' times."
    ),
]
GateOutput = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write what the gate says to this file: .xml (JUnit) or .md."
    ),
]

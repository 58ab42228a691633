"""The main job: diagnose reports and write what was asked for."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from ncu_triage import __version__
from ncu_triage.cli.guard import PROBLEM, complain, guarded
from ncu_triage.output import Target, targets, write

# Nobody needs a counter in the first second.
_PATIENCE = 1.0
_TICK = 0.2

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)

RulesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--rules", metavar="DIR", help="A folder of rules of your own; they add or replace by id."
    ),
]
ConfigOption = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Thresholds, severities and rules to leave out. Default: ncu-triage.toml, or "
        "[tool.ncu-triage] in pyproject.toml, in the current folder.",
    ),
]


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ncu-triage {__version__}")
        raise typer.Exit


@app.command(
    epilog="Exit codes: 0 fine, 2 wrong usage, 3 an input could not be read, 4 a bug. "
    "Other commands: ncu-triage rules, ncu-triage explain."
)
def triage(
    reports: Annotated[
        list[Path], typer.Argument(metavar="REPORT...", help="Nsight Compute reports.")
    ],
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write to this file, by its ending .html or .json; - is standard output. "
            "May be given several times. Without it a summary goes to the terminal.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="The kind of output, whatever the file is called."),
    ] = None,
    lines: Annotated[
        bool,
        typer.Option("--lines", help="Name the lines of code (or SASS) that carry each finding."),
    ] = False,
    rules: RulesOption = None,
    config: ConfigOption = None,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Say what limits each kernel of a profile, by which numbers, and what to fix first."""
    raise typer.Exit(
        guarded(
            lambda: run(
                reports, targets(output or [], format), Judging(tuple(rules or ()), config, lines)
            )
        )
    )


class Judging(NamedTuple):
    """How the user wants reports judged."""

    rules: tuple[Path, ...] = ()
    config: Path | None = None
    lines: bool = False


def run(reports: list[Path], to: list[Target], how: Judging) -> int:
    """Diagnose the reports and write the outputs; return the exit code.

    Reports that cannot be read are named, and the others are judged all the same.
    """
    from ncu_triage.diagnose import diagnose
    from ncu_triage.diagnose import rules as load

    with _progress() as progress:
        judged_by = load(how.rules, how.config)
        diagnosis, failures = diagnose(reports, judged_by, progress, places=how.lines)
    for failure in failures:
        complain(f"{failure.path}: {failure.message}")
    if not diagnosis.kernels:
        return PROBLEM
    for target in to:
        write(target, diagnosis)
    if not to:
        from ncu_triage.render.console import render

        width = shutil.get_terminal_size().columns
        colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
        sys.stdout.write(render(diagnosis, colour=colour, width=width))
    return PROBLEM if failures else 0


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Count launches on a terminal once the work takes a while; silent in a pipe."""
    shown = 0.0
    due = time.monotonic() + _PATIENCE

    def count(done: int) -> None:
        nonlocal shown, due
        if sys.stderr.isatty() and time.monotonic() >= due:
            shown, due = 1.0, time.monotonic() + _TICK
            sys.stderr.write(f"\r{done} launches judged")
            sys.stderr.flush()

    yield count
    if shown:
        sys.stderr.write("\r\033[K")

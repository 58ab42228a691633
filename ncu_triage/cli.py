"""The command line: arguments in, exit code out."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from ncu_triage import __version__
from ncu_triage.errors import TriageError
from ncu_triage.output import Target, targets, write

PROBLEM = 3
BUG = 4
# Nobody needs a counter in the first second.
_PATIENCE = 1.0
_TICK = 0.2

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ncu-triage {__version__}")
        raise typer.Exit


@app.command(epilog="Exit codes: 0 fine, 2 wrong usage, 3 an input could not be read, 4 a bug.")
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
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Say what limits each kernel of a profile, by which numbers, and what to fix first."""
    raise typer.Exit(_guarded(reports, output or [], format))


def _guarded(reports: list[Path], output: list[str], format: str | None) -> int:
    """Run the triage; every error becomes one line and an exit code here."""
    try:
        return run(reports, targets(output, format))
    except TriageError as error:
        _complain(str(error))
        return error.exit_code
    except BrokenPipeError:
        # The reader of the output went away; closing it again must not complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if os.environ.get("NCU_TRIAGE_DEBUG"):
            raise
        _complain(_bug(error))
        return BUG


def run(reports: list[Path], to: list[Target]) -> int:
    """Diagnose the reports and write the outputs; return the exit code.

    Reports that cannot be read are named, and the others are judged all the same.
    """
    from ncu_triage.diagnose import diagnose, rules

    with _progress() as progress:
        diagnosis, failures = diagnose(reports, rules(), progress)
    for failure in failures:
        _complain(f"{failure.path}: {failure.message}")
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


def _complain(line: str) -> None:
    """Print one line of complaint; control characters of a file's name stay harmless."""
    safe = "".join(c if c.isprintable() else "?" for c in line)
    print(f"ncu-triage: {safe}", file=sys.stderr)


def _bug(error: Exception) -> str:
    """Describe a bug so that it can be reported: what and where, without any data."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if "ncu_triage" in Path(frame.filename).parts]
    place = f" in {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return (
        f"this is a bug in ncu-triage {__version__}: {type(error).__name__}{place}."
        " Please report it with this line; NCU_TRIAGE_DEBUG=1 shows the whole trace"
    )


def entry() -> None:
    """Run the command line."""
    # Nearly everything made here lives until the end: looking for garbage in between
    # costs a twentieth of a short run and finds none.
    gc.set_threshold(100_000)
    app(prog_name="ncu-triage")

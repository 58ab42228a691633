"""`trend`: a kernel over time, from a history that scans have recorded."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncu_triage.cli.guard import guarded
from ncu_triage.cli.judging import ConfigOption, RulesOption
from ncu_triage.errors import InputError, UsageError

if TYPE_CHECKING:
    from ncu_triage.history.read import KernelKey
    from ncu_triage.render.trend_shown import TrendShown

# A terminal is no place for more, and a page can hold more.
_SHOWN, _ON_PAGE = 5, 50

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


@app.command(epilog="Exit codes: 0 fine, 2 wrong usage, 3 no such kernel or history, 4 a bug.")
def trend(
    kernel: Annotated[
        str, typer.Argument(metavar="KERNEL", help="A kernel's name, or a regular expression.")
    ],
    history: Annotated[
        str,
        typer.Option(
            metavar="URL",
            envvar="NCU_TRIAGE_HISTORY",
            help="The history that scan --history records.",
        ),
    ] = "ncu-triage-history.sqlite",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="OUT", help="Write a page (.html).")
    ] = None,
    benchmark: Annotated[
        str, typer.Option(metavar="REGEX", help="Only benchmarks whose name matches.")
    ] = "",
    rules: RulesOption = None,
    config: ConfigOption = None,
) -> None:
    """Show a kernel's duration and bottleneck over time, and what happened to it."""
    patterns = kernel, benchmark
    raise typer.Exit(guarded(lambda: _run(patterns, history, output, (rules or [], config))))


def _run(
    patterns: tuple[str, str],
    history: str,
    output: Path | None,
    judging: tuple[list[Path], Path | None],
) -> int:
    from ncu_triage.history.database import named, opened
    from ncu_triage.history.events import every_kernel, most_important, trends
    from ncu_triage.history.series import Limits
    from ncu_triage.pipeline import rules
    from ncu_triage.render.trend_shown import shown

    if output is not None and output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"-o {output}: a trend is written as .html")
    with opened(history, create=False) as database:
        found = _matching(every_kernel(database), *patterns)
        if not found:
            raise InputError(f"no kernel matches {patterns[0]!r} in {named(history)}")
        loaded = rules(tuple(judging[0]), judging[1])
        most = _SHOWN if output is None else _ON_PAGE
        chosen = trends(database, most_important(database, found, most), loaded, Limits())
    _write([shown(one) for one in chosen], len(found) - most, patterns[0], output)
    return 0


def _matching(keys: list[KernelKey], kernel: str, benchmark: str) -> list[KernelKey]:
    """Return the kernels called so, else those whose full name matches."""
    keys = [key for key in keys if _pattern("--benchmark", benchmark).search(key.benchmark)]
    exact = [key for key in keys if kernel in (key.name, key.demangled)]
    pattern = _pattern("KERNEL", re.escape(kernel) if exact else kernel)
    return exact or [key for key in keys if pattern.search(key.demangled)]


def _pattern(what: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"{what} {text}: {error}") from error


def _write(trends: list[TrendShown], more: int, title: str, output: Path | None) -> None:
    if output is not None:
        from ncu_triage.output import Target, deliver
        from ncu_triage.render.trend_page import render as page

        deliver(Target("html", output), page(trends, f"Trend of {title}"))
        return
    from ncu_triage.render.trend_console import render

    sys.stdout.write(render(trends, shutil.get_terminal_size().columns))
    if more > 0:
        print(f"and {more} more kernels that match; -o trend.html shows up to {_ON_PAGE}")

"""`compare`: hold two profiles against each other, and say what changed and why."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ncu_triage.cli.gate_option import (
    AcknowledgedOption,
    Asked,
    FailOnOption,
    asked,
    hold,
    settle,
)
from ncu_triage.cli.guard import PROBLEM, complain, guarded
from ncu_triage.cli.judging import ConfigOption, RulesOption
from ncu_triage.cli.piped import Given, on_disk
from ncu_triage.errors import InputError, UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.output import Target, deliver, say

if TYPE_CHECKING:
    from ncu_triage.compare.comparison import Comparison
    from ncu_triage.engine.ruleset import RuleSet

_LOOK = 512  # bytes that tell a diagnosis from a report

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


class Sides(NamedTuple):
    """What to compare: two files, and which of their kernels."""

    before: Path
    after: Path
    kernel: str | None = None
    kernel_after: str | None = None
    strict: bool = False


_EPILOG = """\b
Exit codes:
  0  fine
  1  a condition of --fail-on failed
  2  wrong usage
  3  a file could not be read, nothing could be compared, or --strict refused it
  4  a bug
"""


@app.command(epilog=_EPILOG)
def compare(
    before: Annotated[
        Path, typer.Argument(metavar="BEFORE", help="A report, or a diagnosis written as JSON.")
    ],
    after: Annotated[Path, typer.Argument(metavar="AFTER", help="The same of the newer run.")],
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write to this file, by its ending .html, .md, .json, .xml or .sarif; - is "
            "standard output. May be given several times.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(metavar="KIND", help="The kind of output, whatever the file is called."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what must not be compared.")
    ] = False,
    kernel: Annotated[
        str | None,
        typer.Option(
            "--kernel", metavar="REGEX", help="Only kernels whose name matches, or an id."
        ),
    ] = None,
    kernel_after: Annotated[
        str | None,
        typer.Option("--kernel-after", metavar="REGEX", help="The same for AFTER alone."),
    ] = None,
    fail_on: FailOnOption = None,
    acknowledged: AcknowledgedOption = None,
    rules: RulesOption = None,
    config: ConfigOption = None,
) -> None:
    """Say what changed between two profiles, by how much against its spread, and why.

    \b
    Examples:
      ncu-triage compare before.ncu-rep after.ncu-rep   what changed, here
      ncu-triage compare base.json new.ncu-rep -o diff.html -o diff.md
                                                        a page, and a comment
      ncu-triage compare base.json new.ncu-rep --fail-on regression=5%
                                                        exit code 1 if slower
      ncu-triage compare r.ncu-rep r.ncu-rep --kernel '^naive' --kernel-after '^tiled'
                                                        two kernels of one report
    """

    def work() -> int:
        to = targets(output or [], format)
        _check_inputs(to, (before, after))
        load = _loader(rules or [], config)
        ids = lambda: [item.rule.id for item in load().rules]  # noqa: E731
        wanted = asked(fail_on, acknowledged, two=True, rules=ids, config=config)
        return run(Sides(before, after, kernel, kernel_after, strict), to, load, wanted)

    raise typer.Exit(guarded(work))


def run(
    sides: Sides, to: list[Target], load: Callable[[], RuleSet], wanted: Asked | None = None
) -> int:
    """Compare, write the outputs, settle the gate; return the exit code."""
    from ncu_triage.compare.build import compare as hold_together
    from ncu_triage.render.comparison_outputs import comparison_renderer

    comparison = hold_together(*_both(sides, load), chosen=sides.kernel_after is not None)
    if sides.strict and _refused(comparison):
        return PROBLEM
    gated = hold(wanted, comparison)
    for target in to:
        deliver(target, comparison_renderer(target.kind)(comparison, gated))
    if not to:
        _show(comparison)
    if not comparison.kernels:
        complain(
            "no kernel is on both sides; to hold two of other names against each other,"
            " give --kernel and --kernel-after"
        )
    return settle(wanted, gated, 0 if comparison.kernels else PROBLEM)


def targets(outputs: list[str], kind: str | None) -> list[Target]:
    """Work out the outputs of a comparison. Raises UsageError where one makes no sense."""
    from ncu_triage.render.comparison_outputs import COMPARISON_OUTPUTS

    kinds = ", ".join(COMPARISON_OUTPUTS)
    if kind is not None and kind not in COMPARISON_OUTPUTS:
        raise UsageError(f"--format {kind}: there is no such kind; choose from {kinds}")
    if kind is not None and not outputs:
        return [Target(kind, None)]
    return [_target(output, kind, kinds) for output in outputs]


def _target(output: str, kind: str | None, kinds: str) -> Target:
    path = None if output == "-" else Path(output)
    found = kind or PurePath(output).suffix.lower().removeprefix(".")
    if not found or found not in kinds.split(", "):
        raise UsageError(f"-o {output}: its ending does not tell the kind; add --format {kinds}")
    if path is not None and path.is_dir():
        raise UsageError(f"-o {output}: this is a directory; name a file in it")
    if path is not None and not path.parent.is_dir():
        raise UsageError(f"-o {output}: there is no folder {path.parent}")
    return Target(found, path)


def _check_inputs(to: list[Target], inputs: tuple[Path, Path]) -> None:
    """Refuse to write over what is read."""
    read = {path.absolute() for path in inputs}
    for target in to:
        if target.path and target.path.absolute() in read:
            raise UsageError(f"-o {target.path}: this is a side that is read; write elsewhere")


def _loader(folders: list[Path], config: Path | None) -> Callable[[], RuleSet]:
    """Return what loads the rules once, and not at all where both sides are judged already."""

    @cache
    def load() -> RuleSet:
        from ncu_triage.pipeline import rules

        return rules(tuple(folders), config)

    return load


def _both(sides: Sides, load: Callable[[], RuleSet]) -> tuple[Diagnosis, Diagnosis]:
    from ncu_triage.compare.runs import only

    with on_disk([sides.before, sides.after], json=True) as given:
        if given.failures:
            raise InputError(f"{given.failures[0].path}: {given.failures[0].message}")
        before, after = (_read(path, given, load) for path in given.paths)
    if sides.kernel is not None:
        before = only(before, _pattern("--kernel", sides.kernel))
    wanted = sides.kernel if sides.kernel_after is None else sides.kernel_after
    return before, after if wanted is None else only(after, _pattern("--kernel-after", wanted))


def _read(path: Path, given: Given, load: Callable[[], RuleSet]) -> Diagnosis:
    """Read one side: a diagnosis that was written earlier, else a report to be judged."""
    called = given.called.get(path, path)
    if _is_diagnosis(path):
        from ncu_triage.render.json_ import read

        try:
            return read(path.read_bytes())
        except InputError as error:
            raise InputError(f"{called}: {error}") from error
    from ncu_triage.pipeline import diagnose
    from ncu_triage.privacy.hidden import hidden

    diagnosis, failures = diagnose([path], load())
    if failures:
        raise InputError(f"{called}: {failures[0].message}")
    if not diagnosis.kernels:
        raise InputError(f"{called}: holds no kernel to compare")
    return hidden(diagnosis)


def _is_diagnosis(path: Path) -> bool:
    """Say whether a file is JSON: no report begins with a brace."""
    try:
        with path.open("rb") as file:
            return file.read(_LOOK).lstrip().startswith(b"{")
    except OSError:
        return False  # the reader of reports says what is wrong with it


def _pattern(option: str, text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"{option} {text}: {error}") from error


def _refused(comparison: Comparison) -> bool:
    """Name every reason not to compare, and say whether there is one."""
    reasons = [caveat for caveat in comparison.caveats if caveat.refuses]
    for caveat in reasons:
        complain(f"--strict: {caveat.text} {caveat.effect}")
    return bool(reasons)


def _show(comparison: Comparison) -> None:
    from ncu_triage.render.comparison_console import render

    width = shutil.get_terminal_size().columns
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    say(render(comparison, colour=colour, width=width))

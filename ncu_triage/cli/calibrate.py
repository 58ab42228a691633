"""`calibrate`: take what is achievable from reference kernels on the same machine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncu_triage.cli.guard import PROBLEM, complain, guarded
from ncu_triage.errors import InputError, UsageError

if TYPE_CHECKING:
    from ncu_triage.ceilings.file import Ceilings
    from ncu_triage.model import Diagnosis
    from ncu_triage.output import Target

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
_EPILOG = """\b
Nominal balance points, fp16 tensor work over DRAM at boost clock: T4 203, A100 (40 GB) 200,
V100 139 FLOP/byte. Docs: docs/ceilings.md.

\b
Exit codes:
  0  fine
  2  wrong usage
  3  a report could not be read or holds no reference, or the reports are of several GPUs
  4  a bug
"""


@app.command(epilog=_EPILOG)
def calibrate(
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="COPY.ncu-rep [GEMM.ncu-rep...]",
            help="Reports of kernels that do nothing but copy, or multiply large matrices.",
        ),
    ],
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="OUT", help="The file to write, .toml; - is standard output."
        ),
    ],
) -> None:
    """Measure what is achievable on a GPU, from reports of reference kernels on it.

    A launch counts where it stands at a wall: DRAM, L2, L1 or a math pipe. Everything else is
    named and left out. Use the file with --ceilings.

    \b
    Examples:
      ncu --set full -k copy -c 5 -o copy ./copy            profile a large copy, five times
      ncu-triage calibrate copy.ncu-rep gemm.ncu-rep -o ceilings.toml
      ncu-triage report.ncu-rep --ceilings ceilings.toml    judge by what was reached
    """
    raise typer.Exit(guarded(lambda: _run(reports, output)))


def _run(reports: list[Path], output: str) -> int:
    from ncu_triage.ceilings.choose import calibrate as chosen
    from ncu_triage.ceilings.file import text_of
    from ncu_triage.ceilings.told import refusals
    from ncu_triage.output import deliver

    target = _target(output, reports)
    diagnosed, complete = _diagnosed(reports)
    if not diagnosed:
        return PROBLEM
    found = chosen(diagnosed)
    for line in refusals(found):
        complain(line)
    if not found.ceilings.ceiling:
        raise InputError("no kernel of these reports stands at a wall: nothing was calibrated")
    deliver(target, text_of(found.ceilings).encode())
    _say(found.ceilings, target)
    return 0 if complete and not found.useless else PROBLEM


def _target(output: str, reports: list[Path]) -> Target:
    """Settle where the file goes. Raises UsageError where that is no place for it."""
    from ncu_triage.output import Target

    if output == "-":
        return Target("toml", None)
    path = Path(output)
    if path.suffix.lower() != ".toml":
        raise UsageError(f"-o {output}: ceilings are written as .toml")
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"-o {output}: name a file in a folder that exists")
    if path.absolute() in {report.absolute() for report in reports}:
        raise UsageError(f"-o {output}: this is a report that is read; write elsewhere")
    return Target("toml", path)


def _diagnosed(reports: list[Path]) -> tuple[list[tuple[str, Diagnosis]], bool]:
    """Judge each report by itself, with the usual assumptions; whether all could be read."""
    from ncu_triage.pipeline import diagnose, rules

    found, complete = [], True
    for report in dict.fromkeys(reports):
        diagnosis, failures = diagnose([report], rules())
        for failure in failures:
            complain(f"{failure.path}: {failure.message}")
        complete = complete and not failures
        found += [] if failures else [(str(report), diagnosis)]
    return found, complete


def _say(ceilings: Ceilings, target: Target) -> None:
    """Say what was found; where the file itself goes to standard output, only advice."""
    from ncu_triage.ceilings.told import advice, summary
    from ncu_triage.render.letters import printable

    for line in advice(ceilings):
        complain(line)
    if target.path is None:
        return
    for line in summary(ceilings):
        print(printable(line))
    print(f"Written: {target.path}. Use it with --ceilings {target.path}")

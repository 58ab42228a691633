"""How the user wants reports judged: the options, and what is read for them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ncu_triage.errors import UsageError

if TYPE_CHECKING:
    from ncu_triage.ceilings.apply import Measured
    from ncu_triage.operators.plan import Plan

RulesOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--rules", metavar="DIR", help="A folder of rules of your own; they add or replace by id."
    ),
]
LinesOption = Annotated[
    bool,
    typer.Option("--lines", help="Name the lines of code (or SASS) that carry each finding."),
]
OperatorsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--operators",
        metavar="FILE",
        help="What kernels compute (YAML): adds a card for each operator, with its work and "
        "least traffic in theory. See docs/operators.md and ncu-triage operators.",
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
CeilingsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--ceilings",
        metavar="FILE",
        help="What kernels reach on this GPU, as ncu-triage calibrate measured it. May be given "
        "several times; the highest of each roof counts.",
    ),
]


def only(option: str, files: Sequence[Path] | None) -> Path | None:
    """Return the one file of an option. Raises UsageError where there are more."""
    if files and len(files) > 1:
        named = " and ".join(map(str, files))
        raise UsageError(f"{option} takes one file, and was given {named}: leave all but one out")
    return files[0] if files else None


class Judging(NamedTuple):
    """How the user wants reports judged."""

    rules: tuple[Path, ...] = ()
    config: Path | None = None
    lines: bool = False
    operators: Path | None = None
    timeline: Path | None = None
    ceilings: tuple[Path, ...] = ()

    def plan(self) -> Plan | None:
        """Read what the user says kernels compute. Raises UsageError for what is wrong."""
        if self.operators is None:
            return None
        from ncu_triage.operators.plan import read_plan

        return read_plan(self.operators)

    def measured(self) -> Measured | None:
        """Read the files of ceilings, if there are any."""
        if not self.ceilings:
            return None
        from ncu_triage.ceilings.apply import measured

        return measured(self.ceilings)

    def ids(self) -> set[str]:
        """Return the ids of the rules that judge."""
        from ncu_triage.pipeline import rules

        return {item.rule.id for item in rules(self.rules, self.config).rules}

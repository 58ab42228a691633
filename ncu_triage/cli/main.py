"""The main job: diagnose reports and write what was asked for."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ncu_triage import __version__
from ncu_triage.cli.gate_option import (
    AcknowledgedOption,
    Asked,
    FailOnOption,
    asked,
    hold,
    settle,
    write_gated,
)
from ncu_triage.cli.guard import PROBLEM, complain, guarded
from ncu_triage.cli.help import EPILOG, HELP
from ncu_triage.cli.judging import (
    CeilingsOption,
    ConfigOption,
    Judging,
    LinesOption,
    OperatorsOption,
    RulesOption,
    only,
)
from ncu_triage.cli.piped import Given, on_disk
from ncu_triage.cli.progress import Meter
from ncu_triage.cli.show_options import (
    AnonymiseOption,
    FormatOption,
    KernelOption,
    OutputOption,
    PictureOption,
    PrivateOption,
    SortOption,
    StaticOption,
    TimelineOption,
    TopOption,
    UncutOption,
    choice,
    colour,
)
from ncu_triage.errors import UsageError
from ncu_triage.output import Extras, Target, say, targets
from ncu_triage.privacy.seen import Privacy
from ncu_triage.render.choice import Choice, Sort

if TYPE_CHECKING:
    from ncu_triage.engine.ruleset import RuleSet
    from ncu_triage.model import Diagnosis
    from ncu_triage.pipeline import Failure

app = typer.Typer(
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


def _commands(incomplete: str) -> list[str]:
    """Complete the first word to a command; reports are the shell's to complete."""
    from ncu_triage.cli.completion import first_words
    from ncu_triage.cli.entry import COMMANDS

    return first_words(COMMANDS, incomplete)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ncu-triage {__version__}")
        raise typer.Exit


VersionOption = Annotated[
    bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
]


@app.command(help=HELP, epilog=EPILOG)
def triage(
    reports: Annotated[
        list[Path],
        typer.Argument(
            metavar="REPORT...",
            help="What Nsight Compute wrote: .ncu-rep, .ncu-repz, or its CSV; - is a pipe.",
            autocompletion=_commands,
        ),
    ],
    output: OutputOption = None,
    format: FormatOption = None,
    static: StaticOption = False,
    uncut: UncutOption = False,
    picture: PictureOption = None,
    top: TopOption = None,
    kernel: KernelOption = None,
    sort: SortOption = Sort.TIME,
    show_private: PrivateOption = False,
    anonymise: AnonymiseOption = False,
    lines: LinesOption = False,
    operators: OperatorsOption = None,
    timeline: TimelineOption = None,
    fail_on: FailOnOption = None,
    acknowledged: AcknowledgedOption = None,
    rules: RulesOption = None,
    config: ConfigOption = None,
    ceilings: CeilingsOption = None,
    version: VersionOption = False,
) -> None:
    """Say what limits each kernel of a profile, by which numbers, and what to fix first."""

    def work() -> int:
        to = targets(output or [], format, Extras(static, uncut, tuple(picture or ())))
        how = Judging(
            tuple(rules or ()),
            config,
            lines,
            only("--operators", operators),
            only("--timeline", timeline),
            tuple(ceilings or ()),
        )
        look = Look(
            choice(top, kernel, sort, terminal=not to), Privacy(show_private, anonymise).checked()
        )
        wanted = asked(fail_on, acknowledged, two=False, rules=how.ids, config=config)
        return run(reports, to, how, wanted, look)

    raise typer.Exit(guarded(work))


class Look(NamedTuple):
    """How the user wants to see the result."""

    choice: Choice = Choice()
    privacy: Privacy = Privacy()


_AS_USUAL = Look()


def run(
    reports: list[Path],
    to: list[Target],
    how: Judging,
    wanted: Asked | None = None,
    look: Look = _AS_USUAL,
) -> int:
    """Diagnose the reports, write the outputs, settle the gate; return the exit code.

    Reports that cannot be read are named, and the others are judged all the same; so is a
    timeline that cannot be read or compared.
    """
    with Meter() as shown, on_disk(_inputs(reports, to, how.timeline), shown.received) as given:
        diagnosis, code, lost = _judged(given, how, look.privacy, shown)
    if not diagnosis.kernels:
        return code
    gated = hold(wanted, diagnosis, lost=lost)
    for target in to:
        write_gated(target, diagnosis, gated)
    if not to:
        from ncu_triage.render.console import render

        width = shutil.get_terminal_size().columns
        say(render(diagnosis, colour=colour(), width=width, choice=look.choice))
    return settle(wanted, gated, code)


def _judged(
    given: Given, how: Judging, privacy: Privacy, shown: Meter
) -> tuple[Diagnosis, int, list[Failure]]:
    """Judge, say what went wrong, leave out what may not be seen.

    Returns the exit code so far, and what could not be read, as well.
    """
    from ncu_triage.pipeline import diagnose
    from ncu_triage.pipeline import rules as load

    plan, ceilings = how.plan(), how.measured()
    judged_by = load(how.rules, how.config)
    diagnosis, failures = diagnose(
        given.paths,
        judged_by,
        shown.judged,
        places=how.lines,
        operators=plan,
        ceilings=ceilings,
        all_cores=True,
    )
    shown.wipe()
    lost = given.as_called(failures)
    for failure in lost:
        complain(f"{failure.path}: {failure.message}")
    if not diagnosis.kernels:
        return diagnosis, PROBLEM, lost
    if plan is not None:
        from ncu_triage.operators.judge import unmatched

        for line in unmatched(diagnosis, plan):
            complain(line)
    foreign = ceilings.foreign(diagnosis.devices) if ceilings else []
    if foreign:
        complain(f"--ceilings: no launch ran on the {' or '.join(foreign)} that was measured")
    if how.lines:
        _say_unplaced(diagnosis, judged_by)
    code = PROBLEM if lost else 0
    if how.timeline:
        from ncu_triage.cli.timeline_option import joined

        diagnosis, trouble = joined(diagnosis, how.timeline)
        code = trouble or code
    failed = {failure.path for failure in failures}
    return privacy.applied(diagnosis, given.paths, failed), code, lost


def _say_unplaced(diagnosis: Diagnosis, judged_by: RuleSet) -> None:
    from ncu_triage.places import unplaced

    sources = {item.rule.id: item.rule.source for item in judged_by.rules}
    known = {rule: metric for rule, metric in sources.items() if metric}
    if why := unplaced(diagnosis.kernels, known):
        complain(f"--lines: {why}")


def _inputs(reports: list[Path], to: list[Target], timeline: Path | None = None) -> list[Path]:
    """Return the reports, each once; refuse to write over what is read."""
    once: dict[Path, Path] = {}
    for report in reports:
        if once.setdefault(report.absolute(), report) is not report:
            complain(f"{report} is given twice; it is judged once")
    for target in to:
        if target.path and target.path.absolute() in once:
            raise UsageError(f"-o {target.path}: this is a report that is read; write elsewhere")
        if target.path and timeline and target.path.absolute() == timeline.absolute():
            raise UsageError(f"-o {target.path}: this is the timeline; write elsewhere")
    return list(once.values())

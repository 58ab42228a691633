"""`scan`: judge folders of reports, and put a page each and an index over all into a folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import typer

from ncu_triage.cli import scan_options as given
from ncu_triage.cli.gate_option import (
    AcknowledgedOption,
    Asked,
    FailOnOption,
    asked,
    hold,
    settle,
)
from ncu_triage.cli.guard import PROBLEM, complain, guarded, stopped_code, tell
from ncu_triage.cli.judging import CeilingsOption, ConfigOption, RulesOption
from ncu_triage.errors import Stopped, UsageError
from ncu_triage.output import say

if TYPE_CHECKING:
    from ncu_triage.scan.options import Options

_EPILOG = """\b
Exit codes:
  0  fine
  1  a condition of --fail-on failed
  2  wrong usage, or a --history that does not open
  3  a file could not be judged, or there was nothing to judge
  4  a bug
"""

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


@app.command(epilog=_EPILOG)
def scan(
    paths: given.Paths,
    output: given.Output,
    jobs: given.Jobs = None,
    time_limit: given.TimeLimit = 300.0,
    memory_limit: given.MemoryLimit = "4GiB",
    cluster: given.Cluster = None,
    history: given.History = None,
    label: given.Label = None,
    when: given.When = None,
    fail_on: FailOnOption = None,
    acknowledged: AcknowledgedOption = None,
    rules: RulesOption = None,
    config: ConfigOption = None,
    ceilings: CeilingsOption = None,
) -> None:
    """Judge every report found, write a page for each and an index over all.

    Interrupted and called again, it goes on where it stopped.

    \b
    Examples:
      ncu-triage scan nightly/ -o site/                     all reports in a folder
      ncu-triage scan 's3://perf/2026-*/*.ncu-rep' -o site/ in an object store
      ncu-triage scan nightly/ -o site/ --history h.sqlite --fail-on regression=5%,3sigma
                                                            what changed since last night
    """

    def work() -> int:
        from ncu_triage.scan.limits import Limits, size
        from ncu_triage.scan.options import Options

        _useless({"--label": label, "--when": when}, history is None, "--history")
        _useless({"--acknowledged": acknowledged}, not fail_on, "--fail-on")
        options = Options(
            paths=paths,
            out=output,
            jobs=jobs,
            limits=Limits(time_limit, size(memory_limit)),
            cluster=cluster,
            history=history,
            label=label,
            when=when,
            rules=rules or [],
            config=config,
            ceilings=ceilings or [],
        )
        wanted = asked(
            fail_on,
            acknowledged,
            two=history is not None,
            rules=lambda: _rule_ids(options),
            config=config,
        )
        return run(options, wanted)

    raise typer.Exit(guarded(work))


def _useless(given: Mapping[str, object], alone: bool, needed: str) -> None:
    """Refuse options that do nothing without another one."""
    for option, value in given.items():
        if value is not None and alone:
            raise UsageError(f"{option}: does nothing without {needed}")


def _rule_ids(options: Options) -> list[str]:
    from ncu_triage.pipeline import rules

    return [item.rule.id for item in rules(tuple(options.rules), options.config).rules]


def run(options: Options, wanted: Asked | None) -> int:
    """Scan; return the exit code, after the one line that says how it went."""
    from ncu_triage.scan.job import carry_out
    from ncu_triage.scan.progress import Log, Meter

    progress = (Meter if sys.stderr.isatty() else Log)(sys.stderr)
    try:
        done = carry_out(options, progress)
    except (KeyboardInterrupt, Stopped) as stopped:
        complain("interrupted: what is done is kept, and the same call goes on from there")
        return stopped_code(stopped)
    finally:
        progress.end()
    say(f"{done.line}\n")
    if done.note:
        tell(f"note: {done.note}")
    gated = None
    if wanted is not None:
        from ncu_triage.scan.gating import subjects

        gated = hold(wanted, subjects(done.store, done.overview, done.kept))
        _say_limits(wanted, options)
    return settle(wanted, gated, 0 if done.complete else PROBLEM)


def _say_limits(wanted: Asked, options: Options) -> None:
    """Say where a condition asks for less than what a history calls a change."""
    from ncu_triage.history.series import Limits

    least = Limits()
    for one in wanted.conditions if options.history is not None else ():
        if one.name in ("regression", "total-regression") and one.percent < least.step_pct:
            tell(
                f"note: {one.text}: a history tells no change of less than {least.step_pct:g} %"
                f" or {least.sigmas:g} standard errors from noise"
            )

"""`scan`: judge folders of reports, and put a page each and an index over all into a folder."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
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
from ncu_triage.output import Target, deliver, say

_GATE_KINDS = {".xml": "xml", ".md": "md"}

if TYPE_CHECKING:
    from ncu_triage.gate.gated import Gated
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
    gate_output: given.GateOutput = None,
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
        gated = {"--acknowledged": acknowledged, "--gate-output": gate_output}
        _useless(gated, not fail_on, "--fail-on")
        target = _target(gate_output)
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
        return run(options, wanted, target)

    raise typer.Exit(guarded(work))


def _useless(given: Mapping[str, object], alone: bool, needed: str) -> None:
    """Refuse options that do nothing without another one."""
    for option, value in given.items():
        if value is not None and alone:
            raise UsageError(f"{option}: does nothing without {needed}")


def _rule_ids(options: Options) -> list[str]:
    from ncu_triage.pipeline import rules

    return [item.rule.id for item in rules(tuple(options.rules), options.config).rules]


def run(options: Options, wanted: Asked | None, target: Target | None = None) -> int:
    """Scan; return the exit code, after the one line that says how it went."""
    from ncu_triage.scan.job import carry_out
    from ncu_triage.scan.progress import Log, Meter
    from ncu_triage.scan.shown import headline

    progress = (Meter if sys.stderr.isatty() else Log)(sys.stderr)
    try:
        done = carry_out(options, progress, lambda found: hold(wanted, found))
    except (KeyboardInterrupt, Stopped) as stopped:
        complain("interrupted: what is done is kept, and the same call goes on from there")
        return stopped_code(stopped)
    finally:
        progress.end()
    say(f"{done.line}\n")
    if done.note:
        tell(f"note: {done.note}")
    if wanted is not None:
        _say_limits(wanted, options)
    if target and done.gated:
        _write_gate(target, done.gated, headline(done.overview))
    return settle(wanted, done.gated, 0 if done.complete else PROBLEM)


def _target(file: Path | None) -> Target | None:
    """Say where the gate's own output goes. Raises UsageError for what cannot be written."""
    if file is None:
        return None
    kind = _GATE_KINDS.get(file.suffix.lower())
    if kind is None:
        raise UsageError(f"--gate-output {file}: end the name in .xml (JUnit) or .md")
    if not file.parent.is_dir() or file.is_dir():
        raise UsageError(f"--gate-output {file}: this is no place for a file")
    return Target(kind, file)


def _write_gate(target: Target, gated: Gated, headline: str) -> None:
    if target.kind == "xml":
        from ncu_triage.render.junit import render_rows

        deliver(target, render_rows(gated.rows))
        return
    from ncu_triage.render.comparison_gate import gate_view
    from ncu_triage.render.comparison_markdown import render_gate

    deliver(target, render_gate(headline, gate_view(gated, {})))


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

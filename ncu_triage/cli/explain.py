"""`explain`: why each rule fired on a kernel, stayed silent, or is undecided."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncu_triage.cli.guard import guarded
from ncu_triage.cli.judging import ConfigOption, RulesOption
from ncu_triage.cli.piped import on_disk
from ncu_triage.errors import InputError, UsageError

if TYPE_CHECKING:
    from ncu_triage.engine.explain import Explanation
    from ncu_triage.model import Diagnosis, KernelDiagnosis

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)


@app.command()
def explain(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="A Nsight Compute report.")],
    kernel: Annotated[
        str, typer.Option("--kernel", metavar="REGEX", help="Only kernels whose name matches.")
    ] = "",
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", metavar="ID", help="Only this rule; may be given several times."),
    ] = None,
    rules: RulesOption = None,
    config: ConfigOption = None,
) -> None:
    """Show each rule's condition with the values filled in, and its outcome.

    Without --kernel, the rules about the report as a whole come last.
    """
    raise typer.Exit(guarded(lambda: _run(report, (kernel, rule or []), rules or [], config)))


def _run(
    report: Path, only: tuple[str, list[str]], folders: list[Path], config: Path | None
) -> int:
    from ncu_triage.engine.explain import explain as explained
    from ncu_triage.engine.judge import kernel_facts, report_facts
    from ncu_triage.engine.loads import loads
    from ncu_triage.engine.numbers import numbers
    from ncu_triage.pipeline import diagnose
    from ncu_triage.pipeline import rules as load

    pattern, wanted = _pattern(only[0]), only[1]
    loaded = load(tuple(folders), config)
    ids = {item.rule.id for item in loaded.rules}
    if unknown := [id for id in wanted if id not in ids]:
        raise UsageError(f"--rule {unknown[0]}: there is no such rule; see ncu-triage rules list")
    with on_disk([report]) as given:
        diagnosis, failures = diagnose(given.paths, loaded)
        if failures := given.as_called(failures):
            raise InputError(f"{report}: {failures[0].message}")
    found = [k for k in diagnosis.kernels if pattern.search(k.demangled)]
    if not found:
        raise InputError(f"no kernel matches {only[0]!r}; there are {len(diagnosis.kernels)}")
    for kernel in found:
        print(f"{kernel.id} {_printable(kernel.name)}: {kernel.bottleneck.kind}")
        print(f"  {_printable(kernel.bottleneck.sentence)}")
        rough = {id for id in kernel.quantities if _is_rough(kernel, id, diagnosis)}
        found_loads = loads(numbers(kernel), rough=rough).values()
        busy = sorted(found_loads, key=lambda load: -load.elapsed)
        print(f"  measured: {'; '.join(f'{load.name} {load.text}' for load in busy) or 'no unit'}")
        _print(explained(loaded, "kernel", kernel_facts(kernel, kernel.bottleneck)), wanted)
    whole = [] if only[0] else explained(loaded, "report", report_facts(diagnosis.kernels))
    if any(not wanted or row.rule in wanted for row in whole):
        print("the report as a whole")
        _print(whole, wanted)
    return 0


def _is_rough(kernel: KernelDiagnosis, quantity: str, diagnosis: Diagnosis) -> bool:
    """Tell whether a number is a rough estimate; kernels keep what differs from the catalogue."""
    origin = kernel.provenance.get(quantity) or diagnosis.catalogue.get(quantity)
    return origin is not None and origin.rough


def _print(rows: Iterable[Explanation], wanted: list[str]) -> None:
    for row in rows:
        if not wanted or row.rule in wanted:
            print(f"  {row.outcome:<14} {row.rule}\n      {_printable(row.condition)}")
            if row.note:
                print(f"      {_printable(row.note)}")


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise UsageError(f"--kernel {text}: {error}") from error


def _printable(text: str) -> str:
    """Keep a report's control characters away from the terminal."""
    return "".join(c if c.isprintable() else "?" for c in text)

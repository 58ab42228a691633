"""`rules`: list, show, check and start rules, and write their pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from ncu_triage.cli.guard import guarded
from ncu_triage.cli.judging import ConfigOption, RulesOption
from ncu_triage.engine.compile import CompiledRule
from ncu_triage.engine.evaluate import Facts
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.errors import UsageError
from ncu_triage.output import say

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    no_args_is_help=True,
)
_ID = re.compile(r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$")
Id = Annotated[str, typer.Argument(metavar="ID", help="The rule's id, such as bank-conflicts.")]


@app.callback()
def rules() -> None:
    """Rules: what they say, whether they are right, and how to add one."""


@app.command("list")
def list_rules(rules: RulesOption = None, config: ConfigOption = None) -> None:
    """List the rules with their severity and status."""

    def work() -> int:
        from ncu_triage.rule_pages import headline

        for item in _load(rules, config).rules:
            print(f"{item.rule.id:<30} {item.rule.severity:<7} {headline(item.rule)}")
        return 0

    raise typer.Exit(guarded(work))


@app.command()
def show(id: Id, rules: RulesOption = None, config: ConfigOption = None) -> None:
    """Show one rule whole: what it looks for, why, what to do, and when it is wrong."""

    def work() -> int:
        from ncu_triage.rule_pages import page

        print(page(_one(_load(rules, config), id).rule))
        return 0

    raise typer.Exit(guarded(work))


@app.command()
def check(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder of rules.")],
) -> None:
    """Load a folder of rules and run the cases that they carry; exit code 1 if one fails."""

    def work() -> int:
        loaded = _load([folder], None)
        own = {path.stem for path in folder.glob("*.yaml")}
        checked = [item for item in loaded.rules if item.rule.id in own]
        failed = [text for item in checked for text in _failures(loaded, item)]
        say("".join(f"{text}\n" for text in failed))
        cases = sum(len(item.rule.cases) for item in checked)
        say(f"rules: {len(checked)}, cases: {cases}, failed: {len(failed)}\n")
        return 1 if failed else 0

    raise typer.Exit(guarded(work))


@app.command()
def new(
    id: Id,
    folder: Annotated[
        Path, typer.Option("--in", metavar="DIR", help="The folder to write it into.")
    ] = Path(),
) -> None:
    """Write the skeleton of a rule, ready to be filled in."""

    def work() -> int:
        from ncu_triage.rule_pages import skeleton

        if not _ID.match(id):
            raise UsageError(f"{id!r} is no rule id: small letters, digits and hyphens only")
        if id in {item.rule.id for item in _load(None, None).rules}:
            raise UsageError(f"there is a rule {id!r} already; choose another id")
        path = folder / f"{id}.yaml"
        if path.exists():
            raise UsageError(f"{path} is there already; choose another id")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(skeleton(id), encoding="utf-8")
        except OSError as error:
            raise UsageError(f"--in {folder}: {error.strerror or error}") from error
        print(f"{path} written; fill it in, then: ncu-triage rules check {folder}")
        return 0

    raise typer.Exit(guarded(work))


@app.command()
def docs(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder for the pages.")],
) -> None:
    """Write a page for each of the project's rules, and their index."""

    def work() -> int:
        from ncu_triage.pipeline import names
        from ncu_triage.quantities.catalogue import origins
        from ncu_triage.rule_pages import pages, quantities_page

        folder.mkdir(parents=True, exist_ok=True)
        written = pages([item.rule for item in _load(None, None).rules])
        written["quantities.md"] = quantities_page(names(), origins())
        for name, text in written.items():
            (folder / name).write_text(text, encoding="utf-8")
        print(f"{len(written)} pages written to {folder}")
        return 0

    raise typer.Exit(guarded(work))


def _load(folders: list[Path] | None, config: Path | None) -> RuleSet:
    from ncu_triage.pipeline import rules as load

    return load(tuple(folders or ()), config)


def _one(loaded: RuleSet, id: str) -> CompiledRule:
    for item in loaded.rules:
        if item.rule.id == id:
            return item
    raise UsageError(f"there is no rule {id!r}; see ncu-triage rules list")


def _failures(loaded: RuleSet, item: CompiledRule) -> Iterator[str]:
    """Run a rule's cases and describe those that come out otherwise."""
    from ncu_triage.engine.explain import explain

    for case in item.rule.cases:
        rows = explain(loaded, item.rule.scope, Facts(dict(case.given)))
        (row,) = (r for r in rows if r.rule == item.rule.id)
        outcome = "silent" if row.outcome == "excepted" else row.outcome
        if outcome != case.expect:
            yield (
                f"{item.rule.id}: {case.name!r} should be {case.expect}, is {row.outcome}:\n"
                f"    {row.condition} {row.note}"
            )

"""`operators`: what kernels compute, as a calculator that needs no report."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated

import typer

from ncu_triage.cli.guard import guarded
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.registry import kind as kind_called
from ncu_triage.operators.registry import kind_ids

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _kinds(incomplete: str) -> list[str]:
    return [id for id in kind_ids() if id.startswith(incomplete)]


@app.command()
def operators(
    kind: Annotated[
        str | None,
        typer.Argument(
            metavar="[OPERATOR]", help="Which one; none lists all.", autocompletion=_kinds
        ),
    ] = None,
    sizes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME=SIZE]...",
            help="Its shape, such as m=4096; also type=fp16, types.C=fp32, tile.m=128, "
            "padded.k=4224. None says what it needs.",
        ),
    ] = None,
    gpu: Annotated[
        list[str] | None,
        typer.Option("--gpu", metavar="NAME", help="How long it takes there at best, such as T4."),
    ] = None,
    gpus: Annotated[bool, typer.Option("--gpus", help="List the GPUs that are known.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Write JSON.")] = False,
) -> None:
    """Work out what an operator has to do: FLOPs, least bytes, intensity, best time.

    \b
    Examples:
      ncu-triage operators                          all kinds of operators
      ncu-triage operators gemm                     what it needs, and its formulas
      ncu-triage operators gemm m=4096 n=4096 k=4096 type=fp16 --gpu A100
      ncu-triage operators copy elements=50000000 type=fp32 --gpu T4
    """

    def work() -> int:
        sys.stdout.write(_written(kind, sizes or [], gpu or [], listed=gpus, json=json))
        return 0

    raise typer.Exit(guarded(work))


def _written(
    kind: str | None, sizes: list[str], gpus: list[str], *, listed: bool, json: bool
) -> str:
    if listed:
        return _gpus()
    if kind is None:
        return _all_kinds()
    found = kind_called(kind)
    if not sizes:
        return _page(found)
    return _card(found, sizes, gpus, json)


def _all_kinds() -> str:
    from ncu_triage.operators.show import listed

    return listed(kind_called(id) for id in kind_ids())


def _page(found: Kind) -> str:
    from ncu_triage.operators.show import page

    return page(found)


def _gpus() -> str:
    from ncu_triage.operators.products import gpus

    return "".join(f"{gpu.product.name}\n" for gpu in gpus())


def _card(found: Kind, sizes: list[str], gpus: list[str], json: bool) -> str:
    from ncu_triage.operators.calculate import calculate

    worked = calculate(found, sizes, gpus)
    if json:
        import msgspec

        return msgspec.json.format(msgspec.json.encode(worked), indent=2).decode() + "\n"
    from ncu_triage.cli.show_options import colour
    from ncu_triage.render.console_operators import card
    from ncu_triage.render.ink import Ink
    from ncu_triage.view.operators import operator

    return card(operator(worked), Ink(colour()), shutil.get_terminal_size().columns)

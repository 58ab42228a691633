"""`operators`: what kernels compute, as a calculator that needs no report."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
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
    formulas: Annotated[
        Path | None,
        typer.Option(
            "--formulas", metavar="FILE", help="A file of operators with formulas of your own."
        ),
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
        if gpus:
            sys.stdout.write(_gpus())
            return 0
        own = _own(formulas)
        if kind is None:
            sys.stdout.write(_all_kinds(own))
            return 0
        found = kind_called(kind, own)
        text = _card(found, sizes, gpu or [], json) if sizes else _page(found)
        sys.stdout.write(text)
        return 0

    raise typer.Exit(guarded(work))


def _own(path: Path | None) -> dict[str, Kind]:
    if path is None:
        return {}
    from ncu_triage.operators.plan import read_formulas

    return read_formulas(path)


def _all_kinds(own: dict[str, Kind]) -> str:
    from ncu_triage.operators.show import listed

    return listed(kind_called(id, own) for id in (*kind_ids(), *own))


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

    text = card(operator(worked), Ink(colour()), shutil.get_terminal_size().columns)
    return text if gpus else f"{text}\nHow long that takes at best: add a GPU, such as --gpu T4\n"

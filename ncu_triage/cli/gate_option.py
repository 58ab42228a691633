"""`--fail-on` for every command that judges: read it early, settle it last."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ncu_triage.cli.guard import tell
from ncu_triage.errors import UsageError
from ncu_triage.model import Diagnosis
from ncu_triage.output import Target, deliver, write
from ncu_triage.resources import LARGEST, too_large

if TYPE_CHECKING:
    from ncu_triage.compare.comparison import Comparison
    from ncu_triage.gate.acknowledged import Acknowledged
    from ncu_triage.gate.conditions import Condition
    from ncu_triage.gate.gated import Gated
    from ncu_triage.gate.rows import Row
    from ncu_triage.gate.subjects import Subjects
    from ncu_triage.pipeline import Failure

FAILED, NOTHING = 1, 3

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION",
        help="End with exit code 1 where this holds: regression=5%,3sigma, total-regression=2%, "
        "severity=high, new-finding=medium, rule=ID, bottleneck-change, nothing-measured; "
        "with warn: before it, only say so. May be given several times.",
    ),
]
AcknowledgedOption = Annotated[
    Path | None,
    typer.Option(
        "--acknowledged",
        metavar="FILE",
        help="A TOML file of what is known and accepted, each with a reason and an expiry date.",
    ),
]


class Asked(NamedTuple):
    """The conditions of a call, and what is acknowledged."""

    conditions: list[Condition]
    acknowledged: list[Acknowledged]


def asked(
    fail_on: list[str] | None,
    file: Path | None,
    *,
    two: bool,
    rules: Callable[[], Collection[str]],
    config: Path | None = None,
) -> Asked | None:
    """Read the options; None where no gate was asked for and nothing is acknowledged.

    `config` is the file that may leave rules out. `two` says whether there are two results
    to hold against each other. Raises UsageError for what is wrong, before any work is done.
    """
    if not fail_on and file is None:
        return None
    from ncu_triage.gate.conditions import conditions

    off = partial(_left_out, config)
    wanted = conditions(fail_on or [], two=two, rules=rules, left_out=off)
    return Asked(wanted, _read(file, rules, off) if file else [])


def _left_out(config: Path | None) -> list[str]:
    """Return the rules that the configuration leaves out; read only where one is missing."""
    from ncu_triage.engine.adjust import configuration

    return configuration(config, Path.cwd()).adjustments.disable


def _read(
    file: Path, rules: Callable[[], Collection[str]], left_out: Callable[[], Collection[str]]
) -> list[Acknowledged]:
    from ncu_triage.gate.acknowledged import read_acknowledged

    if too_large(file):
        raise UsageError(f"--acknowledged {file}: has more than {LARGEST} bytes")
    try:
        return read_acknowledged(file.read_text(encoding="utf-8"), rules, left_out)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"--acknowledged {file}: {getattr(error, 'strerror', error)}") from error
    except UsageError as error:
        raise UsageError(f"--acknowledged {file}: {error}") from error


def hold(
    wanted: Asked | None,
    result: Diagnosis | Comparison | Subjects,
    today: datetime.date | None = None,
    lost: Sequence[Failure] = (),
) -> Gated | None:
    """Hold the conditions against a result; what is `lost` was not read at all."""
    if wanted is None and not lost:
        return None
    from ncu_triage.gate.acknowledged import in_force
    from ncu_triage.gate.gated import Gated, Lost
    from ncu_triage.gate.judge import gate
    from ncu_triage.view.header import file_name

    unread = [Lost(file_name(str(one.path)), one.message) for one in lost]
    if wanted is None:
        return Gated([], [], unread)
    day = today or datetime.datetime.now(datetime.UTC).date()
    holding, _ = in_force(wanted.acknowledged, day)
    return Gated(gate(result, wanted.conditions, wanted.acknowledged, day), holding, unread)


def settle(wanted: Asked | None, gated: Gated | None, otherwise: int) -> int:
    """Say on stderr how the gate ended, and return the exit code of the call.

    A failed gate is 1 whatever else went wrong; one that judged nothing is 3.
    """
    if wanted is None or gated is None or not wanted.conditions:
        return otherwise
    from ncu_triage.render.comparison_gate import gate_sentence
    from ncu_triage.render.letters import printable

    last = gate_sentence(gated, whole=otherwise == 0)
    for line in (*_lines(gated.rows), *_notes(wanted, gated), last):
        tell(printable(line))
    return {"failed": FAILED, "nothing": NOTHING, "passed": otherwise}[gated.verdict]


def _lines(rows: list[Row]) -> Iterator[str]:
    """Print what did not simply pass: expected, found, and the evidence."""
    from ncu_triage.render.comparison_gate import about_text, state

    for row in rows:
        if row.outcome == "failed":
            yield f"{state(row)}: {row.condition}: {about_text(row.about)}"
            yield f"    expected {row.expected}"
            yield f"    found    {row.found}"
            yield from (f"    evidence {line}" for line in row.evidence)
        elif row.outcome == "acknowledged":
            what = f"{row.condition}: {about_text(row.about)}: {row.rule or row.found}"
            yield f"acknowledged: {what}: {row.reason}"
    for condition in dict.fromkeys(row.condition for row in rows):
        open_ = [r for r in rows if r.condition == condition and r.outcome == "nothing"]
        if open_:
            more = f" and {len(open_) - 1} more" if len(open_) > 1 else ""
            yield f"nothing to judge: {condition}: {about_text(open_[0].about)}{more}"
            yield f"    found    {open_[0].found}"


def _notes(wanted: Asked, gated: Gated) -> Iterator[str]:
    """Say which acknowledgements speak of nothing here: misspelt, or no longer needed."""
    from ncu_triage.gate.acknowledged import unmatched

    left = unmatched(wanted.acknowledged, gated.rows)
    if left:
        yield f"note: nothing fails that is acknowledged as {'; '.join(map(str, left))}"


def write_gated(target: Target, diagnosis: Diagnosis, gated: Gated | None) -> None:
    """Write an output of the main job; those for machines carry the gate's rows."""
    if gated is None or target.kind not in ("sarif", "xml"):
        write(target, diagnosis)
        return
    from ncu_triage.render import junit, sarif

    module = sarif if target.kind == "sarif" else junit
    deliver(target, module.render(diagnosis, gated))

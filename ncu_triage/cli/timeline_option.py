"""`--timeline` of the main job: read it, join it, and say where that is not possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ncu_triage.cli.guard import complain
from ncu_triage.errors import InputError

if TYPE_CHECKING:
    from ncu_triage.model import Diagnosis

TimelineOption = Annotated[
    Path | None,
    typer.Option(
        "--timeline",
        metavar="FILE",
        help="A timeline of the same program: an SQLite export of Nsight Systems, or a trace of "
        "PyTorch's profiler (.json, .json.gz). Adds gaps, host-bound stretches and copies, and "
        "ranks what to fix by the program's own time.",
    ),
]


def joined(diagnosis: Diagnosis, file: Path) -> tuple[Diagnosis, bool]:
    """Attach a timeline; say in one line where it cannot be read or be compared.

    The diagnosis is given all the same, and the second value is False then.
    """
    from ncu_triage.timeline.attach import with_timeline

    try:
        found = with_timeline(diagnosis, file)
    except InputError as error:
        complain(f"--timeline {file}: {error}")
        return diagnosis, False
    if found.timeline and not found.timeline.comparable:
        complain(f"--timeline {file}: not comparable with the report: {found.timeline.why_not}")
        return found, False
    return found, True

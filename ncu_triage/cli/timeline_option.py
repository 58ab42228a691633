"""`--timeline` of the main job: read the file, join it, and say where that is not possible."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ncu_triage.cli.guard import complain
from ncu_triage.errors import InputError

if TYPE_CHECKING:
    from ncu_triage.model import Diagnosis


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

"""Ask NVIDIA's reader what a report's instructions are, and which lines they come from."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress

from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.nvidia.files import on_disk
from ncu_triage.readers.nvidia.process import WorkerFailure, ask, decode, is_installed
from ncu_triage.readers.source.instances import Instances
from ncu_triage.readers.source.places import Instruction
from ncu_triage.readers.source.worker import Answer, Request, Wanted

_WORKER = "ncu_triage.readers.source.worker"


def read_instructions(
    data: ByteFile, launches: Sequence[Instances]
) -> dict[int, dict[int, Instruction]]:
    """Return instructions by launch and program counter, as far as they can be had.

    Those of launches come that the worker has answered before it failed, if it does; the
    launches' numbers are known without it.
    """
    found: dict[int, dict[int, Instruction]] = {}
    wanted = {one.number: Wanted(one.number, one.name, _counters(one)) for one in launches}
    if not wanted or not is_installed():
        return found
    with suppress(WorkerFailure, OSError), on_disk(data) as path:
        for encoded in ask(_WORKER, Request(os.fsencode(path), tuple(wanted.values()))):
            answer = decode(encoded, Answer)
            pcs = wanted[answer.number].pcs
            found[answer.number] = dict(zip(pcs, answer.instructions, strict=True))
    return found


def _counters(launch: Instances) -> tuple[int, ...]:
    return tuple(sorted({pc for values in launch.metrics.values() for pc in values}))

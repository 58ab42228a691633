"""Judge the launches of a large report on all cores: every n-th launch by one process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from ncu_triage.forks import Forks, processes
from ncu_triage.model import Device, KernelDiagnosis, Launch
from ncu_triage.quantities.replay import Mark, ReplayCheck, Work, contradictory
from ncu_triage.readers.report import Striped

# Fewer launches are judged before a second process has begun.
_WORTH = 50


class Judged(NamedTuple):
    """Launches with their judgement, and the GPUs that their numbers of a device count."""

    kernels: Sequence[KernelDiagnosis]
    devices: Sequence[Device]


class _Stripe(Struct, frozen=True):
    """What a process made of its launches, and what the others must hear of."""

    kernels: list[KernelDiagnosis]
    devices: list[Device]
    marks: list[tuple[Mark, Work]]
    tally: bytes


# Given launches, and for how many each of them counts in the progress; 0 for silence.
Judge: TypeAlias = Callable[[Iterator[Launch], int], Judged]


def judged_in_stripes(report: Striped, judge: Judge) -> list[Judged] | None:
    """Judge a report's launches in several processes, each a stripe of them.

    None where it is not worth while, or did not work out: then nothing has happened yet.
    Raises InputError for a report of which no launch can be read.
    """
    count = min(processes(), report.expected // _WORTH)
    if count < 2:
        return None

    def stripe(part: int) -> _Stripe:
        replay = ReplayCheck()
        launches = map(replay.checked, report.stripe(part, count))
        found = judge(launches, 0 if part else count)
        tally = report.tally()
        return _Stripe(list(found.kernels), list(found.devices), replay.marks(), tally)

    with Forks(lambda part: msgspec.msgpack.encode(stripe(part)), count) as forks:
        stripes = [stripe(0)]
        for data in forks.results():
            if data is None:
                return None
            stripes.append(msgspec.msgpack.decode(data, type=_Stripe))
    # Whose counters are whose is told by the order of all launches.
    if contradictory(pair for one in stripes for pair in one.marks):
        return None
    report.gather([one.tally for one in stripes])
    return [Judged(one.kernels, one.devices) for one in stripes]


def in_order(stripes: Sequence[Judged]) -> list[tuple[KernelDiagnosis, Device | None]]:
    """Return the launches of all stripes in the file's order, each with its GPU."""
    found = [
        (kernel, None if kernel.device is None else stripe.devices[kernel.device])
        for stripe in stripes
        for kernel in stripe.kernels
    ]
    return sorted(found, key=lambda one: int(one[0].id.rpartition("/")[2]))

"""What each kernel takes of a GPU's time where several run side by side."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import pairwise

from ncu_triage.timeline.events import Kernels, Timeline
from ncu_triage.timeline.measure.gaps import by_device
from ncu_triage.timeline.measure.intervals import Union


def shared_times(timeline: Timeline, unions: Mapping[int, Union]) -> array[float]:
    """Return each kernel's part of the busy time in ns: each moment in equal parts.

    The parts of all kernels add up to the time in which any ran, so what is saved of them
    can never be more than passes. A kernel that runs alone takes all of its time.
    """
    kernels = timeline.kernels
    found = array("d", (end - start for start, end in zip(kernels.start, kernels.end, strict=True)))
    for device, rows in by_device(timeline, kernels.stream).items():
        if sum(found[row] for row in rows) > unions[device].length:
            _divide(kernels, rows, found)
    return found


def _divide(kernels: Kernels, rows: Sequence[int], found: array[float]) -> None:
    """Replace the times of one GPU's kernels by their parts.

    `passed` at a moment is the time that one kernel would have got by then, had it run all
    along; a kernel's part is the difference between its end and its start.
    """
    starts = sorted(kernels.start[row] for row in rows)
    ends = sorted(kernels.end[row] for row in rows)
    moments = sorted({*starts, *ends})
    passed = array("d", [0.0])
    begun = ended = 0
    for at, after in pairwise(moments):
        while begun < len(starts) and starts[begun] <= at:
            begun += 1
        while ended < len(ends) and ends[ended] <= at:
            ended += 1
        running = begun - ended
        passed.append(passed[-1] + ((after - at) / running if running else 0.0))
    for row in rows:
        start, end = (bisect_left(moments, one[row]) for one in (kernels.start, kernels.end))
        found[row] = passed[end] - passed[start]

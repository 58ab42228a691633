"""Which GPU a row's device number means; versions keep that in three different tables."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from ncu_triage.timeline.events import Gpu
from ncu_triage.timeline.nsys.database import Database
from ncu_triage.timeline.text import clean


class Devices:
    """The GPUs of the host, and how the processes number them."""

    def __init__(self, database: Database) -> None:
        self._gpus = _old_gpus(database) | _gpus(database)
        rows = database.rows("TARGET_INFO_CUDA_DEVICE", "pid", "cudaId", "gpuId")
        self._of_process = {(pid, cuda): gpu for pid, cuda, gpu in rows}

    def key(self, process: int, device: object) -> Hashable:
        """Return one key for one GPU, though CUDA_VISIBLE_DEVICES may number it anew."""
        gpu = self._of_process.get((process & 0xFFFFFF, device))
        return ("ordinal", device) if gpu is None else ("gpu", gpu)

    def known(self, keys: Iterable[Hashable]) -> Mapping[Hashable, Gpu]:
        """Return what is known of these GPUs."""
        return {key: self._gpus[key] for key in keys if key in self._gpus}


def _gpus(database: Database) -> dict[Hashable, Gpu]:
    """Read the host's GPUs, by their id and by CUDA's number where that is in use."""
    found: dict[Hashable, Gpu] = {}
    columns = ("id", "cuDevice", "name", "computeMajor", "computeMinor", "smCount", "clockRate")
    for id, ordinal, *facts in database.rows("TARGET_INFO_GPU", *columns):
        gpu = _gpu(facts, hertz=1)
        found["gpu", id] = gpu
        # A GPU that the program cannot see has only zeros, its ordinal included.
        if gpu.sm_count:
            found["ordinal", id if ordinal is None else ordinal] = gpu
    return found


def _old_gpus(database: Database) -> dict[Hashable, Gpu]:
    columns = ("name", "computeCapabilityMajor", "computeCapabilityMinor")
    numbers = ("numMultiprocessors", "coreClockRate")
    rows = database.rows("TARGET_INFO_CUDA_GPU", "deviceId", *columns, *numbers)
    return {("ordinal", device): _gpu(facts, hertz=1000) for device, *facts in rows}


def _gpu(facts: Iterable[Any], *, hertz: int) -> Gpu:
    """Make a GPU of what a row says; zeros and other nonsense are unknown."""
    name, major, minor, sms, clock = facts
    sound = isinstance(major, int) and isinstance(minor, int) and major > 0
    return Gpu(
        name=(clean(name) or None) if isinstance(name, str) else None,
        compute_capability=f"{major}.{minor}" if sound else None,
        sm_count=sms if isinstance(sms, int) and sms > 0 else None,
        clock=float(clock * hertz) if isinstance(clock, int) and clock > 0 else None,
    )

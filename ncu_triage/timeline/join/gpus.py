"""Whether the GPU of a report and that of a timeline are of one kind."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model import Device
from ncu_triage.timeline.events import Gpu

_VENDOR = re.compile(r"^(?:nvidia|tesla|geforce|quadro)\b[ -]*", re.IGNORECASE)
_OTHER_VENDOR = re.compile(r"\b(?:AMD|Radeon|Instinct|Intel|Arc)\b", re.IGNORECASE)
# What a report says that has no name or no capability for its GPU.
_UNKNOWN, _NO_CAPABILITY = "unknown GPU", "unknown"


class Agreement(NamedTuple):
    """`places` are the timeline's GPUs of the same kind; `sure` where both have names."""

    places: frozenset[int]
    sure: bool


def agreement(device: Device | None, gpus: Sequence[Gpu]) -> Agreement:
    """Find the GPUs of a timeline that are of the report's kind.

    What a file does not say cannot disagree, and makes the agreement unsure.
    """
    places = frozenset(place for place, gpu in enumerate(gpus) if _agree(device, gpu))
    named = device is not None and device.name != _UNKNOWN
    return Agreement(places, named and all(gpus[place].name for place in places))


def _agree(device: Device | None, gpu: Gpu) -> bool:
    if gpu.name and _OTHER_VENDOR.search(gpu.name):
        return False
    if device is None:
        return True
    pairs = (
        (_model(device.name), _model(gpu.name)),
        (_capability(device), gpu.compute_capability),
        (device.sm_count, gpu.sm_count),
    )
    return all(one is None or other is None or one == other for one, other in pairs)


def _capability(device: Device) -> str | None:
    said = device.compute_capability
    return said if said and said != _NO_CAPABILITY else None


def _model(name: str | None) -> str | None:
    """Return what of a name tells models apart; drivers differ in the brand before it."""
    if not name or name == _UNKNOWN:
        return None
    while (shorter := _VENDOR.sub("", name.strip())) != name.strip():
        name = shorter
    return " ".join(name.lower().split())


def described(gpu: Device | Gpu | None) -> str:
    """Name a GPU for a reader."""
    if gpu is None:
        return "a GPU that the report does not name"
    name = gpu.name or "a GPU without a name"
    known = gpu.compute_capability and gpu.compute_capability != _NO_CAPABILITY
    return f"{name} (compute capability {gpu.compute_capability})" if known else name

"""Which nights may be held against each other: those that were profiled in the same way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Struct, field

from ncu_triage.compare.caveats import of_settings
from ncu_triage.compare.reports import BUSY_CHANGED, other_busy
from ncu_triage.compare.runs import gpu_name
from ncu_triage.model import Diagnosis, Settings


class Taken(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a night was profiled, on which GPUs with how many SMs; empty where it is not said."""

    settings: Settings = Settings()
    gpus: dict[str, list[str]] = field(default_factory=dict)
    ncu_version: str | None = None


def taken(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return how a report was profiled, ready to be stored as JSON."""
    gpus: dict[str, list[str]] = {}
    for device in diagnosis.devices:
        gpus.setdefault(device.name, []).append(gpu_name(device))
    found: dict[str, Any] = msgspec.to_builtins(Taken(settings=diagnosis.collection, gpus=gpus))
    return found


def why_not(before: Taken, after: Taken) -> str | None:
    """Say why two nights must not be compared; None where they may. Nothing said bars nothing."""
    return next(_reasons(before, after), None)


def _reasons(before: Taken, after: Taken) -> Iterator[str]:
    for name in before.gpus.keys() & after.gpus.keys():
        mine, yours = before.gpus[name], after.gpus[name]
        if not set(mine) & set(yours):
            yield f"another part of the GPU: {mine[0]} before, {yours[0]} after"
    for caveat in of_settings(*_said(before.settings, after.settings)):
        if caveat.refuses:
            yield caveat.text[0].lower() + caveat.text[1:].removesuffix(".")
    if other_busy([before.ncu_version or ""], [after.ncu_version or ""]):
        versions = f"Nsight Compute {before.ncu_version} before, {after.ncu_version} after"
        yield f"{versions}: {BUSY_CHANGED[0].lower()}{BUSY_CHANGED[1:].removesuffix('.')}"


def _said(before: Settings, after: Settings) -> tuple[Settings, Settings]:
    """Leave out what was collected where one side does not say it."""
    both = all(side.set or side.sections for side in (before, after))
    if both:
        return before, after
    left = [msgspec.structs.replace(side, set=None, sections=[]) for side in (before, after)]
    return left[0], left[1]


def alike(nights: Sequence[tuple[int, Taken]]) -> dict[int, int]:
    """Give nights that may be compared the same number, by report; in order of the nights."""
    ways: list[Taken] = []
    numbers: dict[int, int] = {}
    for report, night in nights:
        fits = (i for i, way in enumerate(ways) if why_not(way, night) is None)
        number = next(fits, len(ways))
        known = ways[number] if number < len(ways) else Taken()
        ways[number : number + 1] = [_added(known, night)]
        numbers[report] = number
    return numbers


def _added(way: Taken, night: Taken) -> Taken:
    """Add to what is known of a way what one more night says of it."""
    fields = Settings.__struct_fields__
    settings = {
        name: getattr(night.settings, name) or getattr(way.settings, name) for name in fields
    }
    return Taken(
        settings=Settings(**settings),
        gpus=way.gpus | night.gpus,
        ncu_version=night.ncu_version or way.ncu_version,
    )

"""Turn a launch's message into a `Launch`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import NamedTuple

from ncu_triage.model import Extent, Launch, Workload
from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.metrics import Metrics, read_metrics
from ncu_triage.readers.ncu_rep.rules import nvidia_rule, raw_messages

_MESSAGES: Mapping[Workload, schema.Message] = {
    "kernel": schema.Kernel,
    "range": schema.Range,
    "cmdlist": schema.Cmdlist,
    "graph": schema.Graph,
}


class Place(NamedTuple):
    """Where a launch stands: its id, its kind, its process, and the report's only GPU."""

    id: str
    kind: Workload
    process: int | None = None
    only_device: int | None = None


class Decoded(NamedTuple):
    """A launch with what the report as a whole wants to know of it.

    `clock_locked` is None where the file does not say; `unnamed` counts metrics whose
    name is missing from the file.
    """

    launch: Launch
    clock_locked: bool | None
    unnamed: int


def decode_launch(place: Place, data: bytes, names: Sequence[str]) -> Decoded | None:
    """Decode a launch; None where it is damaged, or has no name or no metrics."""
    try:
        message = _MESSAGES[place.kind].FromString(data)
        metrics = read_metrics(message.metrics, names)
    except schema.DecodeError:
        return None
    name, demangled = _names(message, place.kind)
    if not name or not metrics.any():
        return None
    clock = message.clock
    return Decoded(
        launch=_launch(place, message, metrics, (name, demangled)),
        clock_locked=bool(clock.requested) if clock.HasField("requested") else None,
        unnamed=metrics.unnamed,
    )


def _launch(
    place: Place, message: schema.Message, metrics: Metrics, names: tuple[str, str]
) -> Launch:
    kernel = place.kind == "kernel"
    ruled = place.kind in ("kernel", "cmdlist")
    return Launch(
        id=place.id,
        name=names[0],
        demangled=names[1],
        workload=place.kind,
        grid=_extent(message, metrics, "grid") if kernel else None,
        block=_extent(message, metrics, "block") if kernel else None,
        process=place.process,
        device=_whole(metrics.values.get("launch__device_id", place.only_device)),
        context=_optional(message, "context"),
        context_name=schema.text(message.context_name) or None,
        stream=None if place.kind == "range" else _optional(message, "stream"),
        stream_name=None if place.kind == "range" else schema.text(message.stream_name) or None,
        nvtx=tuple(_nvtx(message)),
        metrics=metrics.values,
        valueless=metrics.valueless,
        nan=metrics.nan,
        histograms=metrics.histograms,
        sections=tuple(schema.text(section.id) for section in message.sections),
        rules=tuple(
            nvidia_rule(raw)
            for raw in raw_messages(message.rules if ruled else ())
            # An item without any message is a chart or a table.
            if raw.text or raw.title
        ),
    )


def _names(message: schema.Message, kind: Workload) -> tuple[str, str]:
    """Return name and demangled name; only a kernel has a name of its own."""
    if kind == "kernel":
        name = schema.text(message.function or message.mangled)
        return name, schema.text(message.demangled) or name
    name = {"range": "range", "graph": "graph"}.get(kind, "")
    name = name or schema.text(message.display_name) or "command list"
    return name, name


def _extent(message: schema.Message, metrics: Metrics, which: str) -> Extent | None:
    """Read grid or block from the metrics, else from the message."""
    x, y, z = (_whole(metrics.values.get(f"launch__{which}_dim_{axis}")) for axis in "xyz")
    if x and y and z:
        return x, y, z
    extent = _written(getattr(message, which))
    return _in_blocks(message, metrics, extent) if extent and which == "grid" else extent


def _written(extent: schema.Message) -> Extent | None:
    return (extent.x, max(extent.y, 1), max(extent.z, 1)) if extent.x else None


def _in_blocks(message: schema.Message, metrics: Metrics, grid: Extent) -> Extent | None:
    """Return the grid in blocks: versions up to 2020.2 write it in threads.

    Where the number of blocks was collected, a grid that is neither is nothing to show.
    """
    blocks, block = _whole(metrics.values.get("launch__grid_size")), _written(message.block)
    if not blocks or not block or prod(grid) == blocks:
        return grid
    x, y, z = (threads // size for threads, size in zip(grid, block, strict=True))
    return (x, y, z) if x * y * z == blocks else None


def _whole(value: float | str | None) -> int | None:
    # The bound keeps an absurd number out of the JSON, which has none beyond 64 bits.
    return int(value) if isinstance(value, float | int) and 0 <= value < 2**63 else None


def _optional(message: schema.Message, field: str) -> int | None:
    return getattr(message, field) if message.HasField(field) else None


def _nvtx(message: schema.Message) -> Iterator[str]:
    """Yield the names of the ranges around a launch, outermost first.

    A thread's ranges nest, and only those of the launching thread count; start/end
    ranges belong to no thread.
    """
    for thread in message.nvtx.threads:
        if thread.id == message.thread:
            for domain in thread.domains:
                yield from (schema.text(one.name) for one in domain.stack)
    for domain in message.nvtx.start_end:
        yield from (schema.text(one.name) for one in domain.ranges)

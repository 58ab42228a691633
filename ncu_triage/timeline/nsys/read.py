"""Turn an export of Nsight Systems into a timeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ncu_triage.errors import InputError
from ncu_triage.model import Extent
from ncu_triage.timeline.calls import blocking
from ncu_triage.timeline.collect import Collector, Place, Span
from ncu_triage.timeline.events import CopyKind, KernelName, Shape, Timeline
from ncu_triage.timeline.nsys.database import Database, Row
from ncu_triage.timeline.nsys.devices import Devices
from ncu_triage.timeline.nsys.source import refusal, source
from ncu_triage.timeline.text import clean

_CUPTI = "CUPTI_ACTIVITY_KIND_"
_PLACE = ("globalPid", "deviceId", "contextId", "streamId", "greenContextId")
_SHAPE = ("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread")
_NAMES = ("demangledName", "shortName", "mangledName")
_DIRECTIONS = (
    *["?", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA", "AtoD", "DtoA", "DtoD", "HtoH", "PtoP"],
    *("unified HtoD", "unified DtoH", "unified DtoD"),
)
_PAGEABLE = 0
_RANGES = (59, 60, 70, 71)  # push/pop and start/end, of programs and of text files
_PROCESS = 24  # bits of a global id below the process


class _Reader(NamedTuple):
    database: Database
    devices: Devices
    events: Collector


def read_nsys(path: Path, name: str, sha256: str) -> Timeline:
    """Read an export; raises InputError for a database that is none, or is damaged."""
    with Database(path) as database:
        if message := refusal(database):
            raise InputError(message)
        reader = _Reader(database, Devices(database), Collector())
        _kernels(reader)
        _copies(reader)
        _graphs(reader)
        _calls(reader)
        _ranges(reader)
        _overheads(reader)
        gpus = reader.devices.known(reader.events.device_keys())
        return reader.events.timeline(source(database, reader.events.lost, name, sha256), gpus)


def _kernels(reader: _Reader) -> None:
    table = _CUPTI + "KERNEL"
    texts = _texts(
        reader.database, {id for row in reader.database.rows(table, *_NAMES) for id in row}
    )
    columns = ("start", "end", *_PLACE, "correlationId", *_NAMES, *_SHAPE)
    for start, end, *rest in reader.database.rows(table, *columns):
        names = KernelName(*(texts.get(id, "") for id in rest[6:9]))
        what = _named(names), _shape(rest[9:])
        place = _place(reader, rest[:5])
        reader.events.kernel(_span(start, end), place, _whole(rest[5]), what)


def _copies(reader: _Reader) -> None:
    columns = ("start", "end", *_PLACE, "bytes", "copyKind", "srcKind", "dstKind")
    for start, end, *rest in reader.database.rows(_CUPTI + "MEMCPY", *columns):
        known = _whole(rest[6]) if 0 <= _whole(rest[6]) < len(_DIRECTIONS) else 0
        kind = CopyKind(_DIRECTIONS[known], _PAGEABLE in rest[7:9])
        reader.events.copy(_span(start, end), _place(reader, rest[:5]), kind, _whole(rest[5]))
    for start, end, *rest in reader.database.rows(_CUPTI + "MEMSET", *columns[:8]):
        place, kind = _place(reader, rest[:5]), CopyKind("memset")
        reader.events.copy(_span(start, end), place, kind, _whole(rest[5]))


def _graphs(reader: _Reader) -> None:
    for start, end, *rest in reader.database.rows(_CUPTI + "GRAPH_TRACE", "start", "end", *_PLACE):
        reader.events.graph(_span(start, end), _place(reader, rest))


def _calls(reader: _Reader) -> None:
    table = _CUPTI + "RUNTIME"
    ids = {id for (id,) in reader.database.rows(table, "nameId")}
    names = _texts(reader.database, ids)
    kinds = {id: blocking(text) for id, text in names.items()}
    columns = ("start", "end", "globalTid", "correlationId", "nameId")
    for start, end, thread, call, id in reader.database.rows(table, *columns):
        process, span = _whole(thread) >> _PROCESS, _span(start, end)
        reader.events.call(span, process, _whole(thread), _whole(call), names.get(id, ""))
        if kind := kinds.get(id):
            reader.events.blocking(span, process, _whole(thread), kind)


def _ranges(reader: _Reader) -> None:
    table = "NVTX_EVENTS"
    texts = _texts(reader.database, {id for (id,) in reader.database.rows(table, "textId")})
    columns = ("start", "end", "globalTid", "eventType", "text", "textId")
    for start, end, thread, kind, text, id in reader.database.rows(table, *columns):
        if kind in _RANGES and end is not None:
            name = text if isinstance(text, str) else texts.get(id, "")
            reader.events.range(_span(start, end), _whole(thread), name)


def _overheads(reader: _Reader) -> None:
    for table in ("PROFILER_OVERHEAD", _CUPTI + "OVERHEAD"):
        for start, end in reader.database.rows(table, "start", "end"):
            reader.events.overhead(_span(start, end))


def _texts(database: Database, ids: set[Any]) -> dict[Any, str]:
    """Return the texts that are asked for, and no others: the rest is the host's own."""
    rows: Iterator[Row] = database.rows("StringIds", "id", "value")
    return {id: clean(text) for id, text in rows if id in ids and isinstance(text, str)}


def _named(names: KernelName) -> KernelName:
    return names._replace(full=names.full or names.short or names.mangled or "(unnamed)")


def _place(reader: _Reader, row: list[Any]) -> Place:
    process = _whole(row[0]) >> _PROCESS
    numbers = (_whole(value) for value in row[2:5])
    return Place(process, reader.devices.key(process, row[1]), *numbers)


def _shape(row: list[Any]) -> Shape:
    return Shape(_extent(row[:3]), _extent(row[3:6]), _whole(row[6]) or None)


def _extent(row: list[Any]) -> Extent | None:
    x, y, z = (_whole(value) for value in row)
    return (x, y, z) if x > 0 and y > 0 and z > 0 else None


def _span(start: object, end: object) -> Span:
    """Return a stretch of time; what is no number becomes one that is lost."""
    return Span(_whole(start), _whole(end))


def _whole(value: object) -> int:
    """Return a number, 0 for a value that is missing or of another type."""
    return value if isinstance(value, int) else 0

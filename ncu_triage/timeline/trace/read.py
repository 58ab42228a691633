"""Turn a trace of PyTorch's profiler into a timeline."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ncu_triage.errors import InputError
from ncu_triage.timeline.events import Gpu, Timeline, TimelineSource
from ncu_triage.timeline.say.words import count
from ncu_triage.timeline.text import clean
from ncu_triage.timeline.trace.convert import HOST_ONLY, Converter
from ncu_triage.timeline.trace.events import Event, EventReader
from ncu_triage.timeline.trace.stream import Stream


class _Read(NamedTuple):
    """A trace read to its end: its events, its GPUs, and what happened on the way."""

    events: Converter
    gpus: Mapping[Hashable, Gpu]
    reader: EventReader
    cut: bool


def read_trace(path: Path, name: str, sha256: str) -> Timeline:
    """Read a trace; raises InputError for JSON that is none."""
    read = _read(path)
    _refuse(read)
    return read.events.collector.timeline(_source(read, name, sha256), read.gpus)


def _read(path: Path) -> _Read:
    converter, reader = Converter(), EventReader(HOST_ONLY)
    gpus: dict[Hashable, Gpu] = {}
    with Stream(path) as stream:
        for event in reader.events(stream):
            if "ph" in event:
                converter.add(event)
            elif "computeMajor" in event:
                gpus.update([_gpu(event)])
        return _Read(converter, gpus, reader, stream.cut)


def _gpu(found: Event) -> tuple[int, Gpu]:
    number, name, sms = found.get("id"), found.get("name"), found.get("numSms")
    capability = found.get("computeMajor"), found.get("computeMinor")
    sound = all(isinstance(part, int) for part in capability)
    return number if isinstance(number, int) else -1, Gpu(
        name=(clean(name) or None) if isinstance(name, str) else None,
        compute_capability="{}.{}".format(*capability) if sound else None,
        sm_count=sms if isinstance(sms, int) and sms > 0 else None,
    )


def _refuse(read: _Read) -> None:
    """Raise for what is no trace of PyTorch's profiler."""
    if read.events.known or read.reader.passed:
        return
    if read.events.old_profiler:
        raise InputError(
            "this is a trace of PyTorch's old autograd profiler, without the times on the GPU:"
            " record with torch.profiler.profile"
        )
    raise InputError(
        "this is JSON, but no trace of PyTorch's profiler (it has no events of its kinds):"
        " name a file that export_chrome_trace wrote"
    )


def _source(read: _Read, name: str, sha256: str) -> TimelineSource:
    lost = read.events.collector.lost + read.events.untimed + read.reader.lost
    return TimelineSource(
        name=name,
        sha256=sha256,
        format="pytorch-trace",
        complete=read.reader.closed and not read.cut and not lost,
        lost_events=lost,
        notes=tuple(_notes(read)),
    )


def _notes(read: _Read) -> Iterator[str]:
    reader = read.reader
    if read.cut:
        yield "the compressed data ends early: the rest of the trace is missing"
    elif not reader.closed:
        yield "the file ends inside its list of events: its writer was stopped"
    if reader.mended:
        yield f"{count(reader.mended, 'event')} of faulty JSON could be mended"
    if reader.lost:
        yield f"{count(reader.lost, 'unreadable event')} left out"
    if without := read.events.collector.lost + read.events.untimed:
        yield f"{count(without, 'event')} without usable times left out"

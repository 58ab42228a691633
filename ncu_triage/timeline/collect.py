"""Collect events of any format in any order, and make a timeline of them."""

from __future__ import annotations

import math
from array import array
from collections.abc import Hashable, Mapping
from typing import NamedTuple

from ncu_triage.timeline.calls import launches_graph
from ncu_triage.timeline.events import (
    BLOCKING,
    NO_CALL,
    Blocking,
    Calls,
    Column,
    Copies,
    CopyKind,
    Gpu,
    Graphs,
    KernelName,
    Kernels,
    Overheads,
    Ranges,
    Shape,
    Stream,
    Timeline,
    TimelineSource,
)
from ncu_triage.timeline.table import Index, Table
from ncu_triage.timeline.text import repeated

_END_OF_TIME = 2**62
_NO_ID = 0xFFFFFFFF  # how CUPTI writes "none"
_FEW = 16  # so few times may share a step by chance


class Span(NamedTuple):
    """A stretch of time in nanoseconds."""

    start: int
    end: int


class Place(NamedTuple):
    """Where work ran, in the file's own numbers."""

    process: int
    device: Hashable
    context: int
    stream: int
    green_context: int = 0


class Collector:
    """The events so far. Work of no length is real only where the clock is coarse."""

    def __init__(self, *, coarse: bool = False) -> None:
        self.lost = 0
        self._coarse = coarse
        self._devices: Index[Hashable] = Index()
        self._processes: Index[int] = Index()
        self._threads: Index[Hashable] = Index()
        self._names: Index[KernelName] = Index()
        self._shapes: Index[Shape] = Index()
        self._streams: Index[Stream] = Index()
        self._kinds: Index[CopyKind] = Index()
        self._range_names: Index[str] = Index()
        self._kernels = Table(start="q", end="q", call="q", stream="i", name="i", shape="i")
        self._copies = Table(start="q", end="q", stream="i", kind="i", bytes="q")
        self._graphs = Table(start="q", end="q", stream="i")
        self._launches = Table(call="q", start="q", thread="i", graph="b")
        self._calls = Table(start="q", end="q", thread="i", kind="i")
        self._ranges = Table(start="q", end="q", thread="i", name="i")
        self._overheads = Table(start="q", end="q")

    def kernel(self, span: Span, place: Place, call: int, what: tuple[KernelName, Shape]) -> None:
        """Add a kernel; `call` is its correlation id."""
        if self._usable(span):
            key = self._key(place.process, call)
            name, shape = self._names.of(what[0]), self._shapes.of(what[1])
            self._kernels.add(*span, key, self._stream(place), name, shape)

    def copy(self, span: Span, place: Place, kind: CopyKind, moved: int) -> None:
        """Add a copy or a memset of so many bytes."""
        if self._usable(span):
            size = moved if 0 <= moved < _END_OF_TIME else 0
            self._copies.add(*span, self._stream(place), self._kinds.of(kind), size)

    def graph(self, span: Span, place: Place) -> None:
        """Add the launch of a graph whose kernels have no rows."""
        if self._usable(span):
            self._graphs.add(*span, self._stream(place))

    def call(self, span: Span, process: int, thread: Hashable, call: int, name: str) -> None:
        """Add an API call that may have started work on a GPU."""
        if (key := self._key(process, call)) and _in_time(span):
            place = self._threads.of((process, thread))
            self._launches.add(key, span.start, place, launches_graph(name))

    def blocking(self, span: Span, process: int, thread: Hashable, kind: Blocking) -> None:
        """Add an API call that kept its thread."""
        if _in_time(span):
            place = self._threads.of((process, thread))
            self._calls.add(*span, place, BLOCKING.index(kind))

    def range(self, span: Span, thread: Hashable, name: str) -> None:
        """Add a range that the program marked."""
        if _in_time(span):
            place = self._threads.of(thread)
            self._ranges.add(*span, place, self._range_names.of(repeated(name)))

    def overhead(self, span: Span) -> None:
        """Add a stretch in which the profiler held up the program."""
        if _in_time(span):
            self._overheads.add(*span)

    def device_keys(self) -> tuple[Hashable, ...]:
        """Return the GPUs that did work, as the file numbers them."""
        return self._devices.items()

    def timeline(self, source: TimelineSource, gpus: Mapping[Hashable, Gpu]) -> Timeline:
        """Sort everything, join kernels with their API calls, and make the timeline."""
        kernels = self._kernels.by("start")
        launched = self._launched(kernels.pop("call"))
        return Timeline(
            source=source,
            devices=tuple(gpus.get(key, Gpu()) for key in self._devices.items()),
            names=self._names.items(),
            shapes=self._shapes.items(),
            streams=self._streams.items(),
            copy_kinds=self._kinds.items(),
            range_names=self._range_names.items(),
            kernels=Kernels(**kernels, **launched),
            copies=Copies(**self._copies.by("start")),
            graphs=Graphs(**self._graphs.by("start")),
            calls=Calls(**self._calls.by("start")),
            ranges=Ranges(**self._ranges.by("start")),
            overheads=Overheads(**self._overheads.by("start")),
            resolution=_step(kernels["start"], kernels["end"]),
        )

    def _launched(self, keys: Column) -> dict[str, Column]:
        """Return what is known of each kernel's call, the earliest of its id.

        But for a graph one call launches one kernel: an id that several kernels share says
        which call launched the first of them at most, and nothing of the others.
        """
        calls, starts, threads, graphs = self._launches.columns.values()
        first: dict[int, int] = {}
        wanted = set(keys)
        for at, call in enumerate(calls):
            if call in wanted and ((old := first.get(call)) is None or starts[at] < starts[old]):
                first[call] = at
        taken: set[int] = set()
        rows: list[int | None] = []
        for key in keys:
            row = first.get(key)
            rows.append(None if key in taken else row)
            if row is not None and not graphs[row]:
                taken.add(key)
        return {
            "launched": array("q", (NO_CALL if row is None else starts[row] for row in rows)),
            "thread": array("i", (NO_CALL if row is None else threads[row] for row in rows)),
            "in_graph": array("b", (0 if row is None else graphs[row] for row in rows)),
        }

    def _usable(self, span: Span) -> bool:
        """Tell whether work has times; what has none is counted and left out of all sums."""
        long_enough = span.end > span.start or (self._coarse and span.end == span.start)
        usable = span.start > 0 and long_enough and span.end < _END_OF_TIME
        self.lost += not usable
        return usable

    def _stream(self, place: Place) -> int:
        device = self._devices.of(place.device)
        return self._streams.of(Stream(place.process, device, *place[2:]))

    def _key(self, process: int, call: int) -> int:
        """Return a correlation id that is one over all processes; 0 where there is none."""
        known = 0 < call < _NO_ID
        return (self._processes.of(process) << 32 | call) if known else 0


def _in_time(span: Span) -> bool:
    return 0 <= span.start <= span.end < _END_OF_TIME


def _step(*columns: Column) -> int:
    """Return the step that all times are multiples of, where enough of them are there."""
    step = 0
    for column in columns:
        for time in column:
            step = math.gcd(step, time)
            if step == 1:
                return 1
    return step if sum(map(len, columns)) >= _FEW else 1

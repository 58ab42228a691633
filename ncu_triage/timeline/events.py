"""What a timeline holds: columns of integers, one row an event, in order of start.

All times are integer nanoseconds; what zero means is the file's own affair. Columns keep
hundreds of thousands of events small, and texts lie in tables that rows point into.
"""

from __future__ import annotations

from array import array
from typing import Literal, NamedTuple, TypeAlias

from msgspec import Struct

from ncu_triage.model import Extent

Column: TypeAlias = "array[int]"
Blocking: TypeAlias = Literal["wait", "copy", "allocate", "load"]
BLOCKING: tuple[Blocking, ...] = ("wait", "copy", "allocate", "load")

NO_CALL = -1  # in `launched` and `thread`: the file has no API call for the row


class Gpu(Struct, frozen=True, kw_only=True):
    """A GPU that did work, as far as the file names it; the clock is its highest, in Hz."""

    name: str | None = None
    compute_capability: str | None = None
    sm_count: int | None = None
    clock: float | None = None


class KernelName(NamedTuple):
    """The spellings of one kernel's name; "" where the file has no such one."""

    full: str
    short: str = ""
    mangled: str = ""


class Shape(NamedTuple):
    """How a kernel was launched, as far as the file says."""

    grid: Extent | None
    block: Extent | None
    registers: int | None = None


class Stream(NamedTuple):
    """A queue of work; contexts and streams are numbered anew in each process."""

    process: int
    device: int
    context: int
    stream: int
    green_context: int = 0


class CopyKind(NamedTuple):
    """A direction such as "HtoD" or "memset", and whether host memory was pageable."""

    direction: str
    pageable: bool = False


class Kernels(Struct, frozen=True, kw_only=True):
    """Kernels; `launched` is the start of the API call, `thread` the one that called.

    `in_graph` is 1 where that call launched a CUDA graph.
    """

    start: Column
    end: Column
    launched: Column
    thread: Column
    in_graph: Column
    stream: Column
    name: Column
    shape: Column

    def __len__(self) -> int:
        return len(self.start)


class Copies(Struct, frozen=True, kw_only=True):
    """Copies and memsets, with the bytes that each moved."""

    start: Column
    end: Column
    stream: Column
    kind: Column
    bytes: Column

    def __len__(self) -> int:
        return len(self.start)


class Graphs(Struct, frozen=True, kw_only=True):
    """Launches of whole CUDA graphs whose kernels were not traced."""

    start: Column
    end: Column
    stream: Column

    def __len__(self) -> int:
        return len(self.start)


class Calls(Struct, frozen=True, kw_only=True):
    """API calls that keep a host thread from launching; `kind` is a place in BLOCKING."""

    start: Column
    end: Column
    thread: Column
    kind: Column

    def __len__(self) -> int:
        return len(self.start)


class Ranges(Struct, frozen=True, kw_only=True):
    """Ranges that the program marked (NVTX, profiler steps), numbers in names blanked."""

    start: Column
    end: Column
    thread: Column
    name: Column

    def __len__(self) -> int:
        return len(self.start)


class Overheads(Struct, frozen=True, kw_only=True):
    """Stretches in which the profiler itself held up the host."""

    start: Column
    end: Column

    def __len__(self) -> int:
        return len(self.start)


class TimelineSource(Struct, frozen=True, kw_only=True):
    """The file: what wrote it, and how much of it could be read.

    `lost_events` counts GPU work without usable times and events that were unreadable.
    """

    name: str
    sha256: str
    format: Literal["nsys-sqlite", "pytorch-trace"]
    producer: str | None = None
    complete: bool = True
    lost_events: int = 0
    notes: tuple[str, ...] = ()


class Timeline(Struct, frozen=True, kw_only=True):
    """What ran on the GPUs and when; `resolution` is the step of its clock in ns."""

    source: TimelineSource
    devices: tuple[Gpu, ...]
    names: tuple[KernelName, ...]
    shapes: tuple[Shape, ...]
    streams: tuple[Stream, ...]
    copy_kinds: tuple[CopyKind, ...]
    range_names: tuple[str, ...]
    kernels: Kernels
    copies: Copies
    graphs: Graphs
    calls: Calls
    ranges: Ranges
    overheads: Overheads
    resolution: int = 1

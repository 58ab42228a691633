"""Sort the events of a trace by what they are; names of categories changed over the years."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ncu_triage.model import Extent
from ncu_triage.timeline.calls import blocking
from ncu_triage.timeline.collect import Collector, Place, Span
from ncu_triage.timeline.events import CopyKind, KernelName, Shape
from ncu_triage.timeline.text import clean
from ncu_triage.timeline.trace.events import Event
from ncu_triage.timeline.trace.times import nanoseconds

# What PyTorch writes beside GPU work, calls and ranges.
HOST_ONLY = frozenset(
    (
        *("cpu_op", "operator", "python_function", "cpu_instant_event", "trace"),
        *("cuda_sync", "cuda_event", "gpu_user_annotation"),
        *("ac2g", "async_cpu_to_gpu", "async", "fwdbwd", "forward_backward"),
    )
)
_DIRECTION = re.compile(r"Memcpy (\w{1,9})")
_NUMBER = re.compile(r"\d{1,18}")
_PROCESS = 0  # one file is one process; the pid of GPU work is the number of its GPU


class Converter:
    """Takes events one by one; `known` counts those of a kind that PyTorch writes."""

    def __init__(self) -> None:
        self.collector = Collector(coarse=True)
        self.known = 0
        self.untimed = 0
        self.old_profiler = False
        self._kinds: Mapping[str, Callable[[Event, Span], None]] = {
            "kernel": self._kernel,
            "memcpy": self._copy,
            "gpu_memcpy": self._copy,
            "memset": self._copy,
            "gpu_memset": self._copy,
            "runtime": self._call,
            "cuda_runtime": self._call,
            "cuda_driver": self._call,
            "user_annotation": self._range,
            "overhead": self._overhead,
        }

    def add(self, event: Event) -> None:
        """Take one event; what is neither GPU work, a call nor a range is passed over.

        Only complete events count: instants and arrows carry no time of their own.
        """
        kind = str(event.get("cat", "")).lower()
        self.known += kind in HOST_ONLY or kind in self._kinds
        self.old_profiler |= event.get("pid") in _OLD_PIDS
        if event.get("ph") == "X" and (take := self._kinds.get(kind)):
            start, length = nanoseconds(event.get("ts")), nanoseconds(event.get("dur", 0))
            if start is None or length is None:
                self.untimed += 1
            else:
                take(event, Span(start, start + max(0, length)))

    def _kernel(self, event: Event, span: Span) -> None:
        args = _args(event)
        name = clean(str(event.get("name") or "")) or "(unnamed)"
        registers = _whole(args.get("registers per thread")) or None
        shape = Shape(_extent(args.get("grid")), _extent(args.get("block")), registers)
        call = _whole(args.get("correlation"))
        self.collector.kernel(span, _place(event, args), call, (KernelName(name), shape))

    def _copy(self, event: Event, span: Span) -> None:
        args, name = _args(event), str(event.get("name"))
        found = _DIRECTION.search(name)
        direction = found[1] if found else "memset" if "emset" in name else "?"
        kind = CopyKind(direction, "Pageable" in name)
        self.collector.copy(span, _place(event, args), kind, _whole(args.get("bytes")))

    def _call(self, event: Event, span: Span) -> None:
        name, thread = str(event.get("name")), str(event.get("tid"))
        call = _whole(_args(event).get("correlation"))
        self.collector.call(span, _PROCESS, thread, call, name)
        if kind := blocking(name):
            self.collector.blocking(span, _PROCESS, thread, kind)

    def _range(self, event: Event, span: Span) -> None:
        self.collector.range(span, str(event.get("tid")), str(event.get("name")))

    def _overhead(self, event: Event, span: Span) -> None:
        self.collector.overhead(span)


_OLD_PIDS = ("CUDA functions", "CPU functions")


def _args(event: Event) -> Event:
    args = event.get("args")
    return args if isinstance(args, dict) else {}


def _place(event: Event, args: Event) -> Place:
    """Return where work ran; old traces write the stream as `stream 7`."""
    device = args["device"] if "device" in args else event.get("pid")
    stream = args["stream"] if "stream" in args else event.get("tid")
    return Place(_PROCESS, _whole(device), _whole(args.get("context")), _whole(stream))


def _extent(value: Any) -> Extent | None:
    if not isinstance(value, list) or len(value) != 3:
        return None
    x, y, z = (_whole(one) for one in value)
    return (x, y, z) if x > 0 and y > 0 and z > 0 else None


def _whole(value: Any) -> int:
    """Return a number, also one that stands in a text; 0 for everything else."""
    if isinstance(value, str) and (found := _NUMBER.search(value)):
        return int(found[0])
    return value if isinstance(value, int) and 0 <= value < 2**62 else 0

"""Read from a report which instruction carries how much of a metric."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from math import isfinite
from typing import NamedTuple

from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.container import Container
from ncu_triage.readers.ncu_rep.entry import read_entry

_FUNCTIONS = "launch__function_pcs"
# Instances may be keyed by time, too: nanoseconds since 1970 lie above all addresses.
_END_OF_ADDRESSES = 1 << 57


class Instances(NamedTuple):
    """A launch's per-instruction values.

    `functions` are the first program counters of the launch's functions, in ascending
    order, `metrics` the values (all above 0) by metric and program counter.
    """

    number: int
    name: str
    functions: tuple[int, ...]
    metrics: dict[str, dict[int, float]]


def read_instances(
    container: Container, wanted: Mapping[int, Collection[str]]
) -> Iterator[Instances]:
    """Yield the wanted launches that have per-instruction values of the wanted metrics.

    A launch's number is its place in the file. Only kernels have such values.
    """
    for number, data in _kernels(container, wanted):
        # A damaged launch has none; the reader of launches has already said so.
        with suppress(schema.DecodeError):
            message = schema.Kernel.FromString(data)
            found = _instances(message, container.names, {_FUNCTIONS, *wanted[number]})
            functions = tuple(sorted({int(pc) for pc in found.pop(_FUNCTIONS, {}).values() if pc}))
            metrics = {
                name: {pc: value for pc, value in values.items() if value > 0}
                for name, values in found.items()
                if _are_addresses(values, functions)
            }
            if any(metrics.values()):
                name = schema.text(message.function or message.mangled)
                yield Instances(number, name, functions, metrics)


def _kernels(container: Container, wanted: Collection[int]) -> Iterator[tuple[int, bytes]]:
    first = 0
    for block in container.blocks:
        following = first + block.launches
        if any(first <= number < following for number in wanted):
            for number, (kind, data) in enumerate(container.messages(block), first):
                if number in wanted and kind == "kernel" and data is not None:
                    yield number, data
        first = following


def _instances(
    message: schema.Message, names: Sequence[str], wanted: Collection[str]
) -> dict[str, dict[int, float]]:
    """Decode the instance lists of some metrics by the schema that declares them."""
    found = {}
    for data in message.metrics:
        number, _ = read_entry(data)
        if number < len(names) and (name := names[number]) in wanted:
            instanced = schema.InstancedMetric.FromString(data)
            found[name] = _numbers(instanced.instances)
    return found


def _numbers(instances: Sequence[schema.Message]) -> dict[int, float]:
    found: dict[int, float] = {}
    for one in instances:
        key, value = _number(one.key), _number(one.value)
        if isinstance(key, int) and value is not None and isfinite(value):
            found[key] = found.get(key, 0) + value
    return found


def _number(value: schema.Message) -> float | None:
    kind = value.WhichOneof("value")
    return getattr(value, kind) if kind not in (None, "text") else None


def _are_addresses(values: Collection[int], functions: Sequence[int]) -> bool:
    """Tell instances by instruction from those by launch, pass or time.

    Some instructions may lie before the launch's own functions, never all of them.
    """
    return bool(values and functions) and functions[0] <= max(values) < _END_OF_ADDRESSES

"""One metric of a launch, without the instances behind it, which are most of a file.

A metric is its number in the name table, its value, and a list of instances. In the
order in which every version writes it, the first two can be had from the first bytes;
anything else is left to Protocol Buffers.
"""

from __future__ import annotations

import struct
from typing import TypeAlias

from ncu_triage.readers.ncu_rep import schema

Value: TypeAlias = float | str | None

_MORE = 0x80  # set in every byte of a number but its last
# The usual metric: a number of two bytes, then a value that is a double.
_USUAL = struct.Struct("<BBBHBd")
_NUMBER, _VALUE, _DOUBLE = 0x08, 0x12, 0x19  # tags: field number and kind of coding
_VALUE_OF_NINE = _VALUE | 9 << 8


def read_entry(data: bytes) -> tuple[int, Value]:
    """Read a metric's number in the name table, and its value; texts and floats only.

    Raises DecodeError for damaged data.
    """
    if len(data) >= _USUAL.size:
        first, low, high, value, kind, number = _USUAL.unpack_from(data)
        if value == _VALUE_OF_NINE and kind == _DOUBLE and first == _NUMBER and low >= _MORE > high:
            return low & ~_MORE | high << 7, number
    return _head(data) or _in_any_order(data)


def _head(data: bytes) -> tuple[int, Value] | None:
    """Read number and value where they come first; None where they do not."""
    if len(data) < 6 or data[0] != _NUMBER:
        return None
    number, at = data[1], 2
    if number & _MORE:
        number, at = number & ~_MORE | data[2] << 7, 3
    size, start = data[at + 1], at + 2
    usual = number < 1 << 14 and data[at] == _VALUE and not size & _MORE
    if not usual or len(data) < start + size:
        return None
    return number, plain(schema.Value.FromString(data[start : start + size]))


def _in_any_order(data: bytes) -> tuple[int, Value]:
    message = schema.Metric.FromString(data)
    return message.name, plain(message.value)


def plain(value: schema.Message) -> Value:
    """Return a value as float or text; None where it has none."""
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "text":
        return schema.text(value.text)
    return float(getattr(value, kind))

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

_DOUBLE = struct.Struct("<d").unpack_from
# Tags of the wire format: field number and kind of coding.
_NUMBER, _VALUE, _IS_DOUBLE = 0x08, 0x12, 0x19
_MORE = 0x80  # set in every byte of a number but its last
_DOUBLE_SIZE = 9


def read_entry(data: bytes) -> tuple[int, Value]:
    """Read a metric's number in the name table, and its value; texts and floats only.

    Raises DecodeError for damaged data.
    """
    if len(data) < 6 or data[0] != _NUMBER:
        return _in_any_order(data)
    number, at = data[1], 2
    if number & _MORE:
        number, at = number & ~_MORE | data[2] << 7, 3
    size, start = data[at + 1], at + 2
    usual = number < 1 << 14 and data[at] == _VALUE and not size & _MORE
    if not usual or len(data) < start + size:
        return _in_any_order(data)
    if size == _DOUBLE_SIZE and data[start] == _IS_DOUBLE:
        return number, _DOUBLE(data, start + 1)[0]
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

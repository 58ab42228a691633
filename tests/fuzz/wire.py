"""Mutations of a Protocol Buffers message by field, without knowing what it means."""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

from fuzz.chance import DOUBLES, INTEGERS, picked, text

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_DEEPEST = 8


class Field(NamedTuple):
    """A field as it stands on the wire."""

    number: int
    kind: int
    value: int | bytes


def decoded(data: bytes) -> list[Field] | None:
    """Return the fields of a message; None where the bytes are none."""
    found: list[Field] = []
    at = 0
    try:
        while at < len(data):
            key, at = _number(data, at)
            number, kind = key >> 3, key & 7
            value: int | bytes
            if kind == VARINT:
                value, at = _number(data, at)
            elif kind == BYTES:
                size, at = _number(data, at)
                value, at = data[at : at + size], at + size
            elif kind in (FIXED64, FIXED32):
                size = 8 if kind == FIXED64 else 4
                value, at = data[at : at + size], at + size
            else:
                return None
            found.append(Field(number, kind, value))
    except IndexError:
        return None
    return found if at == len(data) and all(field.number for field in found) else None


def encoded(fields: list[Field]) -> bytes:
    """Write fields as a message."""
    return b"".join(map(_field, fields))


def _field(field: Field) -> bytes:
    head = _varint(field.number << 3 | field.kind)
    if isinstance(field.value, int):
        return head + _varint(field.value)
    return head + (_varint(len(field.value)) if field.kind == BYTES else b"") + field.value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while data[at] & 128 and shift < 63:
        value |= (data[at] & 127) << shift
        shift, at = shift + 7, at + 1
    return value | data[at] << shift, at + 1


def mutated(data: bytes, dice: random.Random, depth: int = 0) -> bytes:
    """Change one field, at any depth."""
    fields = decoded(data)
    if not fields:
        return text(dice).encode("utf-8", "surrogatepass") if depth else data
    place = dice.randrange(len(fields))
    inner = fields[place].value
    deeper = depth < _DEEPEST and isinstance(inner, bytes) and fields[place].kind == BYTES
    if deeper and dice.random() < 0.8 and decoded(inner):  # type: ignore[arg-type]
        fields[place] = fields[place]._replace(value=mutated(inner, dice, depth + 1))  # type: ignore[arg-type]
    else:
        _change(fields, place, dice)
    return encoded(fields)


def _change(fields: list[Field], place: int, dice: random.Random) -> None:
    field = fields[place]
    other = dice.randrange(len(fields))
    match picked(dice, {"value": 6, "drop": 2, "again": 2, "swap": 1, "kind": 2, "deep": 0.3}):
        case "value":
            fields[place] = field._replace(value=_value(field, dice))
        case "drop":
            del fields[place]
        case "again":
            fields[other:other] = [field] * dice.choice((1, 1, 3, 1000))
        case "swap":
            fields[place], fields[other] = fields[other], field
        case "kind":
            number = dice.choice((field.number, dice.randrange(1, 40), 2**29 - 1))
            fields[place] = Field(number, *_anything(dice))
        case "deep":
            value = field.value if isinstance(field.value, bytes) else b""
            for _ in range(dice.choice((5, 120, 3000))):
                value = encoded([Field(field.number, BYTES, value)])
            fields[place] = Field(field.number, BYTES, value)


def _value(field: Field, dice: random.Random) -> int | bytes:
    if field.kind == VARINT:
        return dice.choice(INTEGERS)
    if field.kind == FIXED64:
        return struct.pack("<d", dice.choice(DOUBLES))
    if field.kind == FIXED32:
        return dice.randbytes(4)
    if dice.random() < 0.3:
        return dice.choice((b"", b"\xff\xfe", dice.randbytes(30)))
    return text(dice).encode("utf-8", "surrogatepass")


def _anything(dice: random.Random) -> tuple[int, int | bytes]:
    kind = dice.choice((VARINT, FIXED64, BYTES, FIXED32))
    return kind, _value(Field(1, kind, b""), dice)

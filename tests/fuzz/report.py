"""Mutations of a report file by block and by message, plain and packed."""

from __future__ import annotations

import random
import struct
from typing import NamedTuple

import zstandard
from fuzz import raw, wire
from fuzz.chance import INTEGERS, picked, several

_SOURCES, _PAYLOAD = 1, 5
_COUNTS = (2, 7, 8, 9)


class Block(NamedTuple):
    """A block's header, and the messages of its payload."""

    header: bytes
    messages: list[bytes]


def taken_apart(data: bytes) -> tuple[bytes, list[Block]]:
    """Return what stands before the blocks, and the blocks."""
    at = 8 + struct.unpack_from("<I", data, 4)[0]
    head, blocks = data[:at], []
    while at < len(data):
        header = _sized(data, at)
        at += 4 + len(header)
        facts = {f.number: f.value for f in wire.decoded(header) or []}
        size = facts.get(_PAYLOAD, 0)
        payload = data[at : at + size]  # type: ignore[operator]
        at += size  # type: ignore[operator]
        blocks.append(Block(header, list(_messages(payload))))
    return head, blocks


def _sized(data: bytes, at: int) -> bytes:
    size = struct.unpack_from("<I", data, at)[0]
    return data[at + 4 : at + 4 + size]


def _messages(payload: bytes) -> list[bytes]:
    found, at = [], 0
    while at + 4 <= len(payload):
        found.append(_sized(payload, at))
        at += 4 + len(found[-1])
    return found


def put_together(head: bytes, blocks: list[Block], dice: random.Random | None = None) -> bytes:
    """Write a file; with dice, a length now and then lies."""
    out = [head]
    for block in blocks:
        payload = b"".join(_length(m, dice) + m for m in block.messages)
        fields = [f for f in wire.decoded(block.header) or [] if f.number != _PAYLOAD]
        size = len(payload)
        if dice and dice.random() < 0.02:
            size = dice.choice(INTEGERS)
        header = wire.encoded([*fields, wire.Field(_PAYLOAD, wire.VARINT, size)])
        out += [_length(header, dice), header, payload]
    return b"".join(out)


def _length(data: bytes, dice: random.Random | None) -> bytes:
    size = len(data)
    if dice and dice.random() < 0.01:
        size = dice.choice((*INTEGERS, size + 1, max(size - 1, 0))) & 0xFFFFFFFF
    return struct.pack("<I", size)


def mutated(data: bytes, dice: random.Random) -> bytes:
    """Change a report: its bytes, its blocks, or a field of a message."""
    if dice.random() < 0.25:
        return several(dice, lambda one: raw.mutated(one, dice), data)
    head, blocks = taken_apart(data)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        _change(blocks, dice)
    if dice.random() < 0.05:
        head = raw.mutated(head, dice)
    return put_together(head, blocks, dice if dice.random() < 0.3 else None)


def _change(blocks: list[Block], dice: random.Random) -> None:
    if not blocks:
        return
    place = dice.randrange(len(blocks))
    block = blocks[place]
    ways = {"message": 10, "header": 3, "count": 2, "drop": 1, "again": 1, "shuffle": 0.5}
    match picked(dice, ways):
        case "message":
            full = [one for one in blocks if one.messages]
            if full:
                messages = dice.choice(full).messages
                at = dice.randrange(len(messages))
                messages[at] = wire.mutated(messages[at], dice)
        case "header":
            blocks[place] = block._replace(header=wire.mutated(block.header, dice))
        case "count":
            field = wire.Field(
                dice.choice((_SOURCES, *_COUNTS)), wire.VARINT, dice.choice(INTEGERS)
            )
            blocks[place] = block._replace(header=block.header + wire.encoded([field]))
        case "drop":
            del blocks[place]
        case "again":
            blocks[place:place] = [block] * dice.choice((1, 3, 60))
        case "shuffle":
            dice.shuffle(blocks)


def packed(data: bytes, dice: random.Random) -> bytes:
    """Pack a changed report in a zstd frame, or harm the frame, or make it a bomb."""
    match picked(dice, {"inner": 4, "frame": 4, "bomb": 0.2, "frames": 1}):
        case "inner":
            return _zstd(mutated(data, dice))
        case "frame":
            return several(dice, lambda one: raw.mutated(one, dice), _zstd(data))
        case "bomb":
            filling = dice.choice((b"\0", b"x", data[8:64])) * dice.choice((1 << 20, 1 << 22))
            return _zstd(data + filling) + _zstd(filling) * dice.choice((1, 8))
        case _:
            return _zstd(data[: len(data) // 2]) + _zstd(data[len(data) // 2 :]) + dice.randbytes(3)


def _zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(level=1).compress(data)

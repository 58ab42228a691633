"""Mutations of any bytes: flipped, cut, repeated, reordered, and lengths that lie."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable

from fuzz.chance import INTEGERS

Mutation = Callable[[bytes, random.Random], bytes]


def _span(data: bytes, dice: random.Random, most: int = 4000) -> tuple[int, int]:
    start = dice.randrange(len(data) + 1)
    return start, min(len(data), start + dice.randrange(1, most))


def flip(data: bytes, dice: random.Random) -> bytes:
    """Flip bits here and there."""
    out = bytearray(data)
    for _ in range(dice.choice((1, 3, 30, 300))):
        if out:
            out[dice.randrange(len(out))] ^= 1 << dice.randrange(8)
    return bytes(out)


def cut(data: bytes, dice: random.Random) -> bytes:
    """Cut the end or the beginning off."""
    at = dice.randrange(len(data) + 1)
    return data[:at] if dice.random() < 0.9 else data[at:]


def remove(data: bytes, dice: random.Random) -> bytes:
    """Take a piece out."""
    start, end = _span(data, dice)
    return data[:start] + data[end:]


def blank(data: bytes, dice: random.Random) -> bytes:
    """Fill a piece with one byte."""
    start, end = _span(data, dice)
    return data[:start] + dice.choice(b"\0\xff \n").to_bytes(1, "big") * (end - start) + data[end:]


def repeat(data: bytes, dice: random.Random) -> bytes:
    """Repeat a piece where it is, or elsewhere."""
    start, end = _span(data, dice)
    at = dice.choice((end, dice.randrange(len(data) + 1)))
    return data[:at] + data[start:end] * dice.choice((1, 1, 2, 50)) + data[at:]


def swap(data: bytes, dice: random.Random) -> bytes:
    """Exchange two neighbouring pieces."""
    start, middle = _span(data, dice)
    end = min(len(data), middle + dice.randrange(1, 4000))
    return data[:start] + data[middle:end] + data[start:middle] + data[end:]


def noise(data: bytes, dice: random.Random) -> bytes:
    """Put random bytes in."""
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.randbytes(dice.choice((1, 4, 64))) + data[at:]


def lie(data: bytes, dice: random.Random) -> bytes:
    """Write another number over what may be a length."""
    at = dice.randrange(len(data) + 1)
    number = dice.choice(INTEGERS) & 0xFFFFFFFF
    return data[:at] + struct.pack(dice.choice("<>") + "I", number) + data[at + 4 :]


ALL: tuple[Mutation, ...] = (flip, cut, remove, blank, repeat, swap, noise, lie)


def mutated(data: bytes, dice: random.Random) -> bytes:
    """Apply one of them."""
    return dice.choice(ALL)(data, dice)

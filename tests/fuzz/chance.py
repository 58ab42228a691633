"""Values that programs stumble over, and a way to pick among weighted choices."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import TypeVar

T = TypeVar("T")

PAYLOADS = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[click](javascript:alert(1)) | `x` **bold** <b>",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd|' /C calc'!A0",
    "\x1b[2J\x1b]0;owned\x07\x9b31m",
    "evil\u202egnp.exe\u2066\u200f",
    "a\x00b\x08c\x7fd\x85e\u2028f\ufeffg\ufffeh",
    "line one\nline two\r\n| cell | cell |\n::error::no",
    "{{7*7}}{% raw %}${jndi:x}%n%s%x",
    "../../../../etc/passwd",
    "]]><!--&lt;&amp;&#0;",
)
NUMBERS = (
    *("0", "-0", "1", "-1", "nan", "inf", "-inf", "1e999", "-1e308", "5e-324", "1e22", "0x10"),
    *("1,234.5", "1.234,5", "9" * 400, "1_000", "٣", "1e", "--1", "n/a", "no data", ""),
)
INTEGERS = (0, 1, 2, 7, 127, 128, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**63, 2**64 - 1)
DOUBLES = (0.0, -0.0, 1.0, -1.0, 1e-320, 1e308, -1e308, float("nan"), float("inf"), 1e22, 0.1)


def picked(dice: random.Random, choices: Mapping[T, float]) -> T:
    """Pick one of the choices by its weight."""
    return dice.choices(list(choices), list(choices.values()))[0]


def text(dice: random.Random) -> str:
    """Return a text to stumble over; rarely one of a megabyte."""
    size = picked(dice, {1: 20, 100: 2, 30_000: 0.1})
    return dice.choice(PAYLOADS) * size


def several(dice: random.Random, do: Callable[[bytes], bytes], data: bytes) -> bytes:
    """Apply a mutation once, or a few times."""
    for _ in range(dice.choice((1, 1, 1, 2, 3, 8))):
        data = do(data)
    return data

"""Find GPUs by the name that a user types: "T4", "a100", "rtx 4090"."""

from __future__ import annotations

import re
from typing import NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.gpus.data import Product, all_architectures
from ncu_triage.operators.arithmetic import near

_WORD = re.compile(r"[a-z0-9]+")
_PIECE = re.compile(r"[a-z]+|[0-9]+")
_MOST = 8


class Gpu(NamedTuple):
    """A product with its compute capability."""

    product: Product
    capability: str


def gpus() -> list[Gpu]:
    """Return every product that the project knows, oldest architecture first."""
    return [
        Gpu(product, found.compute_capability)
        for found in all_architectures()
        for product in found.products
    ]


def gpus_named(name: str) -> list[Gpu]:
    """Return the products of a name: the one that is called so, else all that have its words.

    Raises UsageError for none, and for more than a reader wants to see.
    """
    known = gpus()
    wanted = _words(name)
    whole = [gpu for gpu in known if _words(gpu.product.name) == wanted]
    found = whole or [gpu for gpu in known if wanted and _within(wanted, gpu.product.name)]
    if not found:
        hint = near(name, [gpu.product.name for gpu in known])
        all_of_them = "ncu-triage operators --gpus lists all"
        raise UsageError(f"--gpu {name}: there is no such GPU{hint}; {all_of_them}")
    if len(found) > _MOST:
        some = ", ".join(gpu.product.name for gpu in found[:3])
        raise UsageError(f"--gpu {name}: that is {len(found)} GPUs, such as {some}: say more of it")
    return found


def _within(wanted: list[str], name: str) -> bool:
    """Say whether a name has all words; where blanks stand is the same: RTX4090, RTX 4090."""
    has = _pieces(name)
    return all(_stands_in(_pieces(word), has) for word in wanted)


def _stands_in(word: list[str], name: list[str]) -> bool:
    return any(name[i : i + len(word)] == word for i in range(len(name)))


def _pieces(text: str) -> list[str]:
    """Take letters and numbers apart, so that T4 is not found in T400."""
    return _PIECE.findall(text.lower())


def _words(name: str) -> list[str]:
    return [word for word in _WORD.findall(name.lower()) if word != "nvidia"]

"""The form of the architecture files beside this module, and how one is read.

One file per compute capability, `sm_<digits>.toml`; nothing lists them, a file that is
there is known. Confidence is about the source: high where reports or NVIDIA state the
number, medium where one public table does or where it was worked out, low where it rests
on memory or analogy.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from ncu_triage.model import Confidence

# Without suffix: the rate with fp32 accumulation by the newest matrix instructions.
# Suffixed rates are given only where they differ.
Precision: TypeAlias = Literal[
    "fp64",
    "fp32",
    "fp16",
    "tensor_fp64",
    "tensor_tf32",
    "tensor_fp16",
    "tensor_bf16",
    "tensor_fp8",
    "tensor_fp4",
    "tensor_int8",
    "tensor_int4",
    "tensor_int1",
    "tensor_fp16_acc_fp16",
    "tensor_fp8_acc_fp16",
    "tensor_tf32_mma_sync",
    "tensor_fp16_mma_sync",
    "tensor_bf16_mma_sync",
    "tensor_int8_mma_sync",
]

_FOLDER = Path(__file__).resolve().parent
_CAPABILITY = re.compile(r"\d{1,2}\.\d")


class _Data(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a file; what it does not know it refuses."""


class _Sourced(_Data, frozen=True, kw_only=True):
    """A table of numbers that says where they come from and how far to trust them."""

    source: str
    confidence: Confidence


class Part(_Data, frozen=True, kw_only=True):
    """A class of products with rates of its own; the first that matches a name counts."""

    name: str
    pattern: re.Pattern[str]
    tensor_cores: bool = True


class Rates(_Sourced, frozen=True, kw_only=True):
    """Dense FLOP per clock and SM (FMA = 2), for all products or for some parts."""

    per_clock: dict[Precision, float]
    parts: tuple[str, ...] = ()


class DramShare(_Sourced, frozen=True, kw_only=True):
    """How much of the nominal DRAM bandwidth (0-1) the products of a pattern can reach."""

    pattern: re.Pattern[str]
    share: float


class Product(_Sourced, frozen=True, kw_only=True):
    """A part on sale, in the units of data sheets; the properties give SI units.

    `doubtful` names the numbers that have low confidence although the others have more.
    `tensor_mhz` is the boost clock under tensor work, where the data sheet implies a lower one.
    """

    name: str
    pattern: re.Pattern[str] | None = None
    sm_count: int | None = None
    boost_mhz: float | None = None
    tensor_mhz: float | None = None
    bandwidth_gb_s: float | None = None
    l2_mib: float | None = None
    doubtful: tuple[str, ...] = ()

    @property
    def boost_clock(self) -> float | None:
        """Return the boost clock of the vector units in Hz."""
        return None if self.boost_mhz is None else self.boost_mhz * 1e6

    @property
    def tensor_clock(self) -> float | None:
        """Return the boost clock in Hz at which the data sheet's tensor peaks hold."""
        return self.boost_clock if self.tensor_mhz is None else self.tensor_mhz * 1e6

    @property
    def dram_bandwidth(self) -> float | None:
        """Return the nominal DRAM bandwidth in byte/s."""
        return None if self.bandwidth_gb_s is None else self.bandwidth_gb_s * 1e9

    @property
    def l2_bytes(self) -> float | None:
        """Return the size of the L2 cache in byte."""
        return None if self.l2_mib is None else self.l2_mib * 2**20

    def matches(self, name: str) -> bool:
        """Tell whether a whole device name (without "NVIDIA ") is this product's."""
        return bool(self.pattern.fullmatch(name)) if self.pattern else name == self.name


class Architecture(_Data, frozen=True, kw_only=True):
    """What is known of one compute capability."""

    compute_capability: str
    name: str
    integrated: bool = False
    tensor_cores: bool = True
    parts: tuple[Part, ...] = ()
    rates: tuple[Rates, ...]
    dram: tuple[DramShare, ...] = ()
    products: tuple[Product, ...] = ()


@lru_cache
def architecture(compute_capability: str) -> Architecture | None:
    """Read the file of a compute capability such as "8.6"; None for an unknown one."""
    if not _CAPABILITY.fullmatch(compute_capability):
        return None
    path = _FOLDER / f"sm_{compute_capability.replace('.', '')}.toml"
    return read(path) if path.is_file() else None


def all_architectures() -> list[Architecture]:
    """Read every architecture's file, oldest first."""
    found = [read(path) for path in _FOLDER.glob("sm_*.toml")]
    return sorted(found, key=lambda one: float(one.compute_capability))


def read(path: Path) -> Architecture:
    """Read and check one architecture file."""
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    return msgspec.convert(raw, Architecture, dec_hook=_pattern)


def _pattern(kind: type, value: Any) -> re.Pattern[str]:
    """Compile a pattern once, when its file is read."""
    return re.compile(value)

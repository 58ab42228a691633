"""The file of measured ceilings: one GPU, and what reference kernels reached on it.

It is TOML, made to be read and kept beside the code. SI units: byte/s, FLOP/s, Hz.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from ncu_triage.errors import UsageError
from ncu_triage.resources import LARGEST, too_large
from ncu_triage.units import percent

FORMAT = 1
MEMORY = ("DRAM", "L2", "L1")
COMPUTE = ("fp64", "fp32", "fp16")
TENSOR = "tensor_"
Mix: TypeAlias = Literal["read", "write", "copy"]
# Below this share of nominal no unit is at its wall, whatever its counters say.
LEAST_PCT = 60.0
# A share that was worked out by hand may be rounded.
_ROUNDED = 0.5
# The nominal bandwidth of one kind of GPU, by its reports.
_SAME = 0.02
_CLOCKS = (1e8, 1e10)  # Hz
_HEAD = """\
# What reference kernels reach on this GPU, for `ncu-triage REPORT --ceilings FILE`.
# Written by `ncu-triage calibrate`. SI units: byte/s, FLOP/s, Hz; percent as 0-100.
"""


class Gpu(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The GPU that was measured; `dram_nominal` is its memory's nominal bandwidth."""

    name: str
    compute_capability: str
    sm_count: int
    dram_nominal: float | None = None


class Reached(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a kernel reached of one roof, at the SM clock of that launch.

    `mix` is what DRAM did. `busy_pct` is the utilisation that the profiler reported for
    the unit meanwhile, with its own denominator.
    """

    unit: str
    value: float
    nominal: float
    share_pct: float
    kernel: str
    launches: int
    how: str
    mix: Mix | None = None
    busy_pct: float | None = None
    sm_clock: float | None = None
    report: str | None = None

    @property
    def share(self) -> float:
        """Return the part (0-1) of the nominal value, which holds at other clocks, too."""
        return self.value / self.nominal


class Ceilings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file: the GPU, and its ceilings."""

    format: int
    gpu: Gpu
    ceiling: list[Reached]


def read(path: Path) -> Ceilings:
    """Read a file of ceilings. Raises UsageError that names the file and the fault."""
    if too_large(path):
        raise UsageError(f"--ceilings {path}: has more than {LARGEST} bytes; no such file has")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise UsageError(f"--ceilings {path}: {reason}") from error
    return parse(text, f"--ceilings {path}")


def parse(text: str, name: str) -> Ceilings:
    """Parse the text of such a file; as `read` otherwise."""
    try:
        found = msgspec.convert(tomllib.loads(text), Ceilings)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: this is no TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise UsageError(f"{name}: {error}; ncu-triage calibrate writes such a file") from error
    except (ValueError, RecursionError) as error:  # a number or a depth beyond all bounds
        raise UsageError(f"{name}: {' '.join(str(error).split())}") from error
    if found.format != FORMAT:
        raise UsageError(f"{name}: format {found.format} is of a later version, not {FORMAT}")
    fault = _fault_of_gpu(found.gpu)
    if fault:
        raise UsageError(f"{name}, gpu: {fault}")
    for i, one in enumerate(found.ceiling, 1):
        fault = _fault(one) or _fault_of_share(one, found.gpu)
        if fault:
            raise UsageError(f"{name}, ceiling {i} ({one.unit}): {fault}")
    return found


def _fault_of_gpu(gpu: Gpu) -> str | None:
    if gpu.sm_count < 1:
        return "sm_count is no number above 0"
    nominal = gpu.dram_nominal
    if nominal is not None and (not math.isfinite(nominal) or nominal <= 0):
        return "dram_nominal is no number above 0"
    return None


def _fault_of_share(one: Reached, gpu: Gpu) -> str | None:
    """Refuse what `calibrate` would not take for a reference either."""
    known = gpu.dram_nominal if one.unit == "DRAM" else None
    if known is not None and abs(one.nominal / known - 1) > _SAME:
        return "nominal is not the dram_nominal of the GPU"
    # The numbers are written with six digits.
    if round(100 * one.share, 2) < LEAST_PCT:
        return (
            f"it is {percent(100 * one.share)} of nominal, and below {percent(LEAST_PCT)} no unit"
            " is at its wall"
        )
    return None


def _fault(one: Reached) -> str | None:
    """Say what is wrong with a ceiling that was perhaps written by hand."""
    if one.unit not in (*MEMORY, *COMPUTE) and not one.unit.startswith(TENSOR):
        return f"the unit is one of {', '.join((*MEMORY, *COMPUTE))} or {TENSOR}TYPE"
    numbers = {"value": one.value, "nominal": one.nominal, "share_pct": one.share_pct}
    optional = {"busy_pct": one.busy_pct, "sm_clock": one.sm_clock}
    numbers |= {name: number for name, number in optional.items() if number is not None}
    for name, number in numbers.items():
        if not math.isfinite(number) or number <= 0:
            return f"{name} is no number above 0"
    if one.launches < 1:
        return "launches is no number above 0"
    if one.sm_clock is not None and not _CLOCKS[0] <= one.sm_clock <= _CLOCKS[1]:
        return f"sm_clock is given in Hz, and {one.sm_clock:g} Hz is the clock of no GPU"
    if one.value > one.nominal:
        return "it exceeds the nominal value"
    if one.busy_pct is not None and one.busy_pct > 100:
        return "busy_pct is above 100"
    if abs(one.share_pct - 100 * one.share) > _ROUNDED:
        return "share_pct is not value / nominal"
    if (one.mix is None) == (one.unit == "DRAM"):
        return "mix (read, write or copy) belongs to DRAM, and only there"
    return None


def text_of(ceilings: Ceilings) -> str:
    """Write the file; the same ceilings give the same text."""
    gpu = ceilings.gpu
    lines = [_HEAD, f"format = {ceilings.format}", "", "[gpu]", *_fields(gpu)]
    for one in ceilings.ceiling:
        lines += ["", "[[ceiling]]", *_fields(one)]
    return "\n".join(lines) + "\n"


def _fields(table: Struct) -> list[str]:
    values = ((name, getattr(table, name)) for name in table.__struct_fields__)
    return [f"{name} = {_value(value)}" for name, value in values if value is not None]


def _value(value: str | float) -> str:
    """Write a value: a TOML string escapes as JSON does, and DEL besides."""
    if isinstance(value, str):
        kept = value.encode("utf-8", "replace").decode("utf-8")
        return json.dumps(kept, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, int):
        return str(value)
    plain = float(f"{value:.6g}")
    return f"{plain:.6g}" if abs(plain) < 1e6 else f"{plain:.5e}".replace("e+", "e")

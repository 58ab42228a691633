"""Element types: how many bytes each takes, and under which roofs its work can run."""

from __future__ import annotations

from collections.abc import Iterable

from ncu_triage.errors import UsageError
from ncu_triage.operators.arithmetic import near

BYTES = {
    "fp64": 8.0,
    "fp32": 4.0,
    "tf32": 4.0,  # stored as fp32
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.0,
    "fp4": 0.5,
    "int64": 8.0,
    "int32": 4.0,
    "int16": 2.0,
    "int8": 1.0,
    "int4": 0.5,
    "bool": 1.0,
}
_ALIASES = {
    "double": "fp64",
    "float64": "fp64",
    "float": "fp32",
    "float32": "fp32",
    "half": "fp16",
    "float16": "fp16",
    "bfloat16": "bf16",
    "e4m3": "fp8",
    "e5m2": "fp8",
    "uint8": "int8",
}
_ON_TENSOR_CORES = ("fp64", "tf32", "fp16", "bf16", "fp8", "fp4", "int8", "int4")
# What the vector units compute in; types narrower than these are widened first.
_VECTOR = {"fp64": ("fp64",), "fp16": ("fp16", "fp32")}


def type_named(word: str) -> str:
    """Return a type by its name or an alias. Raises UsageError for another word."""
    plain = word.strip().lower().removeprefix("torch.")
    found = _ALIASES.get(plain, plain)
    if found not in BYTES:
        hint = near(plain, [*BYTES, *_ALIASES])
        raise UsageError(f"there is no type {word!r}{hint or '; there are ' + ', '.join(BYTES)}")
    return found


def precisions(type: str, math: str) -> Iterable[str]:
    """Return the roofs under which work of a type can run, the highest first.

    Tensor cores take the operator's own type; without such, the vector units widen it.
    """
    if math == "tensor" and type in _ON_TENSOR_CORES:
        yield f"tensor_{type}"
    yield from _VECTOR.get(type, ("fp32",))

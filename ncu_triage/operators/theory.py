"""An operator in theory: its shape checked, its FLOPs, its least bytes, what padding costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.model import OperatorTensor
from ncu_triage.operators.arithmetic import evaluate, formula, near
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.padding import check_loss, padded_flops, padded_sizes
from ncu_triage.operators.sizes import short, size
from ncu_triage.operators.types import BYTES

# Beyond these somebody slipped: a thousand terabytes, and years of any GPU.
MOST_BYTES, MOST_FLOPS = 1e15, 1e24


class Theory(NamedTuple):
    """What an operator has to do: FLOPs, tensors, and dimensions that are padded."""

    shape: dict[str, float]
    flops: float
    tensors: list[OperatorTensor]
    padded: dict[str, float]
    padded_flops: float

    @property
    def read(self) -> float:
        """The bytes that have to be read."""
        return sum(t.bytes for t in self.tensors if t.access == "read")

    @property
    def written(self) -> float:
        """The bytes that have to be written."""
        return sum(t.bytes for t in self.tensors if t.access == "written")

    @property
    def bytes(self) -> float:
        """The least bytes: each tensor once."""
        return self.read + self.written

    @property
    def useful_pct(self) -> float | None:
        """The share of the work that no padding takes; None where none is known."""
        if not self.padded or not self.padded_flops:
            return None
        return 100 * self.flops / self.padded_flops


class Given(NamedTuple):
    """What a user gives of an operator: its sizes, its type, and how it is padded.

    `types` are those of single tensors, `tile` multiples that dimensions are rounded up
    to, `padded` the sizes that are really computed.
    """

    shape: Mapping[str, object]
    type: str
    types: Mapping[str, str] = {}
    tile: Mapping[str, object] = {}
    padded: Mapping[str, object] = {}


def theory(kind: Kind, given: Given) -> Theory:
    """Work an operator out. Raises UsageError for a shape that is none."""
    shape = _shape(kind, given.shape)
    values = _derived(kind, shape)
    tensors = _tensors(kind, values, given)
    flops = _flops(kind, values)
    padded = padded_sizes(kind, shape, given.shape, given.tile, given.padded)
    computed = padded_flops(kind, shape, padded) if padded else flops
    check_loss(kind, flops, padded, computed)
    found = Theory(shape, flops, tensors, padded, computed)
    if found.bytes <= 0:
        raise UsageError("this shape moves no byte: check its dimensions")
    if found.bytes > MOST_BYTES or flops > MOST_FLOPS:
        work = f"{short(found.bytes / 1e12)} TB and {short(flops / 1e12)} TFLOP"
        raise UsageError(f"this shape means {work}, which no GPU does: check its dimensions")
    return found


def _shape(kind: Kind, given: Mapping[str, object]) -> dict[str, float]:
    """Return every dimension's size; those that are not given have a default, or are missed."""
    for name in given:
        if name not in kind.names:
            hint = near(name, kind.names) or f"; it has {', '.join(kind.names)}"
            raise UsageError(f"{kind.id} has no dimension {name!r}{hint}")
    shape: dict[str, float] = {}
    missing = [d for d in kind.dimensions if d.default is None and d.name not in given]
    if missing:
        words = ", ".join(f"{d.name} ({d.meaning})" for d in missing)
        raise UsageError(f"{kind.id} needs {words}")
    for dimension in kind.dimensions:
        if dimension.name in given:
            shape[dimension.name] = size(dimension, given[dimension.name])
    for dimension in kind.dimensions:
        if dimension.default is not None and dimension.name not in shape:
            shape[dimension.name] = evaluate(formula(dimension.default, shape), shape)
    return {name: shape[name] for name in kind.names}


def _derived(kind: Kind, shape: Mapping[str, float]) -> dict[str, float]:
    """Add the numbers between shape and formulas; a convolution's output must not be empty."""
    values = dict(shape)
    for name, text in kind.derived.items():
        values[name] = evaluate(formula(text, values), values)
        if values[name] <= 0:
            raise UsageError(f"{name} = {text} is {values[name]:g}: check the shape")
    for condition, message in kind.checks.items():
        if not evaluate(formula(condition, values), values):
            raise UsageError(message)
    return values


def _flops(kind: Kind, values: Mapping[str, float]) -> float:
    flops = evaluate(formula(kind.flops, values), values)
    if flops < 0:
        raise UsageError(f"FLOPs = {kind.flops} is {flops:g}: check the shape")
    return flops


def _tensors(kind: Kind, values: Mapping[str, float], given: Given) -> list[OperatorTensor]:
    """Return the tensors that hold anything, each in its type."""
    names = [tensor.name for tensor in kind.tensors]
    for name in given.types:
        if name not in names:
            hint = near(name, names) or f"; it has {', '.join(names)}"
            raise UsageError(f"types: {kind.id} has no tensor {name!r}{hint}")
    found = []
    for tensor in kind.tensors:
        elements = evaluate(formula(tensor.elements, values), values)
        type = given.types.get(tensor.name) or tensor.type or given.type
        if elements < 0:
            raise UsageError(f"{tensor.name} = {tensor.elements} is {elements:g}: check the shape")
        if elements:
            found.append(
                OperatorTensor(
                    name=tensor.name,
                    access=tensor.access,
                    elements=elements,
                    type=type,
                    bytes=elements * BYTES[type],
                    formula=tensor.elements,
                )
            )
    return found

"""The ways in which a quantity can be had: a metric, a formula, a sum, a function.

A formula is its own documentation: the text that a reader sees is what is evaluated.
`[name]` is a metric of the report in its base unit, a bare word another quantity.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from types import CodeType
from typing import NamedTuple, Protocol

from ncu_triage.model import Provenance, Value

_INPUT = re.compile(r"\[([^\]]+)\]|\b([a-z][a-z0-9_]*)\b(?!\()")
_FUNCTIONS = {"__builtins__": {}, "min": min, "max": max, "ceil": math.ceil, "floor": math.floor}


class Numbers(Protocol):
    """What a way reads from: a launch's metrics and the quantities so far."""

    def metric(self, name: str) -> float | None:
        """Return a metric's number, or None where it has none."""

    def text(self, name: str) -> str | None:
        """Return a metric's string, or None where it has none."""

    def number(self, quantity: str) -> float | None:
        """Return another quantity's number, or None where it is absent."""

    def histogram(self, name: str) -> dict[str, float] | None:
        """Return a metric's instances keyed by text, or None."""

    def names(self, prefix: str) -> list[str]:
        """Return the metrics with a value whose name starts so, sorted."""


class Reading(NamedTuple):
    """A value and where it came from."""

    value: Value
    origin: Provenance


class Way(Protocol):
    """One way to a quantity's value."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics it reads, for saying why a quantity is absent."""

    @property
    def quantities(self) -> tuple[str, ...]:
        """The quantities it reads, for the order of evaluation."""

    def read(self, numbers: Numbers) -> Reading | None:
        """Return the value, or None where an input is missing."""


class Metric(NamedTuple):
    """A metric as it stands, converted to its SI base unit where the file's differs."""

    name: str
    scale: float = 1.0

    @property
    def metrics(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def quantities(self) -> tuple[str, ...]:
        return ()

    def read(self, numbers: Numbers) -> Reading | None:
        value = numbers.metric(self.name)
        if value is None:
            return None
        return Reading(value * self.scale, Provenance(metric=self.name))


class Formula(NamedTuple):
    """An arithmetic expression over metrics and quantities."""

    origin: Provenance
    metrics: tuple[str, ...]
    quantities: tuple[str, ...]
    code: CodeType

    def read(self, numbers: Numbers) -> Reading | None:
        values = {}
        for i, name in enumerate(self.metrics):
            values[f"m{i}"] = numbers.metric(name)
        for name in self.quantities:
            values[name] = numbers.number(name)
        if None in values.values():
            return None
        result = eval(self.code, _FUNCTIONS, values)  # the project's own text, never a user's
        return Reading(float(result), self.origin)


def formula(text: str, *, estimated: bool = False, rough: bool = False) -> Formula:
    """Compile a formula; ZeroDivisionError on reading means "does not apply"."""
    metrics: list[str] = []
    quantities: list[str] = []

    def name(match: re.Match[str]) -> str:
        metric, quantity = match.groups()
        seen, value = (metrics, metric) if metric else (quantities, quantity)
        if value not in seen:
            seen.append(value)
        return f"m{metrics.index(metric)}" if metric else str(quantity)

    code = compile(_INPUT.sub(name, text), text, "eval")
    inputs = [*metrics, *quantities]
    origin = Provenance(formula=text, inputs=inputs, estimated=estimated or rough, rough=rough)
    return Formula(origin, tuple(metrics), tuple(quantities), code)


class SumOf(NamedTuple):
    """The sum of those metrics that are present; absent where none is."""

    metrics: tuple[str, ...]

    @property
    def quantities(self) -> tuple[str, ...]:
        return ()

    def read(self, numbers: Numbers) -> Reading | None:
        found = {n: v for n in self.metrics if (v := numbers.metric(n)) is not None}
        if not found:
            return None
        text = " + ".join(f"[{name}]" for name in found)
        return Reading(sum(found.values()), Provenance(formula=text, inputs=list(found)))


class Computed(NamedTuple):
    """A function, for what no expression says; `text` tells the reader what it does.

    A function that chooses among origins returns a Reading with the one it chose.
    """

    function: Callable[[Numbers], Value | Reading | None]
    text: str
    metrics: tuple[str, ...] = ()
    quantities: tuple[str, ...] = ()
    estimated: bool = False

    def read(self, numbers: Numbers) -> Reading | None:
        value = self.function(numbers)
        if value is None or isinstance(value, Reading):
            return value
        inputs = [*self.metrics, *self.quantities]
        return Reading(
            value, Provenance(formula=self.text, inputs=inputs, estimated=self.estimated)
        )


class MaxOf(NamedTuple):
    """The largest of those metrics that are present; absent where none is."""

    metrics: tuple[str, ...]

    @property
    def quantities(self) -> tuple[str, ...]:
        return ()

    def read(self, numbers: Numbers) -> Reading | None:
        found = {n: v for n in self.metrics if (v := numbers.metric(n)) is not None}
        if not found:
            return None
        if len(found) == 1:
            ((name, value),) = found.items()
            return Reading(value, Provenance(metric=name))
        text = f"max({', '.join(f'[{name}]' for name in found)})"
        return Reading(max(found.values()), Provenance(formula=text, inputs=list(found)))

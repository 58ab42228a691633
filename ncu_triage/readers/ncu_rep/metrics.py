"""The metrics of one launch: numbers, texts, and what has no usable value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf, isfinite
from typing import NamedTuple, cast

from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.entry import Value, plain, read_entry

# Instance lists worth decoding: they are keyed by opcode. All others are keyed by program
# counter, launch or time, and are most of a file.
HISTOGRAMS = frozenset(
    {
        "sass__inst_executed_per_opcode",
        "sass__thread_inst_executed_true_per_opcode",
        "sass__inst_executed_per_opcode_with_modifier_all",
    }
)
_INFINITE = (inf, -inf)


class Metrics(NamedTuple):
    """A launch's metrics by name; `unnamed` counts those that the name table lacks."""

    values: dict[str, float | str]
    valueless: frozenset[str]
    nan: frozenset[str]
    histograms: dict[str, dict[str, float]]
    unnamed: int

    def any(self) -> bool:
        """Tell whether there is a single metric, be it without a value."""
        return bool(self.values or self.valueless or self.nan)


def read_metrics(entries: Iterable[bytes], names: Sequence[str]) -> Metrics:
    """Read the metrics of a launch, in the file's base units.

    Numbers become floats: exact for counts below 2**53, the nearest float above. Where a
    metric comes twice the last one counts, as in NVIDIA's reader. Raises DecodeError for
    damaged data.
    """
    found: dict[str, Value] = {}
    histograms: dict[str, dict[str, float]] = {}
    unnamed = 0
    known = len(names)
    for data in entries:
        number, value = read_entry(data)
        if number >= known:
            unnamed += 1
            continue
        name = names[number]
        found[name] = value
        if name in HISTOGRAMS:
            histograms[name] = _histogram(data)
    return _split(found, histograms, unnamed)


def _split(
    found: dict[str, Value], histograms: dict[str, dict[str, float]], unnamed: int
) -> Metrics:
    """Set apart what has no value, or none that is a number: a few of many."""
    odd = {
        name: value
        for name, value in found.items()
        if value is None or value != value or value in _INFINITE
    }
    for name in odd:
        del found[name]
    valueless = frozenset(name for name, value in odd.items() if value is None)
    values = cast(dict[str, float | str], found)
    return Metrics(values, valueless, frozenset(odd) - valueless, histograms, unnamed)


def _histogram(data: bytes) -> dict[str, float]:
    """Decode the instances of one metric by the schema that declares them."""
    metric = schema.InstancedMetric.FromString(data)
    counts = ((plain(one.key), plain(one.value)) for one in metric.instances)
    return {
        key: count
        for key, count in counts
        if isinstance(key, str) and isinstance(count, float) and isfinite(count)
    }

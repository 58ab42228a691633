"""Work out the quantities of one launch, each once, inputs first."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import cache, cached_property

from msgspec.structs import replace

from ncu_triage.model import Absence, Launch, Provenance, Value
from ncu_triage.quantities.catalogue import DRAM_COUNTERS, LAUNCH_SHAPE, Quantity, catalogue
from ncu_triage.quantities.ways import Reading

# Stands behind every character of a name.
_LAST = "\U0010ffff"


class Resolver:
    """The numbers of one launch: its metrics, and the quantities made from them.

    A quantity is in exactly one of `values` (with its `origins`) and `absent` once
    it was asked for; `impossible` has the numbers that were not believed.
    """

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.values: dict[str, Value] = {}
        self.origins: dict[str, Provenance] = {}
        self.absent: dict[str, Absence] = {}
        self.impossible: dict[str, float] = {}
        self._rough: set[str] = set()

    def metric(self, name: str) -> float | None:
        """Return a metric's number, or None where it has none."""
        value = self.launch.metrics.get(name)
        return value if isinstance(value, float) else None

    def text(self, name: str) -> str | None:
        """Return a metric's string, or None where it has none."""
        value = self.launch.metrics.get(name)
        return value if isinstance(value, str) else None

    def histogram(self, name: str) -> dict[str, float] | None:
        """Return a metric's instances keyed by text, or None."""
        found = self.launch.histograms.get(name)
        return dict(found) if found else None

    def names(self, prefix: str) -> list[str]:
        """Return the metrics with a value whose name starts so, sorted."""
        first = bisect_left(self._sorted, prefix)
        return self._sorted[first : bisect_left(self._sorted, prefix + _LAST, first)]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self.launch.metrics)

    def number(self, quantity: str) -> float | None:
        """Return a quantity's number, or None where it is absent or no number."""
        value = self.value(quantity)
        return value if isinstance(value, float) else None

    def value(self, quantity: str) -> Value | None:
        """Return a quantity's value, working it out on the first call."""
        if quantity in self.values:
            return self.values[quantity]
        if quantity in self.absent:
            return None
        item = catalogue()[quantity]
        reading, reason = self._first(item)
        if reading is None:
            self.absent[quantity] = reason
            return None
        self.values[quantity] = reading.value
        self.origins[quantity] = self._told(quantity, reading.origin)
        return reading.value

    def _told(self, quantity: str, origin: Provenance) -> Provenance:
        """Call rough what rests on something rough."""
        if not origin.rough and self._rough.isdisjoint(origin.inputs):
            return origin
        self._rough.add(quantity)
        return replace(origin, estimated=True, rough=True)

    def carry(self, name: str, metric: str) -> None:
        """Take a metric as it stands under a name that the catalogue does not have."""
        value = self.metric(metric)
        if value is not None:
            self.values[name] = value
            self.origins[name] = Provenance(metric=metric)
        else:
            self.absent[name] = self._why_missing(frozenset({metric})) or "not-collected"

    def _first(self, item: Quantity) -> tuple[Reading | None, Absence]:
        """Return the first way's reading that has its inputs, else why there is none."""
        if item.group == LAUNCH_SHAPE and self.launch.workload != "kernel":
            return None, "not-applicable"
        undefined = False
        for way in item.ways:
            try:
                reading = way.read(self)
            except ZeroDivisionError:
                undefined = True
                continue
            if reading is None or not _finite(reading.value):
                continue
            if isinstance(reading.value, float) and not item.possible(reading.value):
                self.impossible[item.id] = reading.value
                return None, "suspect"
            return reading, "not-collected"
        return None, "not-applicable" if undefined else self._why_not(item)

    def _why_missing(self, metrics: frozenset[str]) -> Absence | None:
        """Say why metrics that are there in name have no value; None where they are not."""
        if metrics & self.launch.suspect:
            return "suspect"
        if metrics & self.launch.nan:
            return "nan"
        return "no-value" if metrics & self.launch.valueless else None

    def _why_not(self, item: Quantity) -> Absence:
        """Say why no way gave a value: not a number, no value, or not collected."""
        reason = self._why_missing(_metrics(item.id))
        if reason:
            return reason
        if item.group == DRAM_COUNTERS and self.number("integrated") == 1.0:
            return "not-on-this-gpu"
        inherited = (self.absent.get(q) for way in item.ways for q in way.quantities)
        return next((reason for reason in inherited if reason), "not-collected")


@cache
def _metrics(quantity: str) -> frozenset[str]:
    """Return every metric that a quantity could be made from."""
    return frozenset(name for way in catalogue()[quantity].ways for name in way.metrics)


def _finite(value: Value) -> bool:
    return not isinstance(value, float) or math.isfinite(value)

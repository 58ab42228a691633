"""The catalogue of all quantities, collected from the families."""

from __future__ import annotations

import importlib
import pkgutil
from functools import lru_cache
from typing import NamedTuple

from ncu_triage.model import CatalogueEntry, Provenance
from ncu_triage.quantities import families
from ncu_triage.quantities.ways import Formula, Metric, Way

LAUNCH_SHAPE = "launch-shape"
DRAM_COUNTERS = "dram-counters"
_NOISE = 1.01
_LEAST_PERCENT = 1.0  # below nothing
_MOST_PERCENT = 110.0


class Quantity(NamedTuple):
    """A derived quantity: its unit, label, denominator, and the ways to it in order.

    `group` marks quantities that some workloads or GPUs cannot have: launch shapes do
    not exist for ranges and graphs, DRAM counters not on integrated GPUs.
    """

    id: str
    unit: str
    label: str
    ways: tuple[Way, ...]
    basis: str | None = None
    group: str | None = None
    at_most: float | None = None
    above: float | None = None

    def possible(self, value: float) -> bool:
        """Tell whether a number is what it can be, give or take noise.

        Nothing that is derived here can be negative, and no percentage far above 100: parts
        from different replay passes give a little more.
        """
        if self.above is not None and value <= self.above:
            return False
        if self.unit == "%":
            most = _MOST_PERCENT if self.at_most is None else self.at_most * _NOISE
            return -_LEAST_PERCENT <= value <= most
        return value >= 0 and (self.at_most is None or value <= self.at_most * _NOISE)


class Labels(NamedTuple):
    """What stands around a quantity's number.

    `at_most` is what the number cannot exceed if it was measured rightly; its parts may
    come from different replay passes, and then the ratio can be anything. It lies `above` a
    number where that is no possible one.
    """

    label: str
    basis: str | None = None
    group: str | None = None
    at_most: float | None = None
    above: float | None = None


def quantity(id: str, unit: str, labels: str | Labels, *ways: Way | str) -> Quantity:
    """Declare a quantity; a way given as a string is a metric's name."""
    words = Labels(labels) if isinstance(labels, str) else labels
    made = tuple(Metric(way) if isinstance(way, str) else way for way in ways)
    return Quantity(id, unit, words.label, made, *words[1:])


@lru_cache(maxsize=1)
def catalogue() -> dict[str, Quantity]:
    """Return every quantity by id, in the families' order."""
    found: dict[str, Quantity] = {}
    for module in sorted(pkgutil.iter_modules(families.__path__), key=lambda m: m.name):
        members = importlib.import_module(f"{families.__name__}.{module.name}")
        for item in members.QUANTITIES:
            if item.id in found:
                raise ValueError(f"quantity {item.id} is declared twice")
            found[item.id] = item
    return found


def entry(item: Quantity, origin: Provenance) -> CatalogueEntry:
    """Describe a quantity with the origin that it had."""
    return CatalogueEntry(
        unit=item.unit,
        label=item.label,
        basis=item.basis,
        metric=origin.metric,
        formula=origin.formula,
        inputs=origin.inputs,
        estimated=origin.estimated,
        rough=origin.rough,
    )


def origins() -> dict[str, str]:
    """Return the ways to each quantity in words, the first choice first."""
    return {id: "; else ".join(_words(way) for way in q.ways) for id, q in catalogue().items()}


def _words(way: Way) -> str:
    text = getattr(way, "text", None) or getattr(way, "name", None)
    if text is None and isinstance(way, Formula):
        text = way.origin.formula
    return f"`{text or ' or '.join(way.metrics)}`"

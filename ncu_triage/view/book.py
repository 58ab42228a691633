"""Look a quantity up: its label, its value as text, its denominator and its origin."""

from __future__ import annotations

from collections.abc import Mapping

from ncu_triage.model import CatalogueEntry, Kernel, Provenance, Value
from ncu_triage.units import show
from ncu_triage.view import words

_LONGEST_MAP = 12
_VERSION = "compute_capability"
_UNKNOWN = CatalogueEntry(unit="", label="")


class Book:
    """The report's catalogue, as a reader would consult it."""

    def __init__(self, catalogue: Mapping[str, CatalogueEntry]) -> None:
        self._catalogue = catalogue

    def entry(self, id: str) -> CatalogueEntry:
        """Return a quantity's entry; an unknown one has neither unit nor origin."""
        return self._catalogue.get(id, _UNKNOWN)

    def label(self, id: str) -> str:
        """Return a quantity's label, or its id in plain words."""
        return self.entry(id).label or words.plain(id)

    def value(self, id: str, value: Value) -> str:
        """Print a quantity's value with its unit; long maps end in a count."""
        if id == _VERSION and isinstance(value, float):
            # A version, no amount: 8.9 is not 8.90.
            return f"{value:.1f}"
        unit = self.entry(id).unit
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return ", ".join(value)
        if isinstance(value, dict):
            return _largest(value, unit)
        return show(value, unit)

    def text(self, kernel: Kernel, id: str) -> str:
        """Print a kernel's quantity, or why it is missing; never 0 for a missing one."""
        value = kernel.quantities.get(id)
        if value is None:
            return self.reason(kernel, id)
        return f"{self.value(id, value)}{f' ({words.ESTIMATED})' if self.rough(kernel, id) else ''}"

    def rough(self, kernel: Kernel, id: str) -> bool:
        """Tell whether a kernel's quantity is an estimate that may be off by half."""
        return (kernel.provenance.get(id) or self.entry(id)).rough

    def reason(self, kernel: Kernel, id: str) -> str:
        """Say why a kernel lacks a quantity."""
        absence = kernel.absent.get(id)
        return words.ABSENCES[absence] if absence else words.UNKNOWN

    def origin(self, kernel: Kernel, id: str) -> str | None:
        """Return the metric or the formula that a kernel's value came from."""
        return origin(kernel.provenance.get(id) or self.entry(id))


def number(kernel: Kernel, id: str) -> float | None:
    """Return a quantity's number, or None where it is absent or no number."""
    value = kernel.quantities.get(id)
    return float(value) if isinstance(value, int | float) else None


def origin(source: Provenance) -> str | None:
    """Print where a value comes from; an estimate says so."""
    text = source.metric or source.formula
    return f"{text} (estimate)" if text and source.estimated else text


def _largest(counts: Mapping[str, float], unit: str) -> str:
    """Print the largest entries of a map, and how many there are besides."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    shown = [f"{key} {show(value, unit)}" for key, value in ordered[:_LONGEST_MAP]]
    rest = len(ordered) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")

"""A launch while its rows are read."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ncu_triage.model import Launch, NvidiaRule
from ncu_triage.readers.csv.cells import Metrics
from ncu_triage.readers.csv.identity import Identity, completed

# What a launch that failed still has: facts about the device and the profiler, limits.
_NO_MEASUREMENT = re.compile(
    r"^(?:device__|nvlink__|numa__|c2clink__|profiler__|launch__)|peak_sustained$|__maximum_"
)
_MOST_SECTIONS = 200
_MAJOR = "device__attribute_compute_capability_major"
_MINOR = "device__attribute_compute_capability_minor"
_CAPABILITY = re.compile(r"(\d{1,3})\.(\d)")


@dataclass
class Draft:
    """What the rows of one launch have given so far."""

    identity: Identity
    metrics: Metrics
    sections: list[str] = field(default_factory=list)
    rules: list[NvidiaRule] = field(default_factory=list)

    def see(self, section: str) -> None:
        """Remember a section of the launch; a report has a few dozen."""
        if section and section not in self.sections and len(self.sections) < _MOST_SECTIONS:
            self.sections.append(section)

    @property
    def empty(self) -> bool:
        """Tell whether no row gave a metric, be it without a value."""
        return not (self.metrics.values or self.metrics.valueless or self.metrics.nan)

    @property
    def failed(self) -> bool:
        """Tell whether profiling failed: no shape, and nothing measured above zero.

        A range or a graph has no shape either, but measurements.
        """
        return self.identity.shapeless and not any(
            isinstance(value, float) and value > 0 and not _NO_MEASUREMENT.search(name)
            for name, value in self.metrics.values.items()
        )

    def launch(self, id: str) -> Launch:
        """Turn the draft into a launch."""
        who = completed(self.identity, self.metrics.values)
        return Launch(
            id=id,
            name=who.name,
            demangled=who.kernel,
            workload="range" if who.shapeless else "kernel",
            grid=who.grid,
            block=who.block,
            process=who.process,
            device=who.device,
            context=who.context,
            stream=who.stream,
            nvtx=who.nvtx,
            metrics=self.metrics.values | self._capability(),
            valueless=frozenset(self.metrics.valueless - self.metrics.values.keys()),
            nan=frozenset(self.metrics.nan - self.metrics.values.keys()),
            histograms=self.metrics.histograms,
            sections=tuple(self.sections),
            rules=tuple(self.rules),
        )

    def _capability(self) -> dict[str, float | str]:
        """Return the compute capability of the identity where no attribute gives it."""
        match = _CAPABILITY.fullmatch(self.identity.capability)
        if match is None or _MAJOR in self.metrics.values:
            return {}
        return {_MAJOR: float(match[1]), _MINOR: float(match[2])}

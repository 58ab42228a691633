"""What a gate said of a result, for the outputs: its rows, and what is acknowledged."""

from __future__ import annotations

from msgspec import Struct

from ncu_triage.gate.acknowledged import Acknowledged
from ncu_triage.gate.rows import Row, Verdict, verdict


class Gated(Struct, frozen=True):
    """The rows of a gate, and the acknowledgements that hold today."""

    rows: list[Row]
    acknowledged: list[Acknowledged] = []

    @property
    def verdict(self) -> Verdict:
        """How the gate ends; without a condition there is nothing to fail."""
        return verdict(self.rows) if self.rows else "passed"

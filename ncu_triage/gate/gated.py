"""What a gate said of a result, for the outputs: its rows, and what is acknowledged."""

from __future__ import annotations

from msgspec import Struct

from ncu_triage.gate.acknowledged import Acknowledged
from ncu_triage.gate.rows import Row, Verdict, verdict


class Lost(Struct, frozen=True):
    """An input that could not be read, by its file's name, and why in one line."""

    name: str
    why: str


class Gated(Struct, frozen=True):
    """The rows of a gate, the acknowledgements that hold today, and what was not read."""

    rows: list[Row]
    acknowledged: list[Acknowledged] = []
    lost: list[Lost] = []

    @property
    def verdict(self) -> Verdict:
        """How the gate ends; without a condition there is nothing to fail."""
        return verdict(self.rows) if self.rows else "passed"

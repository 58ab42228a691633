"""An operator's numbers together: theory, measurement, and the roofs between them."""

from __future__ import annotations

from typing import NamedTuple

from ncu_triage.model import OperatorBest, OperatorMeasured
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.match import Matched
from ncu_triage.operators.theory import Theory


class Case(NamedTuple):
    """An operator's numbers together, as far as there are any."""

    matched: Matched
    theory: Theory
    measured: OperatorMeasured
    best: list[OperatorBest]
    l2_bytes: float | None

    @property
    def kind(self) -> Kind:
        """What the operator is."""
        return self.matched.entry.kind

    @property
    def traffic(self) -> float | None:
        """DRAM bytes over least bytes."""
        moved = self.measured.dram_bytes
        return None if moved is None else moved / self.theory.bytes

    @property
    def work(self) -> float | None:
        """FLOPs counted over FLOPs in theory."""
        counted = self.measured.flops
        return counted / self.theory.flops if counted is not None and self.theory.flops else None

    @property
    def compared_work(self) -> float | None:
        """The same where it can be compared: work that is no matrix work is a convention."""
        return self.work if self.kind.math == "tensor" else None

    @property
    def over_best(self) -> float | None:
        """The time over the best that can be achieved."""
        if self.measured.duration is None or not self.best:
            return None
        return self.measured.duration / self.best[-1].time

"""Whether a quantity means the same on both sides: its denominator and its origin."""

from __future__ import annotations

from collections.abc import Sequence

from ncu_triage.compare.match import Pair
from ncu_triage.model import CatalogueEntry, Diagnosis, KernelDiagnosis, Provenance

# Held against what is achievable, which is told by itself where it differs.
_BY_CEILING = "dram_reach_pct"
_NO_ENTRY = CatalogueEntry(unit="", label="")


class Meanings:
    """The catalogues of the two reports, held against each other."""

    def __init__(self, before: Diagnosis, after: Diagnosis) -> None:
        self._before, self._after = before.catalogue, after.catalogue

    def entry(self, id: str) -> CatalogueEntry:
        """Return what a quantity means, from the report that says so."""
        return self._after.get(id) or self._before.get(id) or _NO_ENTRY

    def same(self, before: KernelDiagnosis, after: KernelDiagnosis, id: str) -> bool:
        """Say whether two kernels' values may be held against each other.

        A percentage must come from the same metric or formula, because its denominator
        lies in that; a count may come from another metric that counts the same.
        """
        mine, yours = self._before.get(id, _NO_ENTRY), self._after.get(id, _NO_ENTRY)
        if (mine.unit, mine.basis) != (yours.unit, yours.basis):
            return False
        a, b = before.provenance.get(id) or mine, after.provenance.get(id) or yours
        if (a.estimated, a.rough) != (b.estimated, b.rough):
            return False
        return mine.unit != "%" or _origin(a) == _origin(b)


def other_meanings(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> list[str]:
    """Name the quantities that both sides have and that mean something else on each."""
    meanings = Meanings(before, after)
    found = {
        id
        for pair in pairs
        for id in pair.before.speaker.quantities.keys() & pair.after.speaker.quantities.keys()
        if id != _BY_CEILING and not meanings.same(pair.before.speaker, pair.after.speaker, id)
    }
    return [meanings.entry(id).label or id for id in sorted(found)]


def _origin(source: Provenance) -> tuple[str | None, str | None]:
    return source.metric, source.formula

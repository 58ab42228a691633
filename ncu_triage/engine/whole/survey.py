"""Survey a report as a whole: every theme's numbers, and the launches behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from ncu_triage.engine.whole import first, fusion, gemv, layout, shapes, short, small
from ncu_triage.engine.whole.theme import Case, Theme, Whole, whole
from ncu_triage.model import CatalogueEntry, KernelDiagnosis

# The names by which a rule asks for the launches that its finding shall name.
THEMES: Mapping[str, Callable[[Whole], Theme]] = {
    "short_launches": short.short_launches,
    "small_memory": small.small_memory,
    "fusion": fusion.fusion,
    "layout": layout.layout,
    "gemv": gemv.gemv,
    "slow_first": first.slow_first,
    "slow_shapes": shapes.slow_shapes,
    "l2_cliffs": shapes.l2_cliff,
}
_FILES = (short, small, fusion, layout, gemv, first, shapes)


class Survey(NamedTuple):
    """The numbers of a report, and for each theme the launches that it speaks of."""

    numbers: Mapping[str, float]
    cases: Mapping[str, Sequence[Case]]


def survey(kernels: Sequence[KernelDiagnosis]) -> Survey:
    """Survey all launches of a report.

    A number is missing where the report cannot tell it, and 0 where there is nothing.
    """
    launches = whole(kernels)
    found = {name: theme(launches) for name, theme in THEMES.items()}
    numbers = {id: value for theme in found.values() for id, value in theme.numbers.items()}
    return Survey(numbers, {name: theme.cases for name, theme in found.items()})


def report_entries() -> dict[str, CatalogueEntry]:
    """Describe the report's numbers for the rules and their evidence."""
    return {id: one for file in _FILES for id, one in file.ENTRIES.items()}

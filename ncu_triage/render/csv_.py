"""The table for spreadsheets and scripts: a row per launch, units in the header."""

from __future__ import annotations

from ncu_triage.model import Diagnosis
from ncu_triage.render.cells import table
from ncu_triage.render.columns import rows, units

_PERCENT = "gain_expected_pct"


def render(diagnosis: Diagnosis) -> bytes:
    """Write all launches; numbers in SI base units with all their digits."""
    found = rows(diagnosis)
    unit = units(diagnosis) | {_PERCENT: "%"}
    names = list(found[0]) if found else ["id"]
    header = [f"{name} [{unit[name]}]" if name in unit else name for name in names]
    return table(header, (list(row.values()) for row in found)).encode()

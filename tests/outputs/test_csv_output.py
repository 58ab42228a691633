"""The table for spreadsheets: every launch, every number, and no formula."""

from __future__ import annotations

import csv
import io

import pytest
from fixtures.diagnosis_builder import diagnosis, empty
from fixtures.diagnosis_cases import basic, hostile_report, realistic, transpose

from ncu_triage.model import Diagnosis
from ncu_triage.render.cells import table
from ncu_triage.render.csv_ import render


def rows(given: Diagnosis) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(render(given).decode())))


def test_a_row_a_launch_with_units_in_the_header() -> None:
    found = rows(realistic())
    assert len(found) == len(realistic().kernels)
    first = found[0]
    assert first["name"] == "transposeCoalesced"
    assert float(first["duration [s]"]) == 1.4208e-3
    assert float(first["dram_bandwidth [byte/s]"]) == 380e9
    assert first["bottleneck"] == "l1-shared-bandwidth"
    assert first["findings"] == "bank-conflicts; stall-mio-throttle"
    assert first["gain_expected_pct [%]"] == "29.8"
    assert first["opcodes [inst]"] == "LDS=2.1e+06; STG=2.1e+06; IMAD=8.4e+06"


def test_missing_is_empty_with_its_reason_and_never_zero() -> None:
    (row, other) = rows(diagnosis([basic(), transpose()]))
    assert row["achieved_occupancy_pct [%]"] == ""
    assert "achieved_occupancy_pct: nan" in row["absent"]
    assert other["achieved_occupancy_pct [%]"] == "80.0"


def test_a_report_without_a_kernel_is_a_header() -> None:
    assert render(empty()) == b"id\n"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1", "＝1", "=cmd|' /C calc'!A0"]
)
def test_no_text_is_a_formula(text: str) -> None:
    written = table(["a"], [[text]]).splitlines()[1]
    cell = next(csv.reader([written]))[0]
    assert cell.startswith("'") or not cell.lstrip().startswith(tuple("=+-@＝"))


def test_numbers_keep_their_sign_and_all_their_digits() -> None:
    assert table(["a", "b"], [[-1.5, 0.1 + 0.2]]) == "a,b\n-1.5,0.30000000000000004\n"


def test_a_hostile_report_has_no_formula_in_any_cell() -> None:
    found = rows(hostile_report("=HYPERLINK(1)"))
    assert not [cell for row in found for cell in row.values() if cell.startswith("=")]

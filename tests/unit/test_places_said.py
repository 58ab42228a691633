"""What `--lines` says where no line can be named."""

from __future__ import annotations

from fixtures.diagnosis_builder import finding, kernel

from ncu_triage.model import Where
from ncu_triage.places import unplaced

SOURCES = {"bank-conflicts": "memory_l1_wavefronts_shared"}


def test_a_report_without_counters_by_instruction_is_said_to_have_none() -> None:
    why = unplaced([kernel(findings=[finding("bank-conflicts")])], SOURCES)
    assert why is not None and "--section SourceCounters" in why


def test_findings_that_sit_nowhere_need_no_counters() -> None:
    why = unplaced([kernel(findings=[finding("tail-effect")]), kernel()], SOURCES)
    assert why == "none of the findings sits at single lines of code"


def test_one_place_is_enough() -> None:
    placed = finding("bank-conflicts", where=[Where(file="a.cu", line=7, share=0.5)])
    assert unplaced([kernel(findings=[finding("bank-conflicts"), placed])], SOURCES) is None

"""Findings that name their lines of code."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.launches import A4500
from fixtures.report_writer import launch, write_report

from ncu_triage.pipeline import diagnose, rules

EXCESS = "derived__memory_l1_wavefronts_shared_excessive"
CONFLICTS = {
    **A4500,
    "gpu__time_duration.sum": 1e6,
    "l1tex__throughput.avg.pct_of_peak_sustained_active": 90.0,
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum": 90.0,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum": 100.0,
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed": 90.0,
    "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed": 90.0,
    EXCESS: 90.0,
    "launch__function_pcs": 0x1000,
}


@pytest.fixture
def report(tmp_path: Path) -> Path:
    instances = {EXCESS: {0x1040: 75.0, 0x1080: 15.0}, "launch__function_pcs": {0x1000: 1.0}}
    calm = launch(name="calm", metrics={**A4500, "gpu__time_duration.sum": 1e6})
    conflicted = launch(name="turn", metrics=CONFLICTS, instances=instances)
    return write_report(tmp_path / "r.ncu-rep", [calm, conflicted])


def test_a_finding_names_where_it_sits_with_its_share(report: Path) -> None:
    diagnosis, _ = diagnose([report], rules(), places=True)
    (finding,) = (f for f in diagnosis.kernels[1].findings if f.rule == "bank-conflicts")
    assert [round(place.share, 3) for place in finding.where] == [0.833, 0.167]
    assert all(place.sass for place in finding.where)
    assert not any(f.where for f in diagnosis.kernels[0].findings)


def test_places_are_read_only_when_asked_for(report: Path) -> None:
    diagnosis, _ = diagnose([report], rules())
    assert not any(f.where for kernel in diagnosis.kernels for f in kernel.findings)

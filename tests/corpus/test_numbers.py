"""Every quantity that names a metric is that metric, in NVIDIA's own export."""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

import pytest

from ncu_triage.gpus import facts
from ncu_triage.model import Diagnosis, Provenance
from ncu_triage.pipeline import diagnose, rules

pytestmark = pytest.mark.corpus
# The exports are in base units; the quantities in SI units.
SI = {
    "nsecond": 1e-9,
    "ns": 1e-9,
    "usecond": 1e-6,
    "us": 1e-6,
    "kHz": 1e3,
}
# Attributes that NVIDIA stores in kHz without saying so.
KILOHERTZ = {"device__attribute_clock_rate": 1e3}


def _diagnosis(path: Path) -> Diagnosis:
    diagnosis, failures = diagnose([path], rules())
    assert not failures
    return diagnosis


def _export(path: Path) -> tuple[dict[str, str], list[dict[str, str]]]:
    csv.field_size_limit(1 << 27)
    with path.open(encoding="utf-8", newline="") as file:
        units, *launches = csv.DictReader(file)
    return units, launches


def _close(value: float, printed: str, factor: float) -> bool:
    """Compare to the printed precision: two decimals, or the whole number."""
    number = float(printed.replace(",", ""))
    places = len(printed.partition(".")[2])
    return math.isclose(value / factor, number, rel_tol=1e-9, abs_tol=0.51 * 10**-places)


def test_quantities_equal_nvidias_export(corpus: Path) -> None:
    compared: Counter[str] = Counter()
    different = []
    exports = sorted((corpus / "raw_csv").glob("*.csv"))
    for export in exports:
        (report,) = (p for p in (corpus / "rep").iterdir() if p.stem == export.stem)
        diagnosis = _diagnosis(report)
        units, launches = _export(export)
        assert len(launches) == len(diagnosis.kernels), export.name
        for kernel, row in zip(diagnosis.kernels, launches, strict=True):
            for id, value in kernel.quantities.items():
                usual = Provenance(metric=diagnosis.catalogue[id].metric)
                metric = kernel.provenance.get(id, usual).metric
                printed = row.get(metric or "", "")
                if not metric or not printed or not isinstance(value, float):
                    continue
                # Some exports drop the units; times are in nanoseconds then, too.
                unit = units[metric] or ("ns" if diagnosis.catalogue[id].unit == "s" else "")
                factor = KILOHERTZ.get(metric, SI.get(unit, 1.0))
                compared[id] += 1
                if not _close(value, printed, factor):
                    different.append((export.name, kernel.id, id, value, printed))
    print(f"{compared.total()} values of {len(exports)} exports compared, {len(different)} differ")
    assert different == []
    assert len(exports) == 154
    assert compared.total() > 20_000


def test_the_dram_peak_is_the_products(corpus: Path) -> None:
    wrong, seen = [], set()
    for path in sorted((corpus / "rep").iterdir()):
        for device in _diagnosis(path).devices:
            known = facts.product(device.name, device.compute_capability, device.sm_count)
            peak = device.dram_peak_bandwidth
            if not known or not known.dram_bandwidth or not peak or device.integrated:
                continue
            if "bandwidth_gb_s" in known.doubtful:
                continue
            seen.add(device.name)
            if abs(peak / known.dram_bandwidth - 1) > 0.02:
                wrong.append((device.name, peak, known.dram_bandwidth))
    assert wrong == []
    assert len(seen) >= 25


def test_counters_that_are_another_launchs_are_not_believed(corpus: Path) -> None:
    for path in sorted((corpus / "rep").glob("quadrortx5000-2023.2-*")):
        first, *others = _diagnosis(path).kernels
        assert "duration" in first.quantities
        assert [kernel.absent.get("duration") for kernel in others] == ["suspect"] * len(others)
        assert {kernel.bottleneck.kind for kernel in others} == {"insufficient-data"}

"""Formulas recomputed from NVIDIA's exports alone, without the project's own arithmetic."""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from ncu_triage.model import KernelDiagnosis
from ncu_triage.pipeline import diagnose, rules

pytestmark = pytest.mark.corpus
Row = dict[str, float]
ELAPSED = ".avg.pct_of_peak_sustained_elapsed"
FLOP = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared{}.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared{}.sum"
SECTORS = "memory_l2_theoretical_sectors_global"


def _limits(row: Row) -> float:
    names = ("blocks", "registers", "shared_mem", "warps", "barriers")
    return min(v for n in names if (v := row.get(f"launch__occupancy_limit_{n}", 0.0)) > 0)


def _flops(letter: str) -> Callable[[Row], float]:
    def work(row: Row) -> float:
        add, mul, fma = (row[FLOP.format(letter + op)] for op in ("add", "mul", "fma"))
        return (add + mul + fma + fma) * row["gpc__cycles_elapsed.avg.per_second"]

    return work


def _sms(row: Row) -> float:
    return row.get("launch__sm_count", row["device__attribute_multiprocessor_count"])


def _waves(row: Row) -> float:
    return row["launch__grid_size"] / (_limits(row) * _sms(row))


def _nominal(row: Row) -> float:
    bits = row["device__attribute_global_memory_bus_width"]
    return row["device__attribute_memory_clock_rate"] * 1000 * 2 * bits / 8


# What each quantity is, written down anew; a KeyError says that the export lacks a part.
RECOMPUTED: dict[str, Callable[[Row], float]] = {
    "sm_active_pct": lambda r: r["sm__cycles_active.avg"] / r["gpc__cycles_elapsed.max"] * 100,
    "sm_clock_ratio": lambda r: (
        r["gpc__cycles_elapsed.avg.per_second"] / (r["device__attribute_clock_rate"] * 1000)
    ),
    "dram_peak_nominal": _nominal,
    "dram_peak_counted": lambda r: (
        r["dram__bytes.sum.peak_sustained"] * r["dram__cycles_elapsed.avg.per_second"]
    ),
    "dram_bytes": lambda r: r["dram__bytes_read.sum"] + r["dram__bytes_write.sum"],
    "blocks_per_sm": _limits,
    "waves_per_sm": _waves,
    "tail_efficiency_pct": lambda r: 100 * _waves(r) / math.ceil(_waves(r)),
    "flops_fp32": _flops("f"),
    "flops_fp64": _flops("d"),
    "peak_flops_fp32": lambda r: (
        r["sm__sass_thread_inst_executed_op_ffma_pred_on.sum.peak_sustained"]
        * r["gpc__cycles_elapsed.avg.per_second"]
        * 2
    ),
    "bank_conflict_pct": lambda r: r[CONFLICTS.format("")] / r[WAVEFRONTS.format("")] * 100,
    "bank_conflict_load_pct": lambda r: (
        r[CONFLICTS.format("_op_ld")] / r[WAVEFRONTS.format("_op_ld")] * 100
    ),
    "load_sectors_per_request": lambda r: (
        r["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]
        / r["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]
    ),
    "excess_sectors_pct": lambda r: 100 - r[f"{SECTORS}_ideal"] / r[SECTORS] * 100,
    "sm_imbalance_pct": lambda r: (
        100 - r["sm__cycles_active.avg"] / r["sm__cycles_active.max"] * 100
    ),
    "l2_slice_imbalance": lambda r: r["lts__cycles_active.max"] / r["lts__cycles_active.avg"],
    "issue_active_pct": lambda r: r["smsp__issue_active.avg.per_cycle_active"] * 100,
    "l2_bandwidth": lambda r: r["lts__t_sectors_srcunit_tex.sum"] * 32 / _seconds(r),
}
# Two decimals of the export, where they are few digits of a small number.
TOLERANCE = {"issue_active_pct": 0.51, "flops_fp32": 0.02, "flops_fp64": 0.02}
# Kept apart: chosen among several origins by the report, so the export's one need not be it.
ONLY_AS = {"l2_bandwidth": "32 * [lts__t_sectors_srcunit_tex.sum] / duration"}


def _seconds(row: Row) -> float:
    return row["gpu__time_duration.sum"] * 1e-9


def _rows(path: Path) -> list[Row]:
    csv.field_size_limit(1 << 27)
    with path.open(encoding="utf-8", newline="") as file:
        units, *launches = csv.DictReader(file)
    known = {name for name, unit in units.items() if unit}
    return [
        {
            name: float(text.replace(",", ""))
            for name, text in launch.items()
            if text and _number(text) and (name in known or not name.startswith("gpu__time"))
        }
        for launch in launches
    ]


def _number(text: str) -> bool:
    try:
        return math.isfinite(float(text.replace(",", "")))
    except ValueError:
        return False


def _differs(id: str, kernel: KernelDiagnosis, row: Row) -> bool | None:
    """Compare one quantity; None where either side does not have it."""
    value = kernel.quantities.get(id)
    try:
        expected = RECOMPUTED[id](row)
    except (KeyError, ZeroDivisionError, ValueError):
        return None
    if not isinstance(value, float):
        return None
    slack = TOLERANCE.get(id, 1e-3)
    return not math.isclose(value, expected, rel_tol=slack, abs_tol=max(slack, 0.011))


def test_formulas_equal_an_independent_recomputation(corpus: Path) -> None:
    compared: Counter[str] = Counter()
    different = []
    absent: Counter[str] = Counter()
    for export in sorted((corpus / "raw_csv").glob("*.csv")):
        (report,) = (p for p in (corpus / "rep").iterdir() if p.stem == export.stem)
        diagnosis, _ = diagnose([report], rules())
        for kernel, row in zip(diagnosis.kernels, _rows(export), strict=True):
            absent.update(kernel.absent.values())
            for id in RECOMPUTED:
                origin = kernel.provenance.get(id, diagnosis.catalogue.get(id))
                if id in ONLY_AS and (origin is None or origin.formula != ONLY_AS[id]):
                    continue
                differs = _differs(id, kernel, row)
                compared[id] += differs is not None
                if differs:
                    different.append((export.name, kernel.id, id, kernel.quantities[id]))
    print(f"{compared.total()} values of {len(compared)} formulas compared; absent: {dict(absent)}")
    assert different == []
    assert min(compared[id] for id in RECOMPUTED if id not in ONLY_AS) > 100, compared

"""One row per launch: what a kernel is, how it was judged, and its quantities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from ncu_triage.model import Diagnosis, Extent, KernelDiagnosis, Value

Cell: TypeAlias = str | float | None
Row: TypeAlias = dict[str, Cell]


def rows(diagnosis: Diagnosis) -> list[Row]:
    """Return a row per launch; a quantity that it lacks is None."""
    ids = quantities(diagnosis)
    return [
        _about(kernel) | _judged(kernel) | _numbers(kernel, ids) | _open(kernel)
        for kernel in diagnosis.kernels
    ]


def quantities(diagnosis: Diagnosis) -> list[str]:
    """Return the quantities that any launch has, in the catalogue's order."""
    present = {id for kernel in diagnosis.kernels for id in kernel.quantities}
    known = [id for id in diagnosis.catalogue if id in present]
    return known + sorted(present - set(known))


def units(diagnosis: Diagnosis) -> dict[str, str]:
    """Return the units of the columns that have one, in SI base units; shares are percent."""
    found = {
        id: diagnosis.catalogue[id].unit
        for id in quantities(diagnosis)
        if id in diagnosis.catalogue
    }
    return {id: unit for id, unit in found.items() if unit}


def _about(kernel: KernelDiagnosis) -> Row:
    return {
        "id": kernel.id,
        "name": kernel.name,
        "demangled": kernel.demangled,
        "workload": kernel.workload,
        "group": kernel.group,
        "grid": _extent(kernel.grid),
        "block": _extent(kernel.block),
        "device": kernel.device,
        "stream": kernel.stream,
        "nvtx": " / ".join(kernel.nvtx) or None,
    }


def _judged(kernel: KernelDiagnosis) -> Row:
    gains = [f.gain.expected_pct for f in kernel.findings if f.gain]
    return {
        "bottleneck": kernel.bottleneck.kind,
        "confidence": kernel.bottleneck.confidence,
        "sentence": kernel.bottleneck.sentence,
        "findings": _listed(f.rule for f in kernel.findings),
        "gain_expected_pct": max(gains, default=None),
    }


def _open(kernel: KernelDiagnosis) -> Row:
    return {
        "undecided": _listed(u.rule for u in kernel.undecided),
        "absent": _listed(f"{id}: {why}" for id, why in kernel.absent.items()),
    }


def _numbers(kernel: KernelDiagnosis, ids: Sequence[str]) -> Row:
    return {id: _plain(kernel.quantities.get(id)) for id in ids}


def _plain(value: Value | None) -> Cell:
    """Bring lists and maps into one cell."""
    if isinstance(value, Mapping):
        return _listed(f"{key}={number:g}" for key, number in value.items())
    return _listed(value) if isinstance(value, list) else value


def _extent(extent: Extent | None) -> str | None:
    return "x".join(map(str, extent)) if extent else None


def _listed(items: Iterable[str]) -> str | None:
    return "; ".join(items) or None

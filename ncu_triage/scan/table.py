"""`kernels.parquet`: a row for each launch of each report, with all its numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ncu_triage.engine.numbers import numbers
from ncu_triage.engine.ruleset import TEXTS
from ncu_triage.model import Diagnosis, KernelDiagnosis
from ncu_triage.pipeline import names
from ncu_triage.render import json_
from ncu_triage.scan.row import Row

if TYPE_CHECKING:
    import pyarrow

# Launches that are written, and lie in memory, at a time.
_GROUP = 10_000
_WORDS = (
    "report",
    "sha256",
    "kernel_id",
    "name",
    "demangled",
    "workload",
    "grid",
    "block",
    "device",
    "compute_capability",
    "bottleneck",
    "confidence",
    "first_finding",
    "first_severity",
)


def write(path: Path, folder: Path, rows: Iterable[Row]) -> None:
    """Write the table from the data that lies in the scan's folder, a group of rows at a time."""
    from pyarrow import RecordBatch
    from pyarrow.parquet import ParquetWriter

    schema = _schema()
    every = (record for row in rows for record in _records(folder, row))
    with ParquetWriter(path, schema, compression="zstd") as writer:
        while records := list(islice(every, _GROUP)):
            columns = {name: [one.get(name) for one in records] for name in schema.names}
            writer.write_batch(RecordBatch.from_pydict(columns, schema=schema))


def _schema() -> pyarrow.Schema:
    """Return the columns, the same whatever the reports have."""
    import pyarrow

    quantities = [name for name in sorted(names()) if name not in (*TEXTS, *_WORDS)]
    words = [(name, pyarrow.string()) for name in _WORDS]
    return pyarrow.schema(words + [(name, pyarrow.float64()) for name in quantities])


def _records(folder: Path, row: Row) -> Iterator[Mapping[str, Any]]:
    diagnosis = json_.read((folder / (row.data or "")).read_bytes())
    for kernel in diagnosis.kernels:
        yield (
            numbers(kernel)
            | _words(kernel, diagnosis)
            | {
                "report": row.names[0],
                "sha256": row.sha256,
            }
        )


def _words(kernel: KernelDiagnosis, diagnosis: Diagnosis) -> dict[str, str | None]:
    device = diagnosis.devices[kernel.device] if kernel.device is not None else None
    first = kernel.findings[0] if kernel.findings else None
    return {
        "kernel_id": kernel.id,
        "name": kernel.name,
        "demangled": kernel.demangled,
        "workload": kernel.workload,
        "grid": "x".join(map(str, kernel.grid)) if kernel.grid else None,
        "block": "x".join(map(str, kernel.block)) if kernel.block else None,
        "device": device.name if device else None,
        "compute_capability": device.compute_capability if device else None,
        "bottleneck": kernel.bottleneck.kind,
        "confidence": kernel.bottleneck.confidence,
        "first_finding": first.rule if first else None,
        "first_severity": first.severity if first else None,
    }

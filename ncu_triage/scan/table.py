"""`kernels.parquet`: a row for each launch of each report, with all its numbers."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
            columns = [_column(field, records) for field in schema]
            writer.write_batch(RecordBatch.from_arrays(columns, schema=schema))


def _schema() -> pyarrow.Schema:
    """Return the columns, the same whatever the reports have."""
    import pyarrow

    quantities = [name for name in sorted(names()) if name not in (*TEXTS, *_WORDS)]
    words = [(name, pyarrow.string()) for name in _WORDS]
    return pyarrow.schema(words + [(name, pyarrow.float64()) for name in quantities])


def _column(field: pyarrow.Field, records: Sequence[Mapping[str, Any]]) -> pyarrow.Array:
    """Return a column, missing where a record has no value.

    By hand: to turn a list into an array PyArrow loads pandas, which takes longer than the
    whole table.
    """
    import pyarrow

    values = [record.get(field.name) for record in records]
    if field.type == pyarrow.string():
        builder = pyarrow.lib.StringBuilder()
        builder.append_values(values)
        return builder.finish()
    known = "".join("01"[value is not None] for value in reversed(values))
    valid = int(known, 2).to_bytes((len(values) + 7) // 8, "little")
    numbers = array("d", [0.0 if value is None else value for value in values])
    buffers = [pyarrow.py_buffer(valid), pyarrow.py_buffer(numbers)]
    return pyarrow.Array.from_buffers(field.type, len(values), buffers)


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

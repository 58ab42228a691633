"""What an export says about itself: whether it is one, its version, its own warnings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from ncu_triage.timeline.events import TimelineSource
from ncu_triage.timeline.nsys.database import Database
from ncu_triage.timeline.say.words import count

_VERSION = re.compile(r"\d+(?:\.\d+){1,4}")
_SIGNS = ("CUPTI_ACTIVITY_KIND_", "NVTX_EVENTS", "TARGET_INFO_")
_KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
_WARNING, _ERROR = 2, 3


def refusal(database: Database) -> str | None:
    """Say what a database is that is no export of Nsight Systems."""
    if "StringIds" not in database and "StringTable" in database:
        return (
            "this is a profile of nvprof, which has another layout: record the program with"
            " 'nsys profile' and export it with 'nsys export --type sqlite'"
        )
    if "StringIds" in database and any(t.startswith(_SIGNS) for t in database.tables()):
        return None
    return (
        "this is an SQLite file, but no export of Nsight Systems: name one that"
        " 'nsys export --type sqlite' wrote"
    )


def source(database: Database, lost: int, name: str, sha256: str) -> TimelineSource:
    """Describe the file and how much of it could be read, after all of it was."""
    notes = tuple(_notes(database, lost))
    return TimelineSource(
        name=name,
        sha256=sha256,
        format="nsys-sqlite",
        producer=_version(database),
        complete=not database.damaged and not lost,
        lost_events=lost,
        notes=notes,
    )


def _notes(database: Database, lost: int) -> Iterator[str]:
    if database.damaged:
        tables = ", ".join(dict.fromkeys(database.damaged))
        yield f"the file is damaged: not all rows of {tables} could be read"
    if lost:
        yield f"{count(lost, 'kernel or copy', 'kernels or copies')} without usable times left out"
    if not _cuda_traced(database):
        yield "CUDA was not traced: record with 'nsys profile --trace cuda,nvtx'"
    severity = Counter(row[0] for row in database.rows("DIAGNOSTIC_EVENT", "severity"))
    warnings, errors = severity[_WARNING], severity[_ERROR]
    # Some warnings are in every capture; they matter where something is missing.
    if errors or (warnings and _KERNELS not in database):
        yield (
            f"the capture itself reports {count(errors, 'error')} and"
            f" {count(warnings, 'warning')}: what is missing here may have been lost there"
        )


def _cuda_traced(database: Database) -> bool:
    """Tell whether CUDA was traced; versions that do not say are believed to have."""
    rows = database.rows("META_DATA_CAPTURE", "name", "value")
    traced = {value for name, value in rows if name == "CAPTURE_EVENT_TYPE"}
    return not traced or "Cuda" in traced


def _version(database: Database) -> str | None:
    for table in ("META_DATA_EXPORT", "EXPORT_META_DATA"):
        for name, value in database.rows(table, "name", "value"):
            if name == "EXPORT_PRODUCT_VERSION" and _VERSION.fullmatch(str(value)):
                return f"Nsight Systems {value}"
    return None

"""Say in one line what a text is that holds no launches, and what to do instead."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from ncu_triage.readers.csv.tally import Tally

_EXPORT = "export the report with 'ncu --import REPORT --csv --page raw'"
_REPORT = "or name the .ncu-rep file"


class Findings(Protocol):
    """What a look at the file found: see `scan.Sniffed`."""

    @property
    def nothing(self) -> str | None:
        """Why there is no row under a header; None without a header."""

    @property
    def lines(self) -> list[str]:
        """The first lines outside of any table."""

    @property
    def tally(self) -> Tally:
        """The counts."""


# What the first lines hold, and what that is. The first that matches is said.
_TEXTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), message)
    for pattern, message in (
        (
            r"^Launch Settings$|^\"?(?:Launch|Session) Attribute\"?[,;\t]|^Session Info$",
            f"this is the session page, which has no metrics: {_EXPORT}, {_REPORT}",
        ),
        (
            r"^#,Address,Source,|^\"?(?:Kernel Name|File Name|File Path)\"?,.*\n(?:.*\n)?"
            r"\"?(?:Address|Line No|#)\"?,|^\"?(?:Line No|#)\"?[,;\t]\"?Source\"?"
            r"|^\"?Address\"?[,;\t]\"?Source\"?|^#\s+Address\s+Source",
            f"this is the source page, which has no metrics of the kernel: {_EXPORT}, {_REPORT}",
        ),
        (
            r"NVPROF is profiling|^==\d+== Profiling|^\"?Time\(%\)\"?,|^\"?Device\"?,\"?Kernel"
            r"\"?,\"?Invocations\"?",
            "this is output of nvprof, which Nsight Compute replaced: profile again with"
            " 'ncu -o REPORT'",
        ),
        (
            r"^\"?Time \(%\)\"?[,;\t]|^\"?Start \((?:ns|us|ms|s)\)\"?[,;\t]"
            r"|^Time \(%\)\s+Total Time",
            "this is a table of Nsight Systems (nsys stats), which has no metrics of kernels:"
            " profile with 'ncu -o REPORT'",
        ),
        (
            r"^\"?(?:Dispatch_ID|Index)\"?,\"?Kernel_?Name\"?,|^\"?Name\"?,\"?Calls\"?,"
            r"\"?TotalDurationNs",
            "this is a table of rocprof (AMD GPUs): only profiles of Nsight Compute are read",
        ),
        (
            r"^timestamp, |utilization\.gpu \[%\]|^\| NVIDIA-SMI",
            "this is output of nvidia-smi, which has no metrics of kernels: profile with"
            " 'ncu -o REPORT'",
        ),
        (
            r"^\s*-{4,} -{3,}|^\s*Section: \w|^\[\d+\] \S+@",
            f"this is Nsight Compute's text for the screen, not CSV: {_EXPORT}, {_REPORT}",
        ),
        (
            r"^\"?kernel_id\"?,\"?section\"?,\"?metric_name\"?|^\d+,[^,\n]+,(?:SOL |SM |Memory |"
            r"Elapsed|Duration|DRAM )[^,\n]*,[^,\n]*,[\d.]+",
            "this table was made from an export and has lost its header or units, so its numbers"
            f" cannot be trusted: name the export itself, {_REPORT}",
        ),
    )
)
_OTHER_CSV = (
    f"this CSV is no export of Nsight Compute (its header names no metrics): {_EXPORT}, {_REPORT}"
)
_TEXT = (
    "this is text, not a report: name a file saved with 'ncu -o' (its output on the screen"
    " is no report)"
)
_BLANK = "the file holds only blank lines: the profiler did not finish it"
_UNREADABLE = (
    "no line of this text can be read: quotes that never close, or lines longer than 16 MB;"
    f" {_EXPORT}, {_REPORT}"
)
_DELIMITERS = ",;\t"


def refusal(found: Findings) -> str:
    """Say why there is no launch in a text, as exactly as its lines allow."""
    tally = found.tally
    if tally.errors:
        return f"the profiler failed and wrote no table: {tally.errors[0]}"
    if found.nothing is not None:
        return found.nothing
    text = "\n".join(found.lines)
    for pattern, message in _TEXTS:
        if pattern.search(text):
            return message
    if tally.profiler:
        return (
            "the profiler's messages are here, but no table: no kernel was profiled, or the"
            " results went to another file; add --csv, or save them with 'ncu -o REPORT'"
        )
    if not text.strip():
        return _UNREADABLE if tally.broken or tally.overlong else _BLANK
    return _OTHER_CSV if _is_csv(found.lines) else _TEXT


def _is_csv(lines: Iterable[str]) -> bool:
    """Tell whether the first lines have about the same number of cells, more than one."""
    rows = [line for line in lines if line.strip() and not line.startswith("#")][:5]
    counts = [[row.count(mark) for row in rows] for mark in _DELIMITERS]
    return any(0 < max(columns) <= 2 * min(columns) for columns in counts if columns)

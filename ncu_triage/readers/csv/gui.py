"""The viewer's "Raw" page: a line for each metric, a column for each launch.

Units stand in the names, and numbers in braces count instances.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ncu_triage.errors import InputError
from ncu_triage.readers.csv.draft import Draft
from ncu_triage.readers.csv.header import Header, split
from ncu_triage.readers.csv.identity import read_identity
from ncu_triage.readers.csv.table import Context, Sample
from ncu_triage.readers.csv.units import factor

_NAME = re.compile(r"(?P<name>.*?)(?: \[(?P<unit>[^\[\]]*)\])?")
_PROCESS = re.compile(r"\[(\d{1,18})\].*")
_DEVICE_NAME = "device__attribute_display_name"
# Lines about the launch, in the order in which the kernel's name is taken from them.
_NAMES = ("Original Demangled Name", "Demangled Name", "Function Name", "Mangled Name")
_ABOUT = {
    *_NAMES,
    *("Time", "API Call ID", "Estimated Speedup", "Runtime Improvement", "Issues Detected"),
    *("Process", "Thread ID", "Device Name", "CUprogram", "CUfunction", "Grid Offset"),
    *("Grid Size", "Block Size", "Grid Dimensions", "Context", "Stream", "CC", "Device"),
}
_LONGEST_NAME = 512
# A table of all launches lies in memory as a whole; the viewer shows far fewer.
_MOST_HELD = 1 << 27
_PER_CELL = 50


class GuiTable:
    """A table with one column for each launch; see `Table`."""

    format = "gui-csv"
    row_is_launch = False

    def __init__(self, header: Header, context: Context) -> None:
        self._header = header
        self._context = context
        self._numbers = header.names[1:]
        self._about: list[dict[str, str]] = [{} for _ in self._numbers]
        self._metrics = [context.metrics() for _ in self._numbers]
        self._held = 0

    def cells(self, record: str) -> Sequence[str] | None:
        """Part a record; a row is a name and a value for each launch."""
        row = split(record, self._header.delimiter)
        wide = len(row) == len(self._header.names) and 0 < len(row[0]) <= _LONGEST_NAME
        return row if wide and row[0] != "ID" else None

    def samples(self, cells: Sequence[str]) -> Iterator[Sample]:
        """Yield the values of a metric as they are written."""
        name, unit = _parted(cells[0])
        if name not in _ABOUT:
            for cell in cells[1:]:
                yield Sample(name, unit, cell.partition("{")[0].strip())

    def take(self, cells: Sequence[str]) -> Iterable[Draft]:
        """Read a line; launches are complete only at the end."""
        self._held += sum(map(len, cells)) + _PER_CELL * len(cells)
        if self._held > _MOST_HELD:
            raise InputError("the viewer's export is too large: export fewer launches at once")
        name, unit = _parted(cells[0])
        for about, metrics, cell in zip(self._about, self._metrics, cells[1:], strict=True):
            if name in _ABOUT:
                about[name] = cell
            else:
                metrics.put(name, cell, factor(unit), unit)
        return ()

    def end(self) -> Iterable[Draft]:
        """Give the launches, from left to right."""
        for number, about, metrics in zip(self._numbers, self._about, self._metrics, strict=True):
            if about.get("Device Name"):
                metrics.values.setdefault(_DEVICE_NAME, about["Device Name"])
            yield Draft(read_identity(_identifying(number, about)), metrics)

    def nothing(self) -> str:
        """Say why there is no launch although there is a header."""
        return "this looks like the viewer's raw page, but holds no metrics: export it again"


def _parted(heading: str) -> tuple[str, str]:
    """Part `name [unit]`."""
    match = _NAME.fullmatch(heading)
    return (match["name"], match["unit"] or "") if match else (heading, "")


def _identifying(number: str, about: dict[str, str]) -> dict[str, str]:
    kernel = next((about[name] for name in _NAMES if about.get(name)), "")
    process = _PROCESS.fullmatch(about.get("Process", ""))
    return {
        "id": number,
        "kernel": kernel,
        "process": process[1] if process else "",
        "grid": about.get("Grid Size", ""),
        "block": about.get("Block Size", ""),
        "context": about.get("Context", ""),
        "stream": about.get("Stream", ""),
        "device": about.get("Device", ""),
        "capability": about.get("CC", ""),
    }

"""Which launch a row belongs to: the columns before the metrics, by name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple

from ncu_triage.model import UNNAMED, Extent
from ncu_triage.readers.csv.names import base_name

# Our word for a column, and what it is called by the profiler or in people's copies.
COLUMNS = {
    "id": ("ID",),
    "process": ("Process ID",),
    "process name": ("Process Name",),
    "host": ("Host Name",),
    "kernel": ("Kernel Name",),
    "time": ("Kernel Time",),
    "context": ("Context",),
    "stream": ("Stream",),
    "block": ("Block Size",),
    "grid": ("Grid Size",),
    "device": ("Device", "Device Id"),
    "capability": ("CC",),
    "invocations": ("Invocations",),
    "domain": ("Domain",),
}
_KINDS = {name: kind for kind, names in COLUMNS.items() for name in names}
# The headings of the NVTX columns list what their cells hold, parted by colons.
_PUSH_POP = re.compile(r"thread Domain:Push/Pop_Range:")
_START_END = re.compile(r"Id:Domain:Start/Stop_Range:")
_RANGE = re.compile(r"Range:PL_Type:")
_NVTX = (("push_pop", _PUSH_POP), ("start_end", _START_END), ("range", _RANGE))
_QUOTED = re.compile(r'"([^"]*)"')
# Behind a range's name: payload type and value, colour type and colour, message type, message.
_AFTER_NAME = 6
_WHOLE = re.compile(r"\d{1,18}(?:\.0+)?")
_PART = re.compile(r"[ \t]*(\d{1,18})[ \t]*")
_LONGEST_NAME = 1 << 16
_LONGEST_SHAPE = 100
_LARGEST = 2**63


def kind_of(column: str) -> str | None:
    """Return our word for a column that identifies a launch; None for any other."""
    name = column.strip()
    if name in _KINDS:
        return _KINDS[name]
    return next((kind for kind, pattern in _NVTX if pattern.match(name)), None)


class Identity(NamedTuple):
    """What the identifying columns of one launch say; None where one is missing."""

    number: int | None
    kernel: str
    process: int | None = None
    context: int | None = None
    stream: int | None = None
    grid: Extent | None = None
    block: Extent | None = None
    shapeless: bool = False
    device: int | None = None
    capability: str = ""
    nvtx: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Return the kernel's own name."""
        return base_name(self.kernel)


def read_identity(cells: Mapping[str, str]) -> Identity:
    """Read the identifying cells of a row, given by our words for their columns."""
    grid, block = (cells.get(word, "") for word in ("grid", "block"))
    return Identity(
        number=whole(cells.get("id", "")),
        kernel=cells.get("kernel", "").strip()[:_LONGEST_NAME],
        process=whole(cells.get("process", "")),
        context=whole(cells.get("context", "")),
        stream=whole(cells.get("stream", "")),
        grid=extent(grid),
        block=extent(block),
        shapeless=_numbers(grid) == _numbers(block) == (0, 0, 0),
        device=whole(cells.get("device", "")),
        capability=cells.get("capability", "").strip(),
        nvtx=(
            *_ranges(cells.get("push_pop", "")),
            *_ranges(cells.get("start_end", "")),
            *_ranges(f'"-:{cells["range"]}"' if cells.get("range") else ""),
        ),
    )


def completed(who: Identity, values: Mapping[str, float | str]) -> Identity:
    """Fill in from the metrics what the columns do not say: the name and the shape."""
    block = who.block or _from_dims(values, "block")
    grid = _from_dims(values, "grid") or _in_blocks(who.grid, block, values)
    name = values.get("launch__kernel_name")
    kernel = who.kernel or (name if isinstance(name, str) and name else UNNAMED)
    return who._replace(kernel=kernel, grid=grid, block=block)


def _in_blocks(
    grid: Extent | None, block: Extent | None, values: Mapping[str, float | str]
) -> Extent | None:
    """Undo that versions up to 2020.2 give the grid in threads."""
    blocks = values.get("launch__grid_size")
    if grid is None or block is None or blocks is None or prod(grid) == blocks:
        return grid
    divided = tuple(g // b for g, b in zip(grid, block, strict=True))
    return (divided[0], divided[1], divided[2]) if prod(divided) == blocks else grid


def _from_dims(values: Mapping[str, float | str], which: str) -> Extent | None:
    dims = [values.get(f"launch__{which}_dim_{axis}") for axis in "xyz"]
    numbers = [int(dim) for dim in dims if isinstance(dim, float) and 0 < dim < _LARGEST]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None


def whole(cell: str) -> int | None:
    """Read a whole number, also as pandas writes it in a column with gaps (`7.0`)."""
    text = cell.strip()
    if _WHOLE.fullmatch(text):
        return int(text.partition(".")[0])
    digits = re.sub(r"(?<=\d)[,' \u00a0\u202f](?=\d{3})", "", text)
    return int(digits) if _WHOLE.fullmatch(digits) else None


def extent(cell: str) -> Extent | None:
    """Read `(64, 1, 1)`, with or without brackets; None where there is no such shape."""
    numbers = _numbers(cell)
    if len(numbers) != 3 or not 0 < numbers[0] < _LARGEST:
        return None
    x, y, z = (max(number, 1) for number in numbers)
    return x, y, z


def _numbers(cell: str) -> tuple[int, ...]:
    return _split_numbers(cell[:_LONGEST_SHAPE])


@lru_cache(maxsize=256)
def _split_numbers(cell: str) -> tuple[int, ...]:
    parts = cell.strip().strip("()").split(",")
    return tuple(int(match[1]) for part in parts if (match := _PART.fullmatch(part)))


def _ranges(cell: str) -> Sequence[str]:
    """Return the names of the NVTX ranges in a cell, as they stand: outermost first."""
    return [name for text in _QUOTED.findall(cell) if (name := _range_name(text))]


def _range_name(text: str) -> str:
    """Take the name out of `domain:name` with six more fields behind; names may have colons."""
    parts = text.split(":")
    core = parts[:-_AFTER_NAME] if len(parts) > _AFTER_NAME else parts
    return ":".join(core[1:] or core)

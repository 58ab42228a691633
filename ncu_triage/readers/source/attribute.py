"""Say which source lines or instructions carry a metric of a launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ncu_triage.errors import InputError
from ncu_triage.model import Where
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.compressed import unpack
from ncu_triage.readers.ncu_rep.container import FILE_VERSION, MAGIC, Container
from ncu_triage.readers.source.instances import Instances, read_instances
from ncu_triage.readers.source.instructions import read_instructions
from ncu_triage.readers.source.places import Code, Instruction, places

_ZSTD = b"\x28\xb5\x2f\xfd"


def attribute(
    path: Path, wanted: Mapping[int, Sequence[str]]
) -> dict[tuple[int, str], list[Where]]:
    """Return the places in the code that carry a launch's metrics, most first.

    `wanted` names metrics by a launch's place in the file, the last part of its id. A
    share is of the metric's total over all instructions (0-1); at most five places come
    back, none under 1 %. They are source lines where the report has line information
    (the file without its folder, the line, its heaviest instruction), else instructions
    (`+0x1a0 LDS R7, [R7.X4]`: the offset in the function, and the text where the report
    has the program). What the report has no per-instruction values of is absent; nothing
    is raised, as attribution only adds to what is known without it.
    """
    with suppress(OSError, InputError), _opened(path) as data:
        container = Container(data)
        if container.version == FILE_VERSION:
            launches = list(read_instances(container, wanted))
            return _attribute(launches, read_instructions(data, launches))
    return {}


@contextmanager
def _opened(path: Path) -> Iterator[ByteFile]:
    """Open a report, unpacked; other files are no reports for this purpose."""
    with path.open("rb", buffering=0) as file:
        head = file.read(len(MAGIC))
        file.seek(0)
        if head not in (MAGIC, _ZSTD):
            raise InputError("this is no report")
        yield unpack(file)[0] if head == _ZSTD else ByteFile(file)


def _attribute(
    launches: Sequence[Instances], instructions: Mapping[int, Mapping[int, Instruction]]
) -> dict[tuple[int, str], list[Where]]:
    found = {}
    for one in launches:
        code = Code(one.functions, instructions.get(one.number, {}))
        for metric, values in one.metrics.items():
            if values and (where := places(values, code)):
                found[one.number, metric] = where
    return found

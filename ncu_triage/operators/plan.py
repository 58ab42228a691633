"""Read the file that says which kernels compute what: `--operators ops.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ncu_triage.errors import UsageError
from ncu_triage.model import Extent, Kernel
from ncu_triage.operators.arithmetic import near
from ncu_triage.operators.document import Document, document
from ncu_triage.operators.kind import Dimension, Kind
from ncu_triage.operators.own import mapping, own_kind, text
from ncu_triage.operators.patterns import Pattern
from ncu_triage.operators.registry import kind
from ncu_triage.operators.sizes import size
from ncu_triage.operators.theory import Given, Theory, theory
from ncu_triage.operators.types import type_named

_TOP = ("operators", "formulas")
_WHERE = ("kernel", "nvtx", "grid", "block")
_WHAT = ("operator", "shape", "type", "types", "tile", "padded")
FIELDS = ("name", *_WHAT, *_WHERE, "calls")
_MOST = 1000  # operators


class Where(NamedTuple):
    """Which launches an operator is made of; what is None does not narrow them."""

    kernel: Pattern | None = None
    nvtx: Pattern | None = None
    grid: Extent | None = None
    block: Extent | None = None

    def fits(self, one: Kernel) -> bool:
        """Say whether a launch belongs to it."""
        return (
            (self.grid is None or self.grid == one.grid)
            and (self.block is None or self.block == one.block)
            and (self.kernel is None or self.kernel.fits_name(one))
            and (self.nvtx is None or self.nvtx.fits_range(one))
        )


class Entry(NamedTuple):
    """An operator of the file: what it is, in theory, and which launches it is made of."""

    name: str
    place: str
    kind: Kind
    given: Given
    theory: Theory
    where: Where
    calls: int | None


class Plan(NamedTuple):
    """All operators of a file."""

    file: str
    entries: tuple[Entry, ...]


def read_plan(path: Path) -> Plan:
    """Read a file of operators. Raises UsageError: file, line and operator, and what to do."""
    found = document(path)
    try:
        top = mapping(found.data, "the file")
        _known(top, _TOP)
        listed = _operators(top)
    except UsageError as error:
        raise UsageError(f"{found.name}: {error}") from error
    own = dict(_own(found, top.get("formulas")))
    names: dict[str, str] = {}
    entries = []
    for i, raw in enumerate(listed):
        entry = _placed(found, i, raw, own)
        if entry.name in names:
            raise UsageError(f"{entry.place}: {names[entry.name]} has that name; give another")
        names[entry.name] = f"line {found.lines.get(('operators', i), 0)}"
        entries.append(entry)
    return Plan(found.name, tuple(entries))


def read_formulas(path: Path) -> dict[str, Kind]:
    """Read the user's own formulas alone. Raises UsageError as `read_plan` does."""
    found = document(path, "--formulas")
    try:
        top = mapping(found.data, "the file")
        _known(top, _TOP)
    except UsageError as error:
        raise UsageError(f"{found.name}: {error}") from error
    return dict(_own(found, top.get("formulas")))


def _operators(top: Mapping[str, Any]) -> list[object]:
    listed = top.get("operators")
    if not isinstance(listed, list) or not listed:
        raise UsageError("give operators: with a list, an operator each")
    if len(listed) > _MOST:
        raise UsageError(f"has {len(listed):,} operators; {_MOST:,} are the most")
    return listed


def _own(found: Document, raw: object) -> Iterable[tuple[str, Kind]]:
    try:
        given = mapping({} if raw is None else raw, "formulas")
    except UsageError as error:
        raise UsageError(f"{found.name}: {error}") from error
    for id, fields in given.items():
        try:
            yield id, own_kind(id, fields)
        except UsageError as error:
            line = found.lines.get(("formulas", id), 0)
            raise UsageError(f"{found.name}, line {line}, formula {id!r}: {error}") from error


def _placed(found: Document, i: int, raw: object, own: Mapping[str, Kind]) -> Entry:
    """Read one entry; a mistake names the file, the line and the operator."""
    called = raw.get("name") if isinstance(raw, Mapping) else None
    name = f" ({called})" if isinstance(called, str) else ""
    place = f"{found.name}, line {found.lines.get(('operators', i), 0)}, operator {i + 1}{name}"
    try:
        return _entry(mapping(raw, "an operator"), place, own)
    except UsageError as error:
        raise UsageError(f"{place}: {error}") from error


def _entry(fields: dict[str, Any], place: str, own: Mapping[str, Kind]) -> Entry:
    _known(fields, FIELDS)
    if "operator" not in fields:
        raise UsageError("say what it is, such as operator: gemm; ncu-triage operators lists all")
    which = kind(text("operator", fields["operator"]), own)
    if "type" not in fields:
        raise UsageError("say its type, such as type: fp16")
    given = Given(
        shape=mapping(fields.get("shape", {}), "shape"),
        type=type_named(text("type", fields["type"])),
        types={n: type_named(str(t)) for n, t in mapping(fields.get("types", {}), "types").items()},
        tile=mapping(fields.get("tile", {}), "tile"),
        padded=mapping(fields.get("padded", {}), "padded"),
    )
    return Entry(
        name=text("name", fields.get("name", which.title)),
        place=place,
        kind=which,
        given=given,
        theory=theory(which, given),
        where=_where(fields),
        calls=int(size(Dimension("calls", ""), fields["calls"])) if "calls" in fields else None,
    )


def _known(fields: Iterable[str], known: tuple[str, ...]) -> None:
    for field in fields:
        if field not in known:
            hint = near(field, known) or f"; there are {', '.join(known)}"
            raise UsageError(f"there is no field {field!r}{hint}")


def _where(fields: Mapping[str, Any]) -> Where:
    kernel, nvtx = (_pattern(field, fields.get(field)) for field in ("kernel", "nvtx"))
    if kernel is None and nvtx is None:
        raise UsageError("say which launches it is: kernel: with a name, or nvtx: with a range")
    grid, block = (_extent(field, fields.get(field)) for field in ("grid", "block"))
    return Where(kernel, nvtx, grid, block)


def _pattern(field: str, raw: object) -> Pattern | None:
    if raw is None:
        return None
    texts = raw if isinstance(raw, list) else [raw]
    try:
        return Pattern(text(field, one) for one in texts) if texts else None
    except UsageError as error:
        raise UsageError(f"{field}: {error}") from error


def _extent(field: str, raw: object) -> Extent | None:
    """Read a grid or a block: 64, [64, 32], or 64x32x1."""
    if raw is None:
        return None
    parts = raw if isinstance(raw, list) else str(raw).lower().replace("×", "x").split("x")
    if not 1 <= len(parts) <= 3:
        raise UsageError(f"{field} has one to three sizes, such as [64, 32, 1]")
    x, y, z = ([size(Dimension(field, ""), part) for part in parts] + [1.0, 1.0])[:3]
    return int(x), int(y), int(z)

"""Formulas of the user's own: a kind of operator, as the file of operators states it."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from typing import Any, Literal

from ncu_triage.errors import UsageError
from ncu_triage.operators.arithmetic import FUNCTIONS, formula, near
from ncu_triage.operators.kind import Dimension, Kind, Math, Padding, Tensor
from ncu_triage.operators.registry import kind_ids

_FIELDS = ("title", "shape", "flops", "read", "written", "math", "why")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
_ID = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_LONGEST = 200


def own_kind(id: str, raw: object) -> Kind:
    """Make a kind of a user's formulas. Raises UsageError that says what is wrong."""
    if not _ID.fullmatch(id) or len(id) > _LONGEST:
        raise UsageError("its name must be small letters, digits and hyphens")
    if id in kind_ids():
        raise UsageError("this name is one of the project's own operators: choose another")
    fields = mapping(raw, "it")
    for field in fields:
        if field not in _FIELDS:
            hint = near(field, _FIELDS) or f"; there are {', '.join(_FIELDS)}"
            raise UsageError(f"there is no field {field!r}{hint}")
    dimensions = _dimensions(fields.get("shape"))
    names = [dimension.name for dimension in dimensions]
    flops = _formula("flops", fields.get("flops", 0), names)
    tensors = [
        *_tensors("read", fields.get("read"), names),
        *_tensors("written", fields.get("written"), names),
    ]
    if not tensors:
        raise UsageError("it moves nothing: give read: or written: with the elements of a tensor")
    twice = {t.name for t in tensors if sum(o.name == t.name for o in tensors) > 1}
    if twice:
        raise UsageError(f"{sorted(twice)[0]!r} is both read and written: give it two names")
    return Kind(
        id=id,
        title=text("title", fields.get("title", id)),
        summary="a formula of your own",
        dimensions=dimensions,
        flops=flops,
        tensors=tuple(tensors),
        padding=Padding(tuple(d.name for d in dimensions)),
        math=_math(fields.get("math", "vector")),
        amplified=text("why", fields["why"]) if "why" in fields else "",
        source="the user's file",
    )


def mapping(raw: object, what: str) -> dict[str, Any]:
    """Return a map with words for keys. Raises UsageError for anything else."""
    if not isinstance(raw, Mapping) or not all(isinstance(key, str) for key in raw):
        raise UsageError(f"{what} must be a map of names to values")
    return dict(raw)


def text(field: str, raw: object) -> str:
    """Return a text on one line. Raises UsageError for anything else, or a very long one."""
    if isinstance(raw, bool) or not isinstance(raw, str | int | float) or not str(raw).strip():
        raise UsageError(f"{field} must be a text")
    if len(str(raw)) > _LONGEST:
        raise UsageError(f"{field} is longer than {_LONGEST} characters")
    return " ".join(str(raw).split())


def _dimensions(raw: object) -> tuple[Dimension, ...]:
    """Read the dimensions: a list of names, or a map of names to defaults (empty: none)."""
    if isinstance(raw, list):
        raw = dict.fromkeys(name if isinstance(name, str) else str(name) for name in raw)
    if not raw:
        raise UsageError("give shape: with the names of its dimensions, such as [m, n]")
    found: list[Dimension] = []
    for name, default in mapping(raw, "shape").items():
        if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in FUNCTIONS:
            raise UsageError(f"shape: {name!r} cannot be the name of a dimension")
        known = [one.name for one in found]
        value = None if default is None else _formula(f"shape.{name}", default, known)
        found.append(Dimension(name, "of your own", value))
    return tuple(found)


def _tensors(access: Literal["read", "written"], raw: object, names: list[str]) -> list[Tensor]:
    """Read the tensors of one direction: a map of names to elements, or the elements alone."""
    if raw is None:
        return []
    given = raw if isinstance(raw, Mapping) else {access: raw}
    return [
        Tensor(text(access, name), access, _formula(f"{access}.{name}", elements, names))
        for name, elements in mapping(given, access).items()
    ]


def _formula(field: str, raw: object, names: list[str]) -> str:
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise UsageError(f"{field} must be a formula such as 2 * m * n")
    try:
        return formula(str(raw), names).text
    except UsageError as error:
        raise UsageError(f"{field}: {error}") from error


def _math(raw: object) -> Math:
    if raw == "tensor" or raw == "vector":
        return raw
    raise UsageError(f"math is tensor (tensor cores) or vector, not {raw!r}")

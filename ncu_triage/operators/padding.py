"""What a kernel computes more than it has to, because it rounds dimensions up."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncu_triage.errors import UsageError
from ncu_triage.operators.arithmetic import evaluate, formula, near
from ncu_triage.operators.kind import Dimension, Kind
from ncu_triage.operators.sizes import short, size

REAL = "real_"  # before the name of a dimension: its size without padding


def padded_sizes(
    kind: Kind,
    shape: Mapping[str, float],
    given: Mapping[str, object],
    tile: Mapping[str, object],
    padded: Mapping[str, object],
) -> dict[str, float]:
    """Return the sizes that are computed for those dimensions whose padding is given.

    One that the padding leaves as it is counts, too: then nothing is lost. A dimension that
    is not among the `given` ones follows those that its default names. Raises UsageError.
    """
    for name in tile:
        if name in padded:
            raise UsageError(f"{name} has both tile.{name} and padded.{name}: give one of them")
    found = {name: _rounded(kind, shape, name, value) for name, value in tile.items()}
    found |= {name: _whole(kind, shape, name, value) for name, value in padded.items()}
    return found | dict(_followers(kind, shape, given, found)) if found else found


def padded_flops(kind: Kind, shape: Mapping[str, float], padded: Mapping[str, float]) -> float:
    """Return the FLOPs of the padded shape. Raises UsageError where they have no finite value."""
    real = {f"{REAL}{name}": value for name, value in shape.items()}
    values = {**real, **shape, **padded}
    for name, text in (kind.padding.derived or kind.derived).items():
        values[name] = evaluate(formula(text, values), values)
    return evaluate(formula(kind.flops, values), values)


def check_loss(kind: Kind, flops: float, padded: Mapping[str, float], computed: float) -> None:
    """Raise UsageError where padding would save work, which no kernel's padding does."""
    if computed < flops:
        names = ", ".join(padded)
        raise UsageError(
            f"FLOPs = {kind.flops} gets less with padded {names}: leave out what is no padding"
        )


def _rounded(kind: Kind, shape: Mapping[str, float], name: str, value: object) -> float:
    tile = _padding(kind, "tile", name, value)
    return tile * -(-shape[name] // tile)


def _whole(kind: Kind, shape: Mapping[str, float], name: str, value: object) -> float:
    number = _padding(kind, "padded", name, value)
    if number < shape[name]:
        raise UsageError(f"padded.{name} is less than {name}, {short(shape[name])}")
    return number


def _padding(kind: Kind, field: str, name: str, value: object) -> float:
    """Return a tile or a padded size. Raises UsageError for a dimension that takes none."""
    possible = kind.padding.dimensions
    if name not in kind.names:
        hint = near(name, possible) or f"; it has {', '.join(kind.names)}"
        raise UsageError(f"{field}: {kind.id} has no dimension {name!r}{hint}")
    if name not in possible:
        raise UsageError(
            f"{field}: {name} of {kind.id} is not padded by a kernel; {', '.join(possible)} can be"
        )
    return size(Dimension(f"{field}.{name}", ""), value)


def _followers(
    kind: Kind,
    shape: Mapping[str, float],
    given: Mapping[str, object],
    padded: Mapping[str, float],
) -> Iterator[tuple[str, float]]:
    """Yield the dimensions that are larger because their defaults are: self-attention's keys."""
    values = {**shape, **padded}
    for one in kind.dimensions:
        free = one.name not in given and one.name not in padded
        if one.default is not None and free and one.name in kind.padding.dimensions:
            values[one.name] = evaluate(formula(one.default, values), values)
            if values[one.name] > shape[one.name]:
                yield one.name, values[one.name]

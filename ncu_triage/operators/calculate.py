"""An operator without any report: what it has to do, and how long that takes at best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ncu_triage.errors import UsageError
from ncu_triage.model import Operator
from ncu_triage.operators.arithmetic import near
from ncu_triage.operators.judge import in_theory
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.products import gpus_named
from ncu_triage.operators.roofs import best_times, roofs_of_product, wanted_precisions
from ncu_triage.operators.theory import Given, theory
from ncu_triage.operators.types import type_named

_GROUPS = ("tile", "padded", "types")


def calculate(kind: Kind, words: Sequence[str], names: Iterable[str]) -> Operator:
    """Work an operator out of words such as m=4096; `names` are GPUs to run it on.

    Raises UsageError for a word, a shape or a GPU that makes no sense.
    """
    given = _given(kind, words)
    worked = theory(kind, given)
    plain = in_theory(kind.title, kind, given, worked)
    wanted = wanted_precisions(given.type, kind.math)
    best = [
        time
        for name in names
        for gpu in gpus_named(name)
        for time in best_times(worked, roofs_of_product(gpu.product, gpu.capability, wanted))
    ]
    return replace(plain, best=best)


def _given(kind: Kind, words: Sequence[str]) -> Given:
    """Read words: `m=4096`, `type=fp16`, `types.C=fp32`, `tile.m=128`, `padded.k=4224`."""
    found: dict[str, str] = {}
    for word in words:
        key, equals, value = word.removeprefix("--").partition("=")
        if not equals or not value:
            example = kind.names[0]
            raise UsageError(f"{word!r} says nothing: write {example}=4096, or type=fp16")
        if key in found:
            raise UsageError(f"{key} is given twice, as {found[key]} and {value}: give one")
        found[key] = value
    shape: dict[str, object] = {}
    groups: dict[str, dict[str, object]] = {group: {} for group in _GROUPS}
    type = type_named(found.pop("type")) if "type" in found else kind.type
    for key, value in found.items():
        group, dot, name = key.partition(".")
        if not dot:
            shape[key] = value
        elif group in groups:
            groups[group][name] = value
        else:
            raise UsageError(f"there is no group {group!r}{near(group, _GROUPS)}")
    types = {name: type_named(str(value)) for name, value in groups["types"].items()}
    return Given(shape, type, types, groups["tile"], groups["padded"])

"""The kinds of operators: found by the files that are there, loaded when one is asked for."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import lru_cache

from ncu_triage.errors import UsageError
from ncu_triage.operators import kinds
from ncu_triage.operators.arithmetic import near
from ncu_triage.operators.kind import Kind


@lru_cache(maxsize=1)
def kind_ids() -> tuple[str, ...]:
    """Return the ids of all kinds, without loading any."""
    modules = pkgutil.iter_modules(kinds.__path__)
    return tuple(sorted(module.name.replace("_", "-") for module in modules))


def kind(id: str, own: Mapping[str, Kind] | None = None) -> Kind:
    """Load a kind; a user's own are found by their names. Raises UsageError for none."""
    if own and id in own:
        return own[id]
    known = kind_ids()
    if id not in known:
        words = [*(own or ()), *known]
        hint = near(id, words) or f"; there are {', '.join(words)}"
        raise UsageError(f"there is no operator {id!r}{hint}")
    module = importlib.import_module(f"{kinds.__name__}.{id.replace('-', '_')}")
    found: Kind = module.KIND
    return found

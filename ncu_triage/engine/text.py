"""Fill a rule's text with a kernel's numbers.

`{name}` is replaced by the value with its unit. A part in square brackets that holds
a value is left out where one of its values is missing, so a text reads well whatever was collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ncu_triage.units import show

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)\}")
_OPTIONAL = re.compile(r"\[([^\[\]{]*\{[^\[\]]*)\]")


def places(text: str) -> set[str]:
    """Return the names that a text shows outside of optional parts."""
    return set(_PLACE.findall(_OPTIONAL.sub("", text)))


def all_places(text: str) -> set[str]:
    """Return every name that a text shows."""
    return set(_PLACE.findall(text))


def fill(text: str, values: Mapping[str, float | str], units: Callable[[str], str]) -> str:
    """Write the values into the text; a missing one outside brackets reads "unknown"."""

    def value(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if found is None:
            return "unknown"
        return found if isinstance(found, str) else show(found, units(match[1]))

    def optional(match: re.Match[str]) -> str:
        return match[1] if all(name in values for name in _PLACE.findall(match[1])) else ""

    return " ".join(_PLACE.sub(value, _OPTIONAL.sub(optional, text)).split())

"""Fill a rule's text with a kernel's numbers.

`{name}` is replaced by the value with its unit, `{name:.0f}` by the number alone. A part
in square brackets that holds a value is left out where one of its values is missing, so
a text reads well whatever was collected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ncu_triage.units import show

_PLACE = re.compile(r"\{([a-z][a-z0-9_]*)(?::(\.\df))?\}")
_OPTIONAL = re.compile(r"\[([^\[\]{]*\{[^\[\]]*)\]")


def places(text: str) -> set[str]:
    """Return every name that a text shows."""
    return {match[1] for match in _PLACE.finditer(text)}


def faulty_places(text: str) -> list[str]:
    """Return what looks like the place of a number in a text and is none."""
    return re.findall(r"\{[^}]{0,40}\}?|\}", _PLACE.sub("", text))


def fill(text: str, values: Mapping[str, float | str], units: Callable[[str], str]) -> str:
    """Write the values into the text; a missing one outside brackets reads "unknown"."""

    def value(match: re.Match[str]) -> str:
        found = values.get(match[1])
        if found is None:
            return "unknown"
        if isinstance(found, str):
            return found
        return format(found, match[2]) if match[2] else show(found, units(match[1]))

    def optional(match: re.Match[str]) -> str:
        return match[1] if places(match[1]) <= values.keys() else ""

    return " ".join(_PLACE.sub(value, _OPTIONAL.sub(optional, text)).split())

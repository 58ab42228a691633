"""Units as Nsight Compute prints them, in three generations of spelling.

The target is what a report file stores: ns, byte, and everything per second or per thing.
Prefixes are decimal.
"""

from __future__ import annotations

import re
from functools import lru_cache

_PREFIXES = {"": 1.0, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
_NANOSECONDS = {
    **dict.fromkeys(("second", "seconds", "s", "sec"), 1e9),
    **dict.fromkeys(("msecond", "ms"), 1e6),
    **dict.fromkeys(("usecond", "us", "µs", "μs"), 1e3),
    **dict.fromkeys(("nsecond", "ns"), 1.0),
}
_SCALED = re.compile(r"([KMGT]?)(?:bytes?|hz)", re.IGNORECASE)
# Spellings that are not the profiler's, which nobody can be sure about: bits or bytes,
# 1000 or 1024.
_HOMEMADE = re.compile(r"[KMGT]i?b(?:ytes?)?(?:/s(?:ec(?:ond)?)?)?", re.IGNORECASE)
# Metrics whose unit has a prefix; without the unit their values mean nothing.
_DIMENSIONAL = re.compile(
    r"per_second|time_duration|bytes|shared_mem|__frequency|interval_time"
    r"|cache_size$|^(?:derived__)?memory_(?:l[12]|shared|ideal)"
)
_PURE = re.compile(r"pct|occupancy|pipe_\w*wavefronts|^device__attribute")


@lru_cache(maxsize=1024)
def factor(unit: str) -> float:
    """Return what a value in this unit is multiplied with; 1 for units without a prefix."""
    above, _, below = unit.strip().partition("/")
    if not below:
        return _NANOSECONDS[above] if above in _NANOSECONDS else _scale(above)
    if below in _NANOSECONDS:
        return _scale(above) / (_NANOSECONDS[below] / 1e9)
    # The profiler prints 9700 %/byte as 9.7 %/Kbyte: the prefix belongs to the whole.
    return _scale(above) * _scale(below)


def _scale(name: str) -> float:
    match = _SCALED.fullmatch(name)
    return _PREFIXES[match[1].upper()] if match else 1.0


def is_unit(text: str) -> bool:
    """Tell whether a cell can be a unit rather than a value; a dash is none at all."""
    return not any(map(str.isdigit, text)) and len(text) <= 32


def homemade(unit: str) -> float | None:
    """Return the factor of a unit that people write; None where it could mean several."""
    text = unit.strip()
    if text.lower() in ("microsec", "microsecs", "microsecond", "microseconds"):
        return _NANOSECONDS["us"]
    if text.lower() in ("millisec", "millisecs", "millisecond", "milliseconds"):
        return _NANOSECONDS["ms"]
    if _HOMEMADE.fullmatch(text) and not _known(text):
        return None
    return factor(text)


def _known(unit: str) -> bool:
    """Tell whether the profiler itself spells a unit so."""
    return bool(re.fullmatch(r"[KMGT]?bytes?(?:/(?:second|s))?", unit))


def dimensional(metric: str) -> bool:
    """Tell whether a metric's values mean nothing without their unit."""
    return bool(_DIMENSIONAL.search(metric)) and not _PURE.search(metric)

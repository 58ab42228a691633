"""Print a number with its unit, scaled by decimal prefixes."""

from __future__ import annotations

import math

# Units that take prefixes, with the text behind the prefix. Time runs downwards only
# (nobody reads kiloseconds), everything else upwards only.
_UP = {"byte": "B", "byte/s": "B/s", "Hz": "Hz", "FLOP/s": "FLOP/s", "inst/s": "inst/s"}
_UP_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"))
_TIME_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BARE_STEPS = ((1e12, " T"), (1e9, " G"), (1e6, " M"))


def digits(value: float, significant: int = 3) -> str:
    """Format a number with so many significant digits, without an exponent."""
    if value == 0:
        return "0"
    places = max(0, significant - 1 - math.floor(math.log10(abs(value))))
    text = f"{value:,.{min(places, 6)}f}"
    return text.rstrip("0").rstrip(".") if "." in text and places > significant else text


def show(value: float, unit: str) -> str:
    """Format a value for a reader: `show(5.34e11, "byte/s")` is "534 GB/s"."""
    if unit == "%":
        return f"{value:.1f} %"
    if unit == "s":
        return _scaled(value, _TIME_STEPS, "")
    if unit in _UP:
        return _scaled(value, _UP_STEPS, _UP[unit])
    return _counted(value, unit)


def _scaled(value: float, steps: tuple[tuple[float, str], ...], unit: str) -> str:
    """Divide by the largest step that leaves at least 1."""
    for factor, prefix in steps:
        if abs(value) >= factor * 0.9995:
            return f"{digits(value / factor)} {prefix}{unit}"
    factor, prefix = steps[-1] if not unit else (1.0, "")
    return f"{digits(value / factor)} {prefix}{unit}"


def _counted(value: float, unit: str) -> str:
    """Format a count or a ratio; whole numbers keep all their digits below a million."""
    if float(value).is_integer() and abs(value) < 1e6:
        text = f"{value:,.0f}"
    else:
        text = next(
            (f"{digits(value / f)}{p}" for f, p in _BARE_STEPS if abs(value) >= f), digits(value)
        )
    return f"{text} {unit}".rstrip()

"""Print a number with its unit, scaled by decimal prefixes."""

from __future__ import annotations

import math

# Units that take prefixes, with the text behind the prefix. Time runs downwards only
# (nobody reads kiloseconds), everything else upwards only.
_UP = {"byte": "B", "byte/s": "B/s"} | {
    u: u for u in ("Hz", "FLOP", "FLOP/s", "OP", "OP/s", "inst/s")
}
_UP_STEPS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K"), (1.0, ""))
_TIME_STEPS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BARE_STEPS = ((1e12, " T"), (1e9, " G"), (1e6, " M"), (1.0, ""))
# Units that are things, which one counts in the plural.
_THINGS = {
    *("block", "chain", "cycle", "kernel", "launch", "request", "sector", "shape", "thread"),
    *("warp", "wavefront"),
}
_MOST_PLACES = 6
# Parts of a whole that are added up in another order differ from it by less than this.
_ROUNDING = 1e-9
# A value this close below a step is printed in it: 999.6 µs would round to 1,000 µs.
_ALMOST = 0.9995


def digits(value: float, significant: int = 3) -> str:
    """Format a number with so many significant digits, without an exponent.

    What is too small for six decimal places says so; only zero prints as 0.
    """
    if value == 0:
        return "0"
    if abs(value) < 10**-_MOST_PLACES:
        return f"<{10**-_MOST_PLACES:.{_MOST_PLACES}f}" if value > 0 else f"{value:.1e}"
    rounded = abs(float(f"{value:.{significant}g}"))
    places = max(0, significant - 1 - math.floor(math.log10(rounded)))
    text = f"{value:,.{min(places, _MOST_PLACES)}f}"
    return text.rstrip("0").rstrip(".") if places > significant else text


def show(value: float, unit: str) -> str:
    """Format a value for a reader: `show(5.34e11, "byte/s")` is "534 GB/s"."""
    if not math.isfinite(value):
        return "not a number" if math.isnan(value) else "unbounded"
    if unit == "%":
        return percent(value)
    if unit == "s":
        return _scaled(value, _TIME_STEPS, "")
    if unit in _UP:
        return _scaled(value, _UP_STEPS, _UP[unit])
    return _counted(value, unit)


def percent(value: float) -> str:
    """Format a percentage; almost nothing does not print as 0, nor almost all as 100."""
    if 0 < value < 0.05:
        return "<0.1 %"
    if 99.95 <= value < 100 - _ROUNDING:
        return ">99.9 %"
    return f"{round(value, 1) + 0.0:,.1f} %"


def _scaled(value: float, steps: tuple[tuple[float, str], ...], unit: str) -> str:
    """Divide by the largest step that leaves at least 1."""
    if value == 0:
        return f"0 {unit or steps[0][1]}"
    factor, prefix = _step(value, steps)
    return f"{digits(value / factor)} {prefix}{unit}"


def _counted(value: float, unit: str) -> str:
    """Format a count or a ratio; whole numbers keep all their digits below a million."""
    if float(value).is_integer() and abs(value) < 1e6:
        text = f"{value:,.0f}"
    else:
        factor, prefix = _step(value, _BARE_STEPS)
        text = f"{digits(value / factor)}{prefix}"
    return f"{text} {_plural(unit) if text != '1' else unit}".rstrip()


def _plural(unit: str) -> str:
    """Put a thing into the plural; other units are abbreviations, which have none."""
    if unit not in _THINGS:
        return unit
    return unit + ("es" if unit.endswith("ch") else "s")


def _step(value: float, steps: tuple[tuple[float, str], ...]) -> tuple[float, str]:
    """Return the largest step that the value reaches, else the smallest."""
    return next((step for step in steps if abs(value) >= step[0] * _ALMOST), steps[-1])

"""A kernel under its own roofs: what it reached, and what part of the possible that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ncu_triage.model import Ceiling, Kernel, RooflinePoint
from ncu_triage.units import percent, show
from ncu_triage.view import words

BANDWIDTH_ALONE = "bandwidth"


class Units(NamedTuple):
    """The units of a chart's axes."""

    x: str
    y: str


def units(precision: str) -> Units:
    """Return what a precision's work is counted in."""
    if precision == "inst":
        return Units("inst/byte", "inst/s")
    work = "OP" if "int" in precision else "FLOP"
    return Units(f"{work}/byte", f"{work}/s")


def ceilings(kernel: Kernel, kind: str, name: str) -> list[Ceiling]:
    """Return a kernel's roofs of one name, what can be reached before the nominal ones."""
    found = [
        c for c in kernel.roofline.ceilings if c.kind == kind and c.name.lower() == name.lower()
    ]
    return sorted(found, key=lambda c: (c.nominal, -c.value))


def of_roof(kernel: Kernel, point: RooflinePoint) -> str | None:
    """Print a point's height under the lowest of its roofs: "52.5 % of its nominal roof"."""
    compute = ceilings(kernel, "compute", point.precision)
    bandwidth = ceilings(kernel, "bandwidth", point.level)
    roofs = [(c.value, c) for c in compute[:1]]
    roofs += [(c.value * point.intensity, c) for c in bandwidth[:1]]
    height, roof = min(roofs, key=lambda one: one[0], default=(0.0, None))
    if roof is None or height <= 0:
        return None
    kind = "nominal" if roof.nominal else "achievable"
    return f"{percent(100 * point.performance / height)} of its {kind} roof"


def describe(kernel: Kernel, point: RooflinePoint) -> str:
    """Print a point: "123 GFLOP/s at 18.3 FLOP/byte, 52.5 % of its nominal roof"."""
    if point.precision == BANDWIDTH_ALONE:
        return bandwidth_text(kernel, point)
    unit = units(point.precision)
    place = f"{show(point.performance, unit.y)} at {show(point.intensity, unit.x)}"
    part = of_roof(kernel, point)
    return f"{place}, {part}" if part else place


def ridge_text(compute: Sequence[Ceiling], bandwidth: Sequence[Ceiling], unit: str) -> str | None:
    """Print where two roofs meet, nominal and achievable: "23.5 FLOP/byte, 25.5 achievable"."""
    ridges = {
        nominal: _of(compute, nominal) / _of(bandwidth, nominal)
        for nominal in (True, False)
        if compute and bandwidth and any(c.nominal is nominal for c in (*compute, *bandwidth))
    }
    if True not in ridges:
        return None
    text = show(ridges[True], unit)
    achievable = ridges.get(False)
    return text if achievable is None else f"{text}, {show(achievable, '')} achievable"


def _of(roofs: Sequence[Ceiling], nominal: bool) -> float:
    """Return the roof of a kind; the other where it has none."""
    return next((c.value for c in roofs if c.nominal is nominal), roofs[0].value)


def bandwidth_text(kernel: Kernel, point: RooflinePoint) -> str:
    """Print a bandwidth beside what can be reached and the nominal peak."""
    roofs = [
        f"{show(c.value, 'byte/s')} {'nominal' if c.nominal else 'achievable'}"
        for c in ceilings(kernel, "bandwidth", point.level)
    ]
    achieved = show(point.performance, "byte/s")
    return f"{achieved} of {', '.join(roofs)}" if roofs else achieved


def card_lines(kernel: Kernel) -> list[str]:
    """Say where a kernel lies, or why it lies nowhere."""
    roofline = kernel.roofline
    if not roofline.placed:
        return [f"Not placed: {roofline.why_not or words.UNKNOWN}"]
    lines = [
        f"{words.precision(p.precision)}, {words.level(p.level)}: {describe(kernel, p)}"
        f"{_ridge(kernel, p)}"
        for p in roofline.points
    ]
    return [*lines, *([words.sentence(roofline.note)] if roofline.note else [])]


def _ridge(kernel: Kernel, point: RooflinePoint) -> str:
    """Say where the ridge is, beside a point that has one."""
    if point.precision == BANDWIDTH_ALONE or point.level != "DRAM":
        return ""
    compute = ceilings(kernel, "compute", point.precision)
    bandwidth = ceilings(kernel, "bandwidth", point.level)
    text = ridge_text(compute, bandwidth, units(point.precision).x)
    return f"; ridge at {text}" if text else ""

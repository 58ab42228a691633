"""What the roofline allows: twice the intensity, half the bytes, or no such limit at all.

Times are for the same work. The unit that limits a kernel keeps the share of its peak at
which it runs, so half of its work takes half of the time; every other unit can at most
reach its ceiling with the work that remains to it. Nothing is said where a unit on the way
was not measured, or where the time is not set by any unit (latency, too few blocks, launch).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ncu_triage.engine.gain import (
    ASSUMED,
    CEILING,
    UNITS,
    Achievable,
    at,
    ceiling,
    utilisations,
)
from ncu_triage.engine.numbers import SM, numbers, rough, stands_for_the_sm
from ncu_triage.model import Bottleneck, Finding, Gain, Kernel, RooflinePoint, WhatIf
from ncu_triage.units import show

_LIMITS = {
    "dram-bandwidth": "dram",
    "l2-bandwidth": "l2",
    "l1-shared-bandwidth": "l1",
    "issue-bound": "issue",
}
_PIPES = ("fma", "alu", "fp64", "fp16", "tensor", "xu")
_SM = "sm"
# What never reaches DRAM does not pass L2 either; how often L1 is asked stays as it is.
_HALVED = {"dram": 0.5, "l2": 0.5}
_NO_WORK = ("inst", "bandwidth")
# Copies execute a few such instructions as well; their work is no matter of FLOP/s.
_TRACE = 0.01  # FLOP/byte


class _Unit(NamedTuple):
    """A unit's utilisation today, the most that it can reach, and how it is named."""

    use: float
    most: float
    name: str

    def time(self, remaining: float) -> float:
        """Return the least share of the time that this part of the unit's work takes."""
        return self.use * remaining / self.most


def what_if(
    kernel: Kernel,
    limit: Bottleneck,
    findings: Sequence[Finding] = (),
    achievable: Achievable = ASSUMED,
) -> list[WhatIf]:
    """Work out the three steps; an empty list where the arithmetic would not be sound."""
    n = numbers(kernel)
    units = _units(n, achievable)
    limiter = _limiter(limit, units)
    if limiter is None or not _sound(kernel, limit, n):
        return []
    point = _main_point(kernel)
    steps = [] if point is None else [_more_intensity(kernel, point, units, limiter)]
    return [*steps, _half_the_bytes(units, limiter), _next_limiter(units, limiter, findings)]


def _units(n: Mapping[str, float], achievable: Achievable) -> dict[str, _Unit]:
    found = {
        unit: _Unit(use, ceiling(unit, achievable), UNITS[unit][1])
        for unit, use in utilisations(n).items()
    }
    if SM in n and stands_for_the_sm(n):
        found[_SM] = _Unit(min(1.0, n[SM] / 100), CEILING, "the SM")
    return found


def _limiter(limit: Bottleneck, units: Mapping[str, _Unit]) -> str | None:
    if limit.kind == "compute-pipe":
        return max((u for u in _PIPES if u in units), key=lambda u: units[u].time(1), default=None)
    unit = _LIMITS.get(limit.kind)
    return unit if unit in units else None


def _sound(kernel: Kernel, limit: Bottleneck, n: Mapping[str, float]) -> bool:
    """Ask for a place under the roofs, a judgement to build on, and every unit on the way."""
    inside = "issue_active_pct" in n or SM in n
    estimated = rough(kernel)
    memory = all(
        UNITS[unit][0] in n and UNITS[unit][0] not in estimated for unit in ("dram", "l2", "l1")
    )
    sure = limit.confidence != "low" and bool(n.get("duration"))
    return kernel.roofline.placed and sure and inside and memory


def _main_point(kernel: Kernel) -> RooflinePoint | None:
    """Return the point of the precision closest to its roof; None without such work."""
    found = [
        p
        for p in kernel.roofline.points
        if p.level == "DRAM" and p.precision not in _NO_WORK and p.intensity >= _TRACE
    ]
    return max(found, key=lambda p: _roof(kernel, p).time(1), default=None)


def _roof(kernel: Kernel, point: RooflinePoint) -> _Unit:
    """Return how high a point lies under its compute roof, and how high one can get."""
    roofs = [
        c for c in kernel.roofline.ceilings if c.kind == "compute" and c.name == point.precision
    ]
    nominal = max((c.value for c in roofs if c.nominal), default=None)
    if nominal is None:
        return _Unit(0.0, 1.0, "the compute roof")
    measured = min((c.value for c in roofs if not c.nominal), default=CEILING * nominal)
    return _Unit(point.performance / nominal, measured / nominal, "the compute roof")


def _more_intensity(
    kernel: Kernel, point: RooflinePoint, units: Mapping[str, _Unit], limiter: str
) -> WhatIf:
    """Do the same work over half of the bytes, as two fused steps do: y = min(2 I b, P)."""
    roofs = [_roof(kernel, p) for p in kernel.roofline.points if p.level == "DRAM"]
    roof = max(roofs, key=lambda one: one.time(1))
    time, why = _after(units, limiter, _HALVED)
    if min(1.0, roof.time(1)) > time:
        time, why = min(1.0, roof.time(1)), f"{roof.name} at {show(100 * roof.use, '%')}"
    return WhatIf(
        step="intensity-doubled",
        saved_pct=100 * (1 - time),
        limited_by=why,
        precision=point.precision,
        intensity=2 * point.intensity,
        performance=point.performance / time,
    )


def _half_the_bytes(units: Mapping[str, _Unit], limiter: str) -> WhatIf:
    time, why = _after(units, limiter, _HALVED)
    return WhatIf(step="bytes-halved", saved_pct=100 * (1 - time), limited_by=why)


def _after(
    units: Mapping[str, _Unit], limiter: str, remaining: Mapping[str, float]
) -> tuple[float, str]:
    """Return the share of the time that is left, and what holds the kernel then."""
    own = remaining.get(limiter, 1.0)
    others = {u: one.time(remaining.get(u, 1.0)) for u, one in units.items() if u != limiter}
    second = max(others, key=lambda unit: others[unit])
    if own >= others[second]:
        return own, units[limiter].name
    left = units[second].use * remaining.get(second, 1.0)
    return min(1.0, others[second]), _at(units, second, left)


def _at(units: Mapping[str, _Unit], unit: str, use: float) -> str:
    return at(unit, use) if unit in UNITS else f"{units[unit].name} at {show(100 * use, '%')}"


def _next_limiter(units: Mapping[str, _Unit], limiter: str, findings: Sequence[Finding]) -> WhatIf:
    """Take the limit away, whatever does that; the next unit then sets the time.

    A finding that takes work off that unit as well, or wins back time in which no unit works,
    goes further, and then speaks here.
    """
    time, why = _after(units, limiter, {limiter: 0.0})
    saved = 100 * (1 - time)
    further = _furthest(findings)
    if further is not None and further[1].expected_pct > saved:
        rule, gain = further
        return WhatIf(
            step="next-limiter",
            saved_pct=gain.expected_pct,
            limited_by=gain.limited_by,
            rule=rule,
        )
    return WhatIf(step="next-limiter", saved_pct=saved, limited_by=why)


def _furthest(findings: Sequence[Finding]) -> tuple[str, Gain] | None:
    """Return the finding that promises most."""
    gains = [(f.rule, f.gain) for f in findings if f.gain]
    return max(gains, key=lambda one: one[1].expected_pct, default=None)

"""By which ceilings the kernels were judged, and where those come from."""

from __future__ import annotations

from collections.abc import Iterator

from ncu_triage.model import AssumedRoof, Balance, DeviceCeilings, Diagnosis
from ncu_triage.units import digits, percent, show
from ncu_triage.view import words
from ncu_triage.view.roof_points import units
from ncu_triage.view.shown import Fact

_MIXES = {"read": "reading", "write": "writing", "copy": "reading and writing"}


def ceilings(diagnosis: Diagnosis) -> list[Fact]:
    """List every roof with what is achievable of it, and each GPU's balance points."""
    several = len(diagnosis.ceilings) > 1
    return [
        Fact(
            f"{diagnosis.devices[one.device].name}: {fact.label}" if several else fact.label,
            fact.text,
        )
        for one in diagnosis.ceilings
        for fact in _facts(diagnosis, one)
    ]


def in_brief(diagnosis: Diagnosis) -> str | None:
    """Say in one line whether what is achievable was measured; None without any roof.

    Where not all GPUs have the same, each is named.
    """
    told: dict[str | None, list[str]] = {}
    for one in diagnosis.ceilings:
        told.setdefault(_brief(one), []).append(diagnosis.devices[one.device].name)
    if len(told) == 1:
        return next(iter(told))
    named = (
        f"{text} on {' and '.join(dict.fromkeys(gpus))}" for text, gpus in told.items() if text
    )
    return "; ".join(named)


def _brief(one: DeviceCeilings) -> str | None:
    highest: dict[str, AssumedRoof] = {}
    for roof in one.roofs:
        if roof.achievable and roof.achievable > (_reached(highest.get(roof.name)) or 0.0):
            highest[roof.name] = roof
    return ", ".join(map(_short, highest.values())) or None


def _reached(roof: AssumedRoof | None) -> float | None:
    return roof.achievable if roof else None


def _short(roof: AssumedRoof) -> str:
    by = f"measured with {roof.reference}" if roof.reference else "assumed"
    return f"{_unit(roof)} {_share(roof)} of nominal ({by})"


def _facts(diagnosis: Diagnosis, one: DeviceCeilings) -> Iterator[Fact]:
    for roof in one.roofs:
        yield Fact(_name(roof), _roof(roof))
    for balance in one.balance:
        yield Fact(f"Ridge, {words.precision(balance.precision)}", _ridge(balance))
    yield Fact("Other units", _units(diagnosis, one))


def _name(roof: AssumedRoof) -> str:
    return f"{_unit(roof)}, {_MIXES.get(roof.mix, roof.mix)}" if roof.mix else _unit(roof)


def _unit(roof: AssumedRoof) -> str:
    return words.level(roof.name) if roof.kind == "bandwidth" else words.precision(roof.name)


def _roof(roof: AssumedRoof) -> str:
    unit = "byte/s" if roof.kind == "bandwidth" else units(roof.name).y
    nominal = f"{show(roof.nominal, unit)} nominal"
    if roof.achievable is None:
        return f"{nominal} ({roof.source}); what is achievable of it is not known"
    reached = f"{show(roof.achievable, unit)} achievable, {_share(roof)} of {nominal}"
    if roof.reference is None:
        return f"{reached} (assumed; {roof.source})"
    return f"{reached} (measured: {roof.reference}, {roof.source})"


def _share(roof: AssumedRoof) -> str:
    return percent(100 * (roof.achievable or roof.nominal) / roof.nominal)


def _ridge(balance: Balance) -> str:
    unit = units(balance.precision).x
    told = [
        f"{show(value, unit)} {how}"
        for value, how in ((balance.nominal, "nominal"), (balance.achievable, "achievable"))
        if value is not None
    ]
    if balance.at_boost_clock is not None:
        # One digit more: people know these numbers by heart.
        told.append(f"{digits(balance.at_boost_clock, 4)} {unit} at boost clock")
    return ", ".join(told)


def _units(diagnosis: Diagnosis, one: DeviceCeilings) -> str:
    """Say what share of its peak a unit is taken to reach, for gains and verdicts."""
    entries = diagnosis.catalogue
    measured = [
        f"{entries[name].label if name in entries else name} {percent(value)}"
        for name, value in one.measured_pct.items()
    ]
    beside = f"; measured: {', '.join(measured)}" if measured else ""
    return (
        f"taken to reach {percent(one.assumed_pct)} of their peak, since good kernels reach 85 to"
        f" 95 %{beside}"
    )

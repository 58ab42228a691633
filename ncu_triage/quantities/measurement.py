"""Say which numbers of a launch must be read with care, before anyone judges by them."""

from __future__ import annotations

from collections.abc import Callable

from ncu_triage.model import WORKLOADS, MeasurementWarning, Stalls
from ncu_triage.quantities.catalogue import catalogue
from ncu_triage.quantities.resolve import Resolver
from ncu_triage.units import show

_FEW_SAMPLES = 100
_MULTI_PASS = 20e-6
_CLOCK_LOW = 0.70
_ABOVE_PEAK = 101.0
_HUGE = 1e15
_NAMED = 4
_PERCENTAGES = ("sm_throughput_pct", "memory_throughput_pct", "dram_throughput_pct")


def measurement(numbers: Resolver, stalls: Stalls | None) -> list[MeasurementWarning]:
    """Collect the warnings of one launch in the order of how much they change."""
    checks: tuple[Callable[[Resolver], MeasurementWarning | None], ...] = (
        _copied,
        _aggregate,
        _not_numbers,
        _short,
        _impossible,
        _above_peak,
        _rough_traffic,
        _occupancy_above_theory,
        _clock_low,
    )
    found = [check(numbers) for check in checks]
    found.append(_few_samples(stalls))
    return [warning for warning in found if warning]


def _copied(numbers: Resolver) -> MeasurementWarning | None:
    count = len(numbers.launch.suspect)
    if not count:
        return None
    return MeasurementWarning(
        warning=f"{_are(count)} of an earlier launch: application replay went wrong",
        effect="they count as not measured, the duration included",
    )


def _are(count: int) -> str:
    return "1 counter is" if count == 1 else f"{count:,} counters are"


def _aggregate(numbers: Resolver) -> MeasurementWarning | None:
    if numbers.launch.workload == "kernel":
        return None
    return MeasurementWarning(
        warning="many kernels are measured as one: totals and averages of all that ran",
        effect="no number is that of one kernel, and what limits one of them may not show",
    )


def _impossible(numbers: Resolver) -> MeasurementWarning | None:
    if numbers.launch.suspect:
        return None
    told = [_number(name, value) for name, value in sorted(numbers.impossible.items())]
    if not told:
        return None
    rest = f" and {len(told) - _NAMED} more" if len(told) > _NAMED else ""
    return MeasurementWarning(
        warning=f"impossible values: {', '.join(told[:_NAMED])}{rest}",
        effect="they count as not measured: a counter, or the file, went wrong",
    )


def _number(name: str, value: float) -> str:
    """Print a quantity's number; one that is far too large for that by its power of ten."""
    item = catalogue()[name]
    text = show(value, item.unit) if abs(value) < _HUGE else f"{value:.0e} {item.unit}"
    return f"{item.label} {text}".rstrip()


def _not_numbers(numbers: Resolver) -> MeasurementWarning | None:
    count = len(numbers.launch.nan)
    if not count:
        return None
    return MeasurementWarning(
        warning=f"{_are(count)} not a number: a replay pass failed or was interrupted",
        effect="they count as not measured",
    )


def _short(numbers: Resolver) -> MeasurementWarning | None:
    duration, passes = numbers.number("duration"), numbers.number("replay_passes")
    if duration is None or duration >= _MULTI_PASS:
        return None
    replays = f" over {passes:.0f} replay passes" if passes and passes > 1 else ""
    return MeasurementWarning(
        warning=f"the {WORKLOADS[numbers.launch.workload]} runs for {show(duration, 's')} only",
        effect=f"ratios of counters taken{replays} can be off by tens of percent",
    )


def _above_peak(numbers: Resolver) -> MeasurementWarning | None:
    values = {name: numbers.number(name) or 0.0 for name in _PERCENTAGES}
    name = max(values, key=lambda n: values[n])
    if values[name] <= _ABOVE_PEAK:
        return None
    return MeasurementWarning(
        warning=f"{_number(name, values[name])}: above what is possible",
        effect="its parts come from different replay passes; read it as 100 % at most",
    )


def _rough_traffic(numbers: Resolver) -> MeasurementWarning | None:
    origin = numbers.origins.get("dram_bandwidth")
    if origin is None or not origin.rough:
        return None
    return MeasurementWarning(
        warning="DRAM traffic was not counted: it is estimated from L2 misses",
        effect="one kernel of eight moves more than twice the estimate, so no limit is read off it",
    )


def _occupancy_above_theory(numbers: Resolver) -> MeasurementWarning | None:
    achieved = numbers.number("achieved_occupancy_pct")
    theory = numbers.number("theoretical_occupancy_pct")
    if achieved is None or theory is None or achieved <= theory * 1.02:
        return None
    return MeasurementWarning(
        warning=f"achieved occupancy {show(achieved, '%')} exceeds {show(theory, '%')} in theory",
        effect="take the occupancy as full",
    )


def _clock_low(numbers: Resolver) -> MeasurementWarning | None:
    ratio, clock = numbers.number("sm_clock_ratio"), numbers.number("sm_clock")
    if ratio is None or clock is None or ratio >= _CLOCK_LOW:
        return None
    return MeasurementWarning(
        warning=f"the SMs ran at {show(clock, 'Hz')}, {100 * ratio:.0f} % of their highest clock",
        effect=(
            "DRAM runs at full speed meanwhile, so in production the same kernel leans more"
            " on memory than it does here"
        ),
    )


def _few_samples(stalls: Stalls | None) -> MeasurementWarning | None:
    if stalls is None or stalls.samples is None or stalls.samples >= _FEW_SAMPLES:
        return None
    samples = "sample" if stalls.samples == 1 else "samples"
    return MeasurementWarning(
        warning=f"{stalls.samples} warp-state {samples} only",
        effect="the stall distribution is a rough guess",
    )

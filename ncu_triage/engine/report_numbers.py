"""The numbers of a report as a whole, for rules about what lies between kernels."""

from __future__ import annotations

from collections.abc import Sequence

from ncu_triage.engine.chains import chains
from ncu_triage.model import CatalogueEntry, Kernel

# Starting and ending a launch costs 2-5 µs, so below this it is a good part of the whole.
SHORT_LAUNCH = 10e-6
LAUNCH_COST = 3e-6


def report_numbers(kernels: Sequence[Kernel]) -> dict[str, float]:
    """Count the launches and the short ones among them, and the time in them."""
    durations = [float(d) for k in kernels if isinstance(d := k.quantities.get("duration"), float)]
    short = [d for d in durations if d < SHORT_LAUNCH]
    found = {"launches": float(len(kernels)), "short_launches": float(len(short))}
    if durations:
        found["short_launches_pct"] = 100 * len(short) / len(durations)
        found["short_launches_time"] = sum(short)
        found["total_duration"] = sum(durations)
        found["median_duration"] = sorted(durations)[len(durations) // 2]
        found["launch_cost"] = LAUNCH_COST * len(durations)
        found["launch_cost_pct"] = (
            100 * found["launch_cost"] / (found["launch_cost"] + found["total_duration"])
        )
    total: float = sum(durations)
    if total and any("dram_bytes_written" in k.quantities for k in kernels):
        fusible = chains(kernels)
        found["fusion_launches"] = float(sum(len(chain.kernels) for chain in fusible))
        found["fusion_bytes"] = sum(chain.bytes_between for chain in fusible)
        found["fusion_time"] = sum(chain.seconds for chain in fusible)
        found["fusion_time_pct"] = 100 * found["fusion_time"] / total
    if total:
        found["short_time_pct"] = 100 * sum(short) / total
    return found


def report_entries() -> dict[str, CatalogueEntry]:
    """Describe the report's numbers for the rules and their evidence."""
    return _ENTRIES


def _entry(unit: str, label: str, formula: str, basis: str | None = None) -> CatalogueEntry:
    return CatalogueEntry(unit=unit, label=label, formula=formula, basis=basis)


def _guess(unit: str, label: str, formula: str, basis: str | None = None) -> CatalogueEntry:
    return CatalogueEntry(unit=unit, label=label, formula=formula, basis=basis, estimated=True)


_ALL = "time in all launches"
_ENTRIES = {
    "launches": _entry("", "Launches", "count"),
    "short_launches": _entry("", "Launches under 10 µs", "count of duration < 10 µs"),
    "short_launches_pct": _entry(
        "%", "Launches under 10 µs", "100 * short_launches / launches", "launches with a duration"
    ),
    "short_launches_time": _entry("s", "Time in launches under 10 µs", "sum of duration"),
    "total_duration": _entry("s", "Time in all launches", "sum of duration"),
    "median_duration": _entry("s", "Median launch", "median of duration"),
    "launch_cost": _guess("s", "Cost of launching", "3 µs * launches, what a launch usually costs"),
    "launch_cost_pct": _guess(
        "%",
        "Cost of launching",
        "100 * launch_cost / (launch_cost + total_duration)",
        f"{_ALL} and their launching",
    ),
    "fusion_launches": _entry(
        "",
        "Launches in chains that hand data on through DRAM",
        "consecutive memory-bound launches, each reading what the last one wrote",
    ),
    "fusion_bytes": _entry("byte", "Bytes between them", "sum of dram_bytes_written in a chain"),
    "fusion_time": _guess(
        "s",
        "Time to write and read these bytes",
        "2 * fusion_bytes at the bandwidth that the chain reached",
    ),
    "fusion_time_pct": _guess(
        "%", "Time to write and read these bytes", "100 * fusion_time / total_duration", _ALL
    ),
    "short_time_pct": _entry(
        "%",
        "Time in launches under 10 µs",
        "100 * short_launches_time / total_duration",
        _ALL,
    ),
}

"""Launches of a few microseconds, and what launching costs beside them."""

from __future__ import annotations

from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Theme,
    Whole,
    by_name,
    case,
    entry,
    guess,
    number,
    ranked,
    seconds,
)

# Starting and ending a launch costs 2-5 µs, so below this it is a good part of the whole.
SHORT_LAUNCH = 10e-6
LAUNCH_COST = 3e-6


def short_launches(whole: Whole) -> Theme:
    """Count the launches and the short ones among them, and the time in them."""
    timed = [k for k in whole.kernels if number(k, "duration") is not None]
    durations = sorted(map(seconds, timed))
    short = [k for k in timed if seconds(k) < SHORT_LAUNCH]
    found = {"launches": float(len(whole.kernels)), "short_launches": float(len(short))}
    if timed:
        time = sum(map(seconds, short))
        cost = LAUNCH_COST * len(timed)
        found["short_launches_pct"] = 100 * len(short) / len(timed)
        found["short_launches_time"] = time
        found["total_duration"] = whole.seconds
        found["median_duration"] = durations[len(durations) // 2]
        found["launch_cost"] = cost
        found["launch_cost_pct"] = 100 * cost / (cost + whole.seconds)
        found["short_time_pct"] = whole.share(time)
    groups = by_name(short).values()
    cases = [case(ks, median_duration=sorted(map(seconds, ks))[len(ks) // 2]) for ks in groups]
    return Theme(found, ranked(cases))


ENTRIES = {
    "launches": entry("", "Launches", "count"),
    "short_launches": entry("", "Launches under 10 µs", "count of duration < 10 µs"),
    "short_launches_pct": entry(
        "%", "Launches under 10 µs", "100 * short_launches / launches", "launches with a duration"
    ),
    "short_launches_time": entry("s", "Time in launches under 10 µs", "sum of duration"),
    "total_duration": entry("s", "Time in all launches", "sum of duration"),
    "median_duration": entry("s", "Median launch", "median of duration"),
    "launch_cost": guess("s", "Cost of launching", "3 µs * launches, what a launch usually costs"),
    "launch_cost_pct": guess(
        "%",
        "Cost of launching",
        "100 * launch_cost / (launch_cost + total_duration)",
        f"{ALL_TIME} and their launching",
    ),
    "short_time_pct": entry(
        "%",
        "Time in launches under 10 µs",
        "100 * short_launches_time / total_duration",
        ALL_TIME,
    ),
}

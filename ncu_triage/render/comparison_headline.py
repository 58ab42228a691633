"""The first words of a comparison: whether the whole moved, and what that consists of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ncu_triage.compare.comparison import Change, Comparison, Measure, Verdict
from ncu_triage.render.comparison_shown import Measured
from ncu_triage.render.comparison_words import ARROW, fate_text, measured, signed
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.header import file_name

_OF = {"time": "GPU time", "cycles": "GPU cycles"}


def title(comparison: Comparison) -> str:
    """Name both sides by their files."""
    return f"{_files(comparison.before.sources)} {ARROW} {_files(comparison.after.sources)}"


def _files(sources: Sequence[str]) -> str:
    names = [file_name(source) for source in sources]
    if len(names) < 2:
        return "".join(names) or "no report"
    return f"{names[0]} and {words.count(len(names) - 1, 'more report')}"


def headline(comparison: Comparison) -> str:
    """Say in one sentence whether the whole is faster."""
    change = comparison.totals.change
    if not comparison.kernels:
        return (
            "No kernel of one side was recognised on the other; --kernel and --kernel-after pick"
            " two that are meant to be compared."
        )
    if change is None:
        return "No kernel has a time on both sides."
    overall = comparison.totals.overall
    if overall and overall.verdict != change.verdict:
        return _altogether(comparison, overall)
    return _of_the_pairs(change)


def _altogether(comparison: Comparison, overall: Change) -> str:
    """Say what all launches take, where that is another story than launch for launch."""
    found = comparison.totals
    unit, what = ("s", "time") if found.measure == "time" else ("cycle", "cycles")
    if overall.verdict == "same":
        return f"All launches together take as much GPU {what} as before: {_moved(overall)}."
    more = "more" if overall.change_pct > 0 else "less"
    before, after = show(overall.before, unit), show(overall.after, unit)
    return (
        f"All launches together take {percent(abs(overall.change_pct))} {more} GPU {what}:"
        f" {before} before, {after} after."
    )


def _of_the_pairs(change: Change) -> str:
    if change.verdict == "same":
        return f"The whole has not changed beyond its spread: {_moved(change)}."
    return f"The whole is {percent(abs(change.change_pct))} {change.verdict}."


def _moved(change: Change) -> str:
    assumed = ", assumed" if change.spread == "assumed" else ""
    return f"{signed(change.change_pct)} (one sigma is {percent(change.noise_pct)}{assumed})"


def sentences(comparison: Comparison) -> list[str]:
    """Say how many kernels moved, and what lies outside the comparison."""
    return [
        *_launch_for_launch(comparison),
        *_counted(comparison),
        *_contrast(comparison),
        *_outside(comparison),
        *_of_the_report(comparison),
    ]


def _launch_for_launch(comparison: Comparison) -> list[str]:
    """Tell the like for like where the headline tells of all launches."""
    change, overall = comparison.totals.change, comparison.totals.overall
    if not change or not overall or overall.verdict == change.verdict:
        return []
    text = _of_the_pairs(change).removeprefix("The whole ")
    return [f"Over as many launches as both sides have, it {text}"]


def _of_the_report(comparison: Comparison) -> list[str]:
    """Say which findings about the whole report went, came, or cannot be decided."""
    return [
        f"About the whole report, {fate_text(one.fate)[0]}: {one.title}."
        for one in comparison.report.findings
        if one.fate != "kept" and (one.after or one.before) != "info"
    ]


def _counted(comparison: Comparison) -> list[str]:
    verdicts = _verdicts(comparison)
    total = len(comparison.kernels)
    if total < 2 or not verdicts:
        return []
    parts = [f"{verdicts[v]} {v}" for v in ("slower", "faster") if verdicts[v]]
    same = verdicts["same"]
    if same:
        parts.append(f"{same} without a change beyond {'its' if same == 1 else 'their'} spread")
    return [f"Of {words.count(total, 'kernel')}: {', '.join(parts)}."]


def _contrast(comparison: Comparison) -> list[str]:
    """Say it where a part moved and the whole did not follow."""
    change, verdicts = comparison.totals.change, _verdicts(comparison)
    if change and change.verdict != "faster" and verdicts["faster"]:
        return ["Some kernels are faster, but the whole is not: that is no gain yet."]
    return []


def _verdicts(comparison: Comparison) -> Counter[Verdict]:
    return Counter(k.change.verdict for k in comparison.kernels if k.change)


def _outside(comparison: Comparison) -> list[str]:
    totals = comparison.totals
    parts = [
        f"{show(seconds, 's')} of {side}"
        for side, seconds in (
            ("BEFORE", totals.unmatched_before),
            ("AFTER", totals.unmatched_after),
        )
        if seconds
    ]
    text = " and ".join(parts)
    return [f"In kernels or launches that only one side has: {text}."] if parts else []


def totals(comparison: Comparison) -> list[Measured]:
    """Return the whole in time and in cycles, the one to judge by first."""
    found = comparison.totals
    launches = words.count(found.launches, "launch")
    told: tuple[tuple[Measure, Change | None], ...] = (
        ("time", found.time),
        ("cycles", found.cycles),
    )
    ordered = sorted(told, key=lambda one: one[0] != found.measure)
    measure_ = found.measure
    every = (
        [measured(found.overall, measure_, f"{_OF[measure_]} of all launches")]
        if found.overall and measure_
        else []
    )
    return every + [
        measured(change, measure, f"{_OF[measure]} of {launches}")
        for measure, change in ordered
        if change
    ]

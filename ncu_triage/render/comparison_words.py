"""The words and signs of a comparison: how a change, a match and a fate are called."""

from __future__ import annotations

from ncu_triage.compare.comparison import Change, Fate, How, Launches, Match, Measure, Verdict
from ncu_triage.model import Extent
from ncu_triage.render.comparison_shown import Measured, Tone
from ncu_triage.units import percent, show

MINUS = "\N{MINUS SIGN}"
ASSUMED = " (assumed)"
ARROW = "\N{RIGHTWARDS ARROW}"
_ALMOST_NONE = 0.01
_UNITS = {"time": "s", "cycles": "cycle"}
_TONES: dict[Verdict, Tone] = {"faster": "better", "slower": "worse", "same": "neutral"}
_VERDICTS: dict[Verdict, str] = {
    "faster": "faster",
    "slower": "slower",
    "same": "no change beyond the spread",
}
_HOW: dict[How, str | None] = {
    "name-and-shape": None,
    "spelling": None,
    "other-grid": "launched with another grid",
    "other-shape": "launched with another shape",
    "other-arguments": "recognised by the name without its arguments",
    "other-numbers": "recognised by the name without its numbers",
    "renamed": "another name: matched by likeness, shape or work",
    "chosen": "another name: picked by --kernel and --kernel-after",
}
_FATES: dict[Fate, tuple[str, Tone]] = {
    "gone": ("gone", "better"),
    "new": ("new", "worse"),
    "kept": ("still there", "neutral"),
    "undecided": ("undecided on one side", "neutral"),
}


def signed(value: float) -> str:
    """Print a change in percent with its sign, but for what is almost none."""
    text = percent(abs(value))
    if text in (percent(0.0), percent(_ALMOST_NONE)):
        return text
    return f"{MINUS if value < 0 else '+'}{text}"


def measured(change: Change, measure: Measure, label: str) -> Measured:
    """Print a measure before and after."""
    assumed = ASSUMED if change.spread == "assumed" else ""
    unit = _UNITS[measure]
    return Measured(
        label=label,
        before=show(change.before, unit),
        after=show(change.after, unit),
        change=signed(change.change_pct),
        noise=f"± {percent(change.noise_pct)}{assumed}",
        verdict=_VERDICTS[change.verdict],
        tone=_TONES[change.verdict],
    )


def match_text(match: Match) -> str | None:
    """Say how two kernels were recognised, where their names and shapes did not do."""
    how = _HOW[match.how]
    if match.how == "chosen":
        return how
    return f"{how} ({match.confidence} confidence)" if how else None


def fate_text(fate: Fate) -> tuple[str, Tone]:
    """Say what became of a finding."""
    return _FATES[fate]


def tone_of(helps: bool | None) -> Tone:
    """Return how a movement is to be taken."""
    return "neutral" if helps is None else "better" if helps else "worse"


def full_name(launches: Launches) -> str:
    """Return the full name; a mangled one says less than the plain name."""
    mangled = launches.demangled.startswith("_Z")
    return launches.name if mangled or not launches.demangled else launches.demangled


def shape(grid: Extent | None, block: Extent | None) -> str:
    """Print grid and block, or nothing for a workload without them."""
    if grid is None or block is None:
        return ""
    return f"grid {_extent(grid)}, block {_extent(block)}"


def _extent(extent: Extent) -> str:
    used = max((i for i, size in enumerate(extent, 1) if size != 1), default=1)
    return " × ".join(map(str, extent[:used]))

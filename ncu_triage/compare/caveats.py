"""What must not be compared, and what only with care: to be said before any number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.compare.comparison import Caveat, Topic
from ncu_triage.compare.gpus import gpus
from ncu_triage.compare.match import Pair
from ncu_triage.compare.meaning import other_meanings
from ncu_triage.compare.reports import of_reports, some
from ncu_triage.compare.times import clock_moved, seconds, steady
from ncu_triage.model import Diagnosis, Settings
from ncu_triage.units import show

_SETTINGS: tuple[tuple[Topic, str, str, str], ...] = (
    (
        "clock-control",
        "clock_control",
        "Clock control",
        "Times at other clocks tell nothing about the code.",
    ),
    (
        "cache-control",
        "cache_control",
        "Cache control",
        "With cold caches on one side only, hit rates and times differ by that alone.",
    ),
    (
        "replay-mode",
        "replay_mode",
        "Replay mode",
        "Counters of another replay mode see other cache contents and clocks.",
    ),
)
_CLOCKS: tuple[tuple[Topic, str, str, str], ...] = (
    (
        "sm-clock",
        "sm_clock",
        "SM clock",
        "There cycles are the measure, except where DRAM limits: it has a clock of its own.",
    ),
    (
        "memory-clock",
        "dram_clock",
        "DRAM clock",
        "Where DRAM is the limit, the time follows its clock.",
    ),
)
# Sections that print no rows of their own.
_WITHOUT_ROWS = ("_Chart", "_Tables", "_Topology", "NumaAffinity", "PmSampling")
_MATTERS = 0.05  # of the time that both sides have


def caveats(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> list[Caveat]:
    """Return every reason for care, those that forbid a comparison first."""
    found = [
        *gpus(before, after, pairs),
        *of_settings(before.collection, after.collection),
        *_meanings(before, after, pairs),
        *_clocks(pairs),
        *_ceilings(before, after),
        *of_reports(before, after, pairs),
    ]
    return sorted(found, key=lambda caveat: not caveat.refuses)


def of_settings(before: Settings, after: Settings) -> list[Caveat]:
    """Return what differs in how two profiles were taken."""
    return [*_settings(before, after), *_sections(before, after)]


def _settings(before: Settings, after: Settings) -> Iterator[Caveat]:
    for topic, field, label, effect in _SETTINGS:
        mine, yours = getattr(before, field), getattr(after, field)
        if mine == yours:
            continue
        yield Caveat(
            topic=topic,
            refuses=mine is not None and yours is not None,
            text=f"{label}: {mine or 'not said'} before, {yours or 'not said'} after.",
            effect=effect,
        )


def _sections(before: Settings, after: Settings) -> Iterator[Caveat]:
    """Compare what was collected: by the set's name, else by the sections.

    What a side does not say is no difference, and a table does not say that there were
    sections without rows of their own.
    """
    mine, yours = set(before.sections), set(after.sections)
    if before.set == after.set and (before.set or mine == yours):
        return
    only = [mine - yours, yours - mine] if mine and yours else [set(), set()]
    parts = [
        f"only {side}: {some(sorted(names))}"
        for side, names in zip(("before", "after"), only, strict=True)
        if names
    ]
    named = before.set or after.set
    if not parts and not named:
        return
    lacking = _stated(only[0], after) | _stated(only[1], before)
    sets = [f"set {before.set or 'not said'} before, {after.set or 'not said'} after"]
    yield Caveat(
        topic="set",
        refuses=bool(lacking) or bool(before.set and after.set),
        text=f"Other numbers were collected: {'; '.join((sets if named else []) + parts)}.",
        effect="A finding may be gone or new only because its numbers are missing on one side.",
    )


def _stated(sections: set[str], other: Settings) -> set[str]:
    """Return the sections that the other side would have named if it had had them."""
    how = (other.set, other.clock_control, other.cache_control, other.replay_mode)
    if any(how):
        return sections
    return {one for one in sections if not one.endswith(_WITHOUT_ROWS)}


def _meanings(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> Iterator[Caveat]:
    labels = other_meanings(before, after, pairs)
    if labels:
        yield Caveat(
            topic="metric-meaning",
            refuses=True,
            text=f"Measured in another way on either side: {some(labels)}.",
            effect="These are left out of the comparison.",
        )


def _clocks(pairs: Sequence[Pair]) -> Iterator[Caveat]:
    """Tell clocks that moved from those of short kernels, which nobody can read."""
    for topic, id, label, effect in _CLOCKS:
        moved = [(pair, clocks) for pair in pairs if (clocks := clock_moved(pair, id))]
        long = [(pair, clocks) for pair, clocks in moved if steady(pair)]
        short = [(pair, clocks) for pair, clocks in moved if not steady(pair)]
        if long:
            refuses = id == "sm_clock" and _matter([pair for pair, _ in long], pairs)
            text = f"The {label} moved by more than 3 %: {_moved(long)}."
            yield Caveat(topic=topic, refuses=refuses, text=text, effect=effect)
        if short and id == "sm_clock":
            text = f"The {label} of kernels below 20 µs is read unsteadily: {_moved(short)}."
            yield Caveat(topic=topic, refuses=False, text=text, effect=effect)


def _ceilings(before: Diagnosis, after: Diagnosis) -> Iterator[Caveat]:
    """Tell where one side was judged by measured ceilings and the other was not, or by others."""
    mine, yours = _measured(before), _measured(after)
    both = mine.keys() & yours.keys()
    if bool(mine) == bool(yours) and all(mine[key] == yours[key] for key in both):
        return
    words = ["measured" if one else "assumed" for one in (mine, yours)]
    other = ", and not the same" if words[0] == words[1] else ""
    yield Caveat(
        topic="ceilings",
        refuses=False,
        text=f"What is achievable: {words[0]} before, {words[1]} after{other}.",
        effect="Bottlenecks and gains may differ by that alone.",
    )


def _measured(diagnosis: Diagnosis) -> dict[tuple[str, str | None], int]:
    """Return the measured ceilings of a diagnosis in thousandths of nominal."""
    return {
        (roof.name, roof.mix): round(1000 * roof.achievable / roof.nominal)
        for device in diagnosis.ceilings
        for roof in device.roofs
        if roof.reference is not None and roof.achievable
    }


def _moved(moved: Sequence[tuple[Pair, tuple[float, float]]]) -> str:
    before, after = (show(clock, "Hz") for clock in moved[0][1])
    names = some([pair.after.speaker.name for pair, _ in moved])
    return f"{before} before, {after} after ({names})"


def _matter(some_pairs: Sequence[Pair], pairs: Sequence[Pair]) -> bool:
    """Say whether kernels take enough of the time for their clocks to matter."""
    part = sum(seconds(pair.before.launches) for pair in some_pairs)
    return part >= _MATTERS * sum(seconds(pair.before.launches) for pair in pairs)

"""What to know of the two reports as files: versions, rules, launches, what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.compare.comparison import Caveat
from ncu_triage.compare.match import Pair
from ncu_triage.model import Diagnosis, Source

MOST = 3  # names that a sentence lists
_SINCE = (2025, 3)
BUSY_CHANGED = "From 2025.3 on, SM Busy and Issue Slots Busy are of elapsed cycles, not of active."
_VERSIONS = "Versions differ in what they measure and in NVIDIA's rules."


def of_reports(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> Iterator[Caveat]:
    """Yield what must be known of the files; only a loss forbids a comparison."""
    yield from _versions(before, after)
    yield from _rules(before, after)
    yield from _launches(pairs)
    yield from _incomplete(before, "BEFORE")
    yield from _incomplete(after, "AFTER")
    yield from _same_file(before, after)


def some(names: Sequence[str]) -> str:
    """List the first of some names, each once."""
    different = list(dict.fromkeys(names))
    more = len(different) - MOST
    return ", ".join(different[:MOST]) + (f" and {more} more" if more > 0 else "")


def _versions(before: Diagnosis, after: Diagnosis) -> Iterator[Caveat]:
    mine, yours = _ncu(before), _ncu(after)
    if mine == yours:
        return
    yield Caveat(
        topic="ncu-version",
        refuses=False,
        text=f"Nsight Compute {some(mine) or 'not said'} before, "
        f"{some(yours) or 'not said'} after.",
        effect=BUSY_CHANGED if other_busy(mine, yours) else _VERSIONS,
    )


def other_busy(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether SM Busy is of other cycles in these versions of Nsight Compute."""
    sides = [max((_number(version) for version in side), default=()) for side in (before, after)]
    return bool(all(sides) and min(sides) < _SINCE <= max(sides))


def _ncu(diagnosis: Diagnosis) -> list[str]:
    return sorted({source.ncu_version for source in diagnosis.sources if source.ncu_version})


def _number(version: str) -> tuple[int, ...]:
    """Return year and release of a version, empty for what is none."""
    parts = version.split(".")[:2]
    return tuple(int(part) for part in parts) if all(p.isdecimal() for p in parts) else ()


def _rules(before: Diagnosis, after: Diagnosis) -> Iterator[Caveat]:
    mine, yours = before.tool, after.tool
    if mine.rules != yours.rules:
        yield Caveat(
            topic="rules",
            refuses=False,
            text=f"Judged by other rules: {mine.version} ({mine.rules}) before, "
            f"{yours.version} ({yours.rules}) after.",
            effect="A finding or a bottleneck may differ by the rules alone; times do not.",
        )


def _launches(pairs: Sequence[Pair]) -> Iterator[Caveat]:
    uneven = [p for p in pairs if len(p.before.launches) != len(p.after.launches)]
    if uneven:
        names = some([pair.after.speaker.name for pair in uneven])
        yield Caveat(
            topic="launches",
            refuses=False,
            text=f"Another number of launches of {names}.",
            effect="Kernels are compared over as many launches as both sides have.",
        )


def _incomplete(diagnosis: Diagnosis, side: str) -> Iterator[Caveat]:
    if lost := lost_of(diagnosis.sources):
        yield Caveat(
            topic="incomplete",
            refuses=True,
            text=f"{side} is incomplete: {lost}.",
            effect="What is missing there may have been lost with it.",
        )


def lost_of(sources: Sequence[Source]) -> str | None:
    """Say how much of the files could not be read; None where they are complete.

    A file that was cut off does not tell what was in the part that is gone.
    """
    broken = [source for source in sources if not source.complete]
    lost = sum(source.lost_launches for source in broken)
    if not broken:
        return None
    many = "1 launch is" if lost == 1 else f"{lost:,} launches are"
    return f"at least {many} lost" if lost else "a part is lost"


def _same_file(before: Diagnosis, after: Diagnosis) -> Iterator[Caveat]:
    both = {s.sha256 for s in before.sources} & {s.sha256 for s in after.sources}
    if both:
        yield Caveat(
            topic="same-file",
            refuses=False,
            text="Both sides are of the same file.",
            effect="What differs is the choice of kernels, or the rules that judged.",
        )

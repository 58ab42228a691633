"""Simulate years of nights, and count what the history finds and what it only imagines.

    python benchmarks/nightly.py [CORPUS] [--years N] [--launches K]

Each year has 40 kernels over 365 nights, with 12 steps of 5 to 30 %, 4 drifts and 3
changes of bottleneck planted in them; four kernels lie on the border between two
bottlenecks. With CORPUS, a folder of reports under rep/, the noise is that of real
repeats: the launches of one kernel with one shape in one report, drawn again. Without it
the noise is made up to be alike. K launches make up a night, else 1, 3, 5 or 10.

A step counts as found if it is reported at its second night at the latest. A false alarm
is whatever is reported of a kernel and was not planted there, improvements included.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from ncu_triage.history.changes import changes
from ncu_triage.history.kinds import kind_changes
from ncu_triage.history.series import Event, Limits, Point

KERNELS, NIGHTS = 40, 365
STEPS, DRIFTS, LIMITED, BORDERLINE = 12, 4, 3, 4
BIG = 0.10
_TICK = 32e-9
_LAUNCHES = (1, 3, 5, 10)
# What all kernels share in a night: the temperature, the driver's mood.
_COMMON = 0.003
# A drift shows some time after it began; what is found until then is found.
_AFTERWARDS = 20
_KINDS = ("dram-bandwidth", "latency")


class Repeats(NamedTuple):
    """A kernel's duration, and how its launches scatter around it."""

    duration: float
    factors: Sequence[float]


class Planted(NamedTuple):
    """What happens to a kernel: at which night, by how much, over how many nights."""

    kind: str
    night: int
    size: float = 0.0
    length: int = 0

    def factor(self, night: int) -> float:
        """Return how much longer the kernel takes at a night."""
        if self.kind == "step":
            return 1 + self.size if night >= self.night else 1.0
        if self.kind == "drift":
            return 1 + self.size * min(1.0, max(0.0, (night - self.night) / self.length))
        return 1.0


class Tally(NamedTuple):
    """What a year came to."""

    big: int = 0
    big_found: int = 0
    small: int = 0
    small_found: int = 0
    drifts: int = 0
    drifts_found: int = 0
    limited: int = 0
    limited_found: int = 0
    false_alarms: int = 0

    def plus(self, other: Tally) -> Tally:
        """Add up two years, or two kernels."""
        return Tally(*map(sum, zip(self, other, strict=True)))


def real_repeats(corpus: Path) -> list[Repeats]:
    """Return the repeats of the corpus: at least eight launches that do the same work."""
    from ncu_triage.pipeline import diagnose, rules

    found = []
    for path in sorted((corpus / "rep").iterdir()):
        groups: dict[int, list[float]] = defaultdict(list)
        for kernel in diagnose([path], rules())[0].kernels:
            if isinstance(duration := kernel.quantities.get("duration"), float) and duration > 0:
                groups[kernel.group].append(duration)
        for times in groups.values():
            factors = [time / median(times) for time in times]
            # What differs by more than a fifth is other work in the same shape.
            if len(times) >= 8 and min(factors) > 0.8 and max(factors) < 1.25:
                found.append(Repeats(median(times), factors))
    return found


def made_up_repeats(rng: random.Random) -> list[Repeats]:
    """Return repeats like the real ones: some exact, some noisy, with outliers."""
    found = []
    for _ in range(24):
        sigma = math.exp(rng.uniform(math.log(0.0005), math.log(0.05)))
        factors = [1 + rng.gauss(0, sigma) * (4 if rng.random() < 0.05 else 1) for _ in range(40)]
        clipped = [min(1.2, max(0.82, factor)) for factor in factors]
        found.append(Repeats(math.exp(rng.uniform(math.log(2e-6), math.log(5e-3))), clipped))
    return found


def plan(rng: random.Random) -> list[Planted]:
    """Return what happens to each kernel of a year."""
    plans = [
        *(
            Planted(
                "step", rng.randrange(20, 340), rng.uniform(0.05, 0.30) * rng.choice((1, 1, 1, -1))
            )
            for _ in range(STEPS)
        ),
        *(
            Planted(
                "drift", rng.randrange(20, 200), rng.uniform(0.10, 0.30), rng.randrange(60, 140)
            )
            for _ in range(DRIFTS)
        ),
        *(Planted("limited", rng.randrange(20, 340)) for _ in range(LIMITED)),
        *(Planted("borderline", 0, rng.uniform(0.2, 0.5)) for _ in range(BORDERLINE)),
    ]
    return plans + [Planted("nothing", 0)] * (KERNELS - len(plans))


def nights(
    rng: random.Random, own: Repeats, planted: Planted, common: Sequence[float], launches: int
) -> list[Point]:
    """Return a kernel's year."""
    points = []
    for night in range(NIGHTS):
        level = own.duration * planted.factor(night) * common[night]
        times = [_ticked(level * rng.choice(own.factors)) for _ in range(launches)]
        middle = median(times)
        deviation = 1.4826 * median(abs(time - middle) for time in times) / middle
        points.append(
            Point(
                report=night,
                at=float(night),
                duration=middle,
                launches=launches,
                spread=1.2533 * deviation / math.sqrt(launches) if launches >= 5 else 0.0,
                kind=_kind(rng, planted, night),
            )
        )
    return points


def _ticked(time: float) -> float:
    """Round to what the profiler's clock shows."""
    return max(1, round(time / _TICK)) * _TICK


def _kind(rng: random.Random, planted: Planted, night: int) -> str:
    if planted.kind == "limited":
        return _KINDS[night >= planted.night]
    return _KINDS[planted.kind == "borderline" and rng.random() < planted.size]


def count(planted: Planted, events: Sequence[Event]) -> Tally:
    """Hold what was found of a kernel against what was planted."""
    first, last = planted.night, planted.night + 1
    if planted.kind == "drift":
        last = planted.night + planted.length + _AFTERWARDS
    meant = {"step": ("step",), "drift": ("drift", "step"), "limited": ("bottleneck",)}
    hits = [
        event
        for event in events
        if event.event in meant.get(planted.kind, ()) and first <= event.found <= last
    ]
    # Found late is not found, and no false alarm either.
    late = [
        event
        for event in events
        if planted.kind == "step" and not hits and last < event.found <= last + 60
    ][:1]
    found, false = bool(hits), len(events) - len(hits) - len(late)
    big = planted.kind == "step" and abs(planted.size) > BIG
    small = planted.kind == "step" and not big
    drift, limited = planted.kind == "drift", planted.kind == "limited"
    return Tally(
        *(big, big and found, small, small and found),
        *(drift, drift and found, limited, limited and found, false),
    )


def year(rng: random.Random, repeats: Sequence[Repeats], launches: int | None) -> Tally:
    """Simulate a year, and count."""
    common = [math.exp(rng.gauss(0, _COMMON)) for _ in range(NIGHTS)]
    total = Tally()
    for planted in plan(rng):
        profiled = launches or rng.choice(_LAUNCHES)
        points = nights(rng, rng.choice(repeats), planted, common, profiled)
        total = total.plus(count(planted, [*changes(points, Limits()), *kind_changes(points)]))
    return total


def main() -> None:
    """Simulate, and print what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("corpus", nargs="?", type=Path)
    parser.add_argument("--years", type=int, default=20)
    parser.add_argument("--launches", type=int)
    given = parser.parse_args()
    repeats = real_repeats(given.corpus) if given.corpus else made_up_repeats(random.Random(0))
    years = [year(random.Random(i), repeats, given.launches) for i in range(given.years)]
    total = Tally()
    for one in years:
        total = total.plus(one)
    print(f"{len(years)} years, noise of {len(repeats)} kernels that were launched repeatedly")
    for name in ("big", "small", "drifts", "limited"):
        planted, found = getattr(total, name), getattr(total, f"{name}_found")
        what = {"big": "steps above 10 %", "small": "steps of 5 to 10 %"}
        what |= {"drifts": "drifts", "limited": "changes of bottleneck"}
        print(f"{what[name]:<22} {found} of {planted} found ({100 * found / planted:.1f} %)")
    worst = max(one.false_alarms for one in years) / 12
    print(
        f"false alarms a month   {total.false_alarms / len(years) / 12:.2f}, worst year {worst:.2f}"
    )


if __name__ == "__main__":
    main()

"""A kernel over time, and what happened to it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

EventKind: TypeAlias = Literal["step", "drift", "bottleneck", "new", "vanished", "missing"]
Direction: TypeAlias = Literal["slower", "faster"]
# What explains an event without the kernel: another clock, another version of the tool.
Excuse: TypeAlias = Literal["clock", "tool", "back"]


class Limits(Struct, frozen=True, kw_only=True):
    """From where on a difference counts: in percent, and in the kernel's own spreads."""

    step_pct: float = 4.0
    drift_pct: float = 5.0
    sigmas: float = 4.0


class Point(Struct, frozen=True, kw_only=True):
    """A kernel in one report: the median over its launches there, in seconds.

    `spread` is the standard error of that median by the launches' own scatter, as a part
    of it; `total` the seconds of all launches; `at` is Unix time. `kind` is the bottleneck
    by today's rules, `rules` are those of them that fired.
    """

    report: int
    at: float
    duration: float | None
    launches: int = 1
    spread: float = 0.0
    total: float | None = None
    cycles: float | None = None
    kind: str | None = None
    rules: tuple[str, ...] = ()
    tool: str = ""


class Happening(Struct, frozen=True, kw_only=True):
    """Something that happened to a kernel, apart from when.

    A step and a drift have seconds before and after, the change in percent and in
    spreads; a change of bottleneck has its kinds. Missing is a whole benchmark.
    """

    event: EventKind
    direction: Direction | None = None
    before: float | None = None
    after: float | None = None
    change_pct: float | None = None
    sigmas: float | None = None
    kind_before: str | None = None
    kind_after: str | None = None
    excuse: Excuse | None = None

    @property
    def alarming(self) -> bool:
        """Tell whether somebody should look at it."""
        worse = self.direction == "slower" or self.event in ("bottleneck", "vanished", "missing")
        return worse and self.excuse is None


class Event(Happening, frozen=True, kw_only=True):
    """When something happened: the first report that shows it, and the one that proved it."""

    since: int
    found: int

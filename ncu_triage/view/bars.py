"""How busy each unit was, and what the warps did meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ncu_triage.model import KernelDiagnosis, Stalls
from ncu_triage.units import percent
from ncu_triage.view import words
from ncu_triage.view.book import Book, number
from ncu_triage.view.shown import Bar, StallBar, StallsView

_SMALL = 0.01
# Further apart than so many percent, DRAM's busiest counter and its bytes are two statements.
_SAME = 3.0
_BUSIER = "the bar is DRAM's busiest counter, and counts busy cycles, too"
_FULLER = "the bar is of elapsed cycles, the bytes of the peak at DRAM's clock"


class Unit(NamedTuple):
    """A unit with the quantities that say how busy it was, best first."""

    label: str
    quantities: tuple[str, ...]
    note: Callable[[KernelDiagnosis, Book], str | None] = lambda kernel, book: None
    ceiling: str | None = None


def _dram(kernel: KernelDiagnosis, book: Book) -> str | None:
    """Print the bytes beside their peak; where they say less than the counter, also why."""
    amount = _of(kernel, book, "dram_bandwidth", "dram_peak_bandwidth")
    busy, moved = number(kernel, "dram_throughput_pct"), number(kernel, "dram_bandwidth_pct")
    if amount is None or busy is None or moved is None or abs(busy - moved) <= _SAME:
        return amount
    why = _BUSIER if busy > moved else _FULLER
    return f"{amount}, {percent(moved)} by bytes: {why}"


def _of(kernel: KernelDiagnosis, book: Book, part: str, whole: str) -> str | None:
    """Print a part of a whole, where both are known."""
    known = part in kernel.quantities and whole in kernel.quantities
    return f"{book.text(kernel, part)} of {book.text(kernel, whole)}" if known else None


def _told(id: str, before: str) -> Callable[[KernelDiagnosis, Book], str | None]:
    """Print another quantity beside the bar, where it is known."""

    def note(kernel: KernelDiagnosis, book: Book) -> str | None:
        return f"{before} {book.text(kernel, id)}" if id in kernel.quantities else None

    return note


UNITS = (
    Unit("DRAM", ("dram_throughput_pct", "dram_bandwidth_pct"), _dram),
    Unit("L2", ("l2_throughput_pct",), _told("l2_hit_pct", "hit rate")),
    Unit(
        "L1 / shared",
        ("l1_throughput_active_pct", "l1_throughput_elapsed_pct"),
        _told("l1_hit_pct", "hit rate"),
    ),
    Unit("SM", ("sm_busy_active_pct", "sm_busy_elapsed_pct", "sm_throughput_pct")),
    Unit("Issue slots", ("issue_active_pct", "issue_active"), _told("ipc", "")),
    Unit(
        "Occupancy",
        ("achieved_occupancy_pct",),
        _told("theoretical_occupancy_pct", "possible"),
        "theoretical_occupancy_pct",
    ),
)
_PIPES = ("fma", "alu", "fp16", "fp64", "tensor", "lsu", "xu")


def unit_bars(kernel: KernelDiagnosis, book: Book) -> list[Bar]:
    """Return a bar for every unit, the missing ones with their reason.

    What ran in a range or a graph has no occupancy in common.
    """
    units = [unit for unit in UNITS if unit.ceiling is None or kernel.workload == "kernel"]
    return [unit_bar(kernel, book, unit) for unit in units]


def unit_bar(kernel: KernelDiagnosis, book: Book, unit: Unit) -> Bar:
    """Take the first of a unit's quantities that the kernel has."""
    if unit.ceiling is not None and kernel.workload != "kernel":
        text = words.ABSENCES["not-applicable"]
        return Bar(unit.label, text, None, None, None, None, None)
    has = (q for q in unit.quantities if number(kernel, q) is not None)
    return _bar(kernel, book, unit, next(has, unit.quantities[0]))


def pipe_bars(kernel: KernelDiagnosis, book: Book) -> list[Bar]:
    """Return the pipes that were measured, busiest first."""
    ids = [q for pipe in _PIPES if number(kernel, q := f"pipe_{pipe}_pct") is not None]
    bars = [_bar(kernel, book, Unit(book.label(q), (q,)), q) for q in ids]
    return sorted(bars, key=lambda bar: -(bar.fill or 0.0))


def _bar(kernel: KernelDiagnosis, book: Book, unit: Unit, id: str) -> Bar:
    value, entry = number(kernel, id), book.entry(id)
    scale = 1.0 if id.endswith("_pct") else 100.0
    rough = value is not None and book.rough(kernel, id)
    of = words.of_what(entry.basis) if value is not None else None
    told = [text for text in (of, words.ESTIMATED if rough else None) if text]
    return Bar(
        label=unit.label,
        text=book.reason(kernel, id) if value is None else book.value(id, value),
        rough=rough,
        fill=None if value is None else _fill(value * scale),
        basis=entry.basis,
        of=", ".join(told) or None,
        note=unit.note(kernel, book),
        origin=f"{id}: {origin}" if (origin := book.origin(kernel, id)) else id,
        tick=_ceiling(kernel, unit),
    )


def _ceiling(kernel: KernelDiagnosis, unit: Unit) -> float | None:
    value = number(kernel, unit.ceiling) if unit.ceiling else None
    return None if value is None else _fill(value)


def _fill(value: float) -> float:
    """Keep a bar inside its frame; its text still says what was measured."""
    return round(min(max(value, 0.0), 100.0), 2)


def stalls_view(stalls: Stalls | None) -> StallsView | None:
    """Return the warp states, longest first; those below one percent as one sentence."""
    if stalls is None:
        return None
    ordered = sorted(stalls.fractions.items(), key=lambda item: (-item[1], item[0]))
    large = [_stall(state, part) for state, part in ordered if part >= _SMALL]
    small = [words.plain(state) for state, part in ordered if 0 < part < _SMALL]
    rest = f"Below {percent(100 * _SMALL)} each: {', '.join(small)}." if small else None
    return StallsView(_source(stalls), large, rest)


def _source(stalls: Stalls) -> str:
    if stalls.source == "hardware":
        return "counted by hardware, in every cycle"
    samples = f"{stalls.samples:,} samples" if stalls.samples is not None else "samples"
    return f"sampled: {samples}"


def _stall(state: str, part: float) -> StallBar:
    return StallBar(
        label=words.plain(state),
        text=percent(100 * part),
        fill=_fill(100 * part),
        meaning=words.STALLS.get(state),
        quiet=state in words.QUIET_STATES,
    )

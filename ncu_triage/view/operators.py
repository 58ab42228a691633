"""Operators as cards: theory and measurement side by side, the most to win first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby

from msgspec.structs import replace

from ncu_triage.model import Diagnosis, Operator, OperatorBest, OperatorTensor
from ncu_triage.units import digits, percent, show
from ncu_triage.view import words
from ncu_triage.view.clusters import Cluster, concerned, named
from ncu_triage.view.shown import Card, Fact
from ncu_triage.view.shown_operators import BestRow, OperatorRow, OperatorView

NOTHING = "–"
_NAMED = 4
_LEAST = 0.01  # of a ratio that is printed; below, more digits say nothing
_UNKNOWN = "unknown"
_DRAM = "dram"
_DOUBT, _WRONG = " ?", "the shape or the calls look wrong"
_NO_REACH = "what kernels reach of a compute peak is not known; the nominal time is the least."
_ONE_CALL = "Everything is of one call."
MEANING = (
    f"{_ONE_CALL} In theory each input is read from DRAM once and each output written once; the "
    "best time is what the roofline allows for that, at the bandwidth that can be achieved. "
    "Those with the most time above their best, over all calls, come first."
)


def meaning(diagnosis: Diagnosis) -> str:
    """Say what the numbers of the table mean, and its mark where there is one."""
    marked = any(one.doubtful for one in diagnosis.operators)
    return MEANING + (f" A{_DOUBT} stands where {_WRONG}." if marked else "")


def operators(diagnosis: Diagnosis, found: Sequence[Cluster]) -> list[OperatorView]:
    """Return a card for each operator, by the time that all its calls take above the best."""
    ordered = sorted(enumerate(diagnosis.operators), key=lambda item: (*_order(item[1]), item[0]))
    return [operator(one, f"o-{i}", found) for i, one in ordered]


def on_cards(cards: Sequence[Card], told: Sequence[OperatorView]) -> list[Card]:
    """Say on the kernels' cards which operator they belong to."""
    names: dict[str, list[str]] = defaultdict(list)
    for one in told:
        for anchor in one.cards:
            names[anchor].append(one.name)
    return [
        replace(card, facts=[*card.facts, Fact("Operator", ", ".join(names[card.name.anchor]))])
        if card.name.anchor in names
        else card
        for card in cards
    ]


def operator(one: Operator, anchor: str = "o-0", found: Sequence[Cluster] = ()) -> OperatorView:
    """Arrange one operator; without launches it is a calculation."""
    own = concerned(one.kernels, found)
    kernels, more = named(own, _NAMED)
    time = one.measured.duration if one.measured else None
    mark = _DOUBT if one.doubtful else ""
    return OperatorView(
        anchor=anchor,
        name=one.name,
        title=one.title,
        shape=_shape(one),
        calls=f"{one.calls:,}" if one.calls else NOTHING,
        launches=_launches(one),
        sentence=_sentence(one),
        time=NOTHING if time is None else show(time, "s"),
        best=show(one.best[-1].time, "s") if one.best else NOTHING,
        above=show(above, "s") if (above := _above(one)) is not None and above > 0 else NOTHING,
        over_best=f"{ratio}{mark}" if (ratio := _times(one.time_over_best)) else NOTHING,
        traffic=f"{ratio}{mark}" if (ratio := _times(one.traffic_amplification)) else NOTHING,
        rows=list(_rows(one)),
        roofs=_roofs(one.best),
        roofs_note=_roofs_note(one.best),
        notes=one.notes,
        formulas=list(_formulas(one)),
        kernels=kernels,
        more=more,
        cards=[cluster.name.anchor for cluster in own],
    )


def _above(one: Operator) -> float | None:
    """Return the seconds above the best over all calls, None where they are unknown."""
    time = one.measured.duration if one.measured else None
    return None if time is None or not one.best else (time - one.best[-1].time) * (one.calls or 1)


def _order(one: Operator) -> tuple[bool, float]:
    above = _above(one)
    return above is None, -(above or 0.0)


def _unit(precision: str) -> str:
    """Return what work is counted in: integers are no floating-point operations."""
    return "OP" if "int" in precision or precision == "bool" else "FLOP"


def _shape(one: Operator) -> str:
    given = {n: size for n, size in one.shape.items() if n not in one.defaults}
    sizes = ", ".join(
        name if size is True else f"{name} {size:,.0f}"
        for name, size in given.items()
        if size is not False
    )
    return f"{sizes}; {one.type}"


def _launches(one: Operator) -> str:
    if not one.kernels:
        return one.absent.get("kernels", "")
    launches, calls = len(one.kernels), one.calls or 1
    if launches == calls:
        return words.count(launches, "launch")
    return f"{words.count(launches, 'launch')} in {words.count(calls, 'call')}"


def _sentence(one: Operator) -> str:
    """Say in one sentence how far it is from its best, or why that cannot be said."""
    if one.measured is None:
        return "" if "kernels" not in one.absent else "No launch of this report matches it."
    time = one.time_over_best and f"takes {_times(one.time_over_best)} the roofline's best time"
    moved = one.traffic_amplification
    traffic = moved is not None and f"moves {_times(moved)} the least bytes"
    told = [text for text in (time, traffic) if text]
    if told:
        if one.doubtful:
            return f"As it is given, it {' and '.join(told)}: {_WRONG}."
        return f"It {' and '.join(told)}."
    missing = one.absent.get("duration") or one.absent.get("best") or _UNKNOWN
    return f"How far it is from its best cannot be said: {missing}."


def _times(ratio: float | None) -> str | None:
    if ratio is None:
        return None
    return f"{digits(ratio)} ×" if ratio >= _LEAST else f"<{_LEAST} ×"


def _rows(one: Operator) -> Iterator[OperatorRow]:
    yield from _time_row(one)
    read, written = (show(value, "byte") for value in (one.bytes_read, one.bytes_written))
    least = show(one.bytes_read + one.bytes_written, "byte")
    moved = _measured(one, "dram_bytes", "byte")
    if one.measured and one.measured.estimated:
        moved = f"{moved} (estimate)"
    traffic = _times(one.traffic_amplification)
    label = "DRAM bytes" if one.measured else "Least bytes"
    yield OperatorRow(label, least, moved, traffic, f"read {read}, written {written}")
    unit = _unit(one.type)
    flops = show(one.flops, unit) if one.flops else "none"
    counted = _measured(one, "flops", unit)
    yield OperatorRow(f"{unit}s", flops, counted, _times(one.work_amplification), None)
    yield from _intensity_row(one)
    yield from _useful_row(one)


def _time_row(one: Operator) -> Iterator[OperatorRow]:
    if one.measured is None:
        return
    taken = _measured(one, "duration", "s")
    if not one.best:
        yield OperatorRow("Time", NOTHING, taken, None, one.absent.get("best"))
        return
    nominal, best = one.best[0], one.best[-1]
    note = f"best by {_limit(best)}"
    if nominal.time != best.time:
        note += f"; {show(nominal.time, 's')} at nominal bandwidth"
    over = _times(one.time_over_best)
    yield OperatorRow("Time", show(best.time, "s"), taken, over, note)


def _intensity_row(one: Operator) -> Iterator[OperatorRow]:
    if not one.flops:
        return
    reached = one.intensity_measured
    counted = one.measured is not None and one.measured.flops is not None
    unit = _unit(one.type)
    work = f"{unit}s counted" if counted else f"{unit}s in theory, for none were counted,"
    yield OperatorRow(
        "Intensity",
        show(one.intensity, f"{unit}/byte"),
        show(reached, f"{unit}/byte") if reached is not None else _reason(one, "dram_bytes"),
        None,
        f"measured: {work} over DRAM bytes" if reached is not None else None,
    )


def _useful_row(one: Operator) -> Iterator[OperatorRow]:
    if one.useful_pct is None:
        return
    larger = {name: size for name, size in one.padded.items() if size != one.shape[name]}
    sizes = ", ".join(f"{name} {one.shape[name]:,.0f} as {larger[name]:,.0f}" for name in larger)
    lost = f"{percent(100 - one.useful_pct)} lost to padding: {sizes}"
    lost = lost if larger else "nothing lost to padding"
    yield OperatorRow("Useful work", percent(one.useful_pct), None, None, lost)


def _measured(one: Operator, field: str, unit: str) -> str | None:
    """Print a measured number, or why there is none; None where nothing was measured at all."""
    if one.measured is None:
        return None
    value: float | None = getattr(one.measured, field)
    if value == 0 and field == "flops":
        return "none"
    return show(value, unit) if value is not None else _reason(one, field)


def _reason(one: Operator, field: str) -> str | None:
    return one.absent.get(field, _UNKNOWN) if one.measured else None


def _roofs(best: Sequence[OperatorBest]) -> list[BestRow]:
    """Put the two times of each GPU side by side."""
    made = []
    for gpu, pair in groupby(best, key=lambda one: one.gpu):
        times = {one.nominal: one for one in pair}
        last = times.get(False) or times[True]
        made.append(
            BestRow(
                gpu=gpu,
                nominal=show(times[True].time, "s") if True in times else NOTHING,
                achievable=show(last.time, "s") if last.limited_by == _DRAM else NOTHING,
                limit=_limit(last),
                source=_source(times.get(True, last), last),
            )
        )
    return made


def _roofs_note(best: Sequence[OperatorBest]) -> str | None:
    """Say why no achievable time stands where compute limits: nothing below nominal is known."""
    if all(one.nominal or one.limited_by == _DRAM for one in best):
        return None
    return f"{NOTHING}: {_NO_REACH}"


def _source(nominal: OperatorBest, best: OperatorBest) -> str:
    """Name both roofs with their values and where they come from."""
    parts = []
    if nominal.bandwidth:
        text = f"DRAM {show(nominal.bandwidth, 'byte/s')} nominal ({nominal.bandwidth_source})"
        reach = show(best.bandwidth or 0.0, "byte/s")
        parts.append(f"{text}, {reach} achievable ({best.bandwidth_source})")
    if best.compute and best.precision:
        value = show(best.compute, f"{_unit(best.precision)}/s")
        parts.append(f"{words.precision(best.precision)} {value} ({best.compute_source})")
    return "; ".join(parts)


def _limit(best: OperatorBest) -> str:
    """Name the roof that limits an operator, with its value and what is not known of the other."""
    if best.limited_by == _DRAM:
        text = f"DRAM bandwidth, {show(best.bandwidth or 0.0, 'byte/s')}"
        return text if best.compute else f"{text} (the compute roof is not known)"
    peak = show(best.compute or 0.0, f"{_unit(best.limited_by)}/s")
    text = f"{words.precision(best.limited_by)} compute, {peak}"
    return text if best.bandwidth else f"{text} (the bandwidth is not known)"


def _formulas(one: Operator) -> Iterator[Fact]:
    """Show how the numbers in theory come about, so that anyone can check them."""
    work = f"{one.flops_formula} = {one.flops:,.0f}" if one.flops else "none"
    unit = _unit(one.type)
    yield Fact(f"{unit}s", work)
    for tensor in one.tensors:
        yield Fact(f"{tensor.name} {tensor.access}", _tensor(tensor))
    total = one.bytes_read + one.bytes_written
    yield Fact("Least bytes", f"{total:,.0f}")
    if one.flops:
        intensity = f"{one.flops:,.0f} / {total:,.0f} = {digits(one.intensity, 4)} {unit}/byte"
        yield Fact("Intensity", intensity)
    yield from (Fact(roof.gpu, roof.source) for roof in _roofs(one.best))


def _tensor(tensor: OperatorTensor) -> str:
    size = tensor.bytes / tensor.elements
    return f"{tensor.formula} = {tensor.elements:,.0f} × {size:g} B ({tensor.type})"

"""The rooflines of a report: one for each GPU, precision and memory level."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from ncu_triage.model import Ceiling, Device, Diagnosis, RooflinePoint
from ncu_triage.units import percent
from ncu_triage.view import words
from ncu_triage.view.axes import axis, room_after, with_labels
from ncu_triage.view.clusters import Cluster, named, shape
from ncu_triage.view.roof_lines import roof_captions, roof_lines, roof_name, value_text
from ncu_triage.view.roof_points import (
    BANDWIDTH_ALONE,
    bandwidth_text,
    ceilings,
    describe,
    ridge_text,
    units,
)
from ncu_triage.view.roof_sets import (
    ALL,
    Key,
    Placed,
    main_points,
    main_seconds,
    precisions,
    together,
)
from ncu_triage.view.shown_roof import Axis, Chart, Dot, Ridge, Roofs, StripRow, Unplaced

_SMALLEST, _LARGEST = 10.0, 46.0  # diameters in pixels; the area between is the share
_NAMED = 6
_LEAST_WIDE, _LEAST_HIGH = 3.0, 2.5  # decades
_AFTER_RIDGE = 3.0  # so far goes the flat part of a roof at least
_DIFFER = 1.02  # ceilings of one name that differ by more are worth a remark
_LEVELS = ("DRAM", "L2", "L1")


def roofs(diagnosis: Diagnosis, found: Sequence[Cluster]) -> Roofs:
    """Place every group: in a chart, in the strip of bandwidths, or with a reason."""
    placed: dict[Key, list[Placed]] = defaultdict(list)
    strip, nowhere = [], []
    for cluster in found:
        roofline = cluster.speaker.roofline
        if not roofline.placed:
            nowhere.append((cluster, roofline.why_not or words.UNKNOWN))
        for point in roofline.points if roofline.placed else []:
            if point.precision == BANDWIDTH_ALONE:
                strip.append(_strip_row(cluster, point))
            elif point.intensity > 0 and point.performance > 0:
                key = Key(cluster.speaker.device, point.precision, point.level)
                placed[key].append(Placed(cluster, point))
    main = main_points(placed)
    placed |= together(main)
    ordered = sorted(placed, key=lambda key: _order(key, main_seconds(key, placed[key], main)))
    charts = [_chart(i, key, placed[key], diagnosis) for i, key in enumerate(ordered)]
    marks = {dot.mark.kind: dot.mark for chart in charts for dot in chart.dots}
    return Roofs(charts, strip, _unplaced(nowhere), [marks[kind] for kind in sorted(marks)])


def _order(key: Key, seconds: float) -> tuple[float, str, int, int]:
    """Put what covers the most time first, and DRAM before the caches."""
    level = _LEVELS.index(key.level) if key.level in _LEVELS else len(_LEVELS)
    return (-seconds if level == 0 else 1.0, key.precision, level, key.device or 0)


def _chart(i: int, key: Key, members: Sequence[Placed], diagnosis: Diagnosis) -> Chart:
    unit, work, level = units(key.precision), _work(key), words.level(key.level)
    by_precision = [_highest(members, "compute", name) for name in precisions(key, members)]
    compute = [ceiling for roofs in by_precision for ceiling in roofs]
    bandwidth = _highest(members, "bandwidth", key.level)
    dots = [_dot(one, key) for one in members]
    ridges = [c.value / b.value for c in compute for b in bandwidth if b.value > 0]
    beside = [ridge * _AFTER_RIDGE for ridge in ridges]
    wide = [*(dot.x for dot in dots), *ridges, *beside]
    high = [*(dot.y for dot in dots), *(c.value for c in compute)]
    x = axis(f"{work} per byte of {level}", unit.x, wide, _LEAST_WIDE)
    y = axis(f"{work} per second", unit.y, high, _LEAST_HIGH)
    captions = roof_captions(by_precision, bandwidth, x, y)
    return Chart(
        id=f"roof-{i}",
        label=_label(key, diagnosis.devices),
        x=x,
        y=y,
        lines=roof_lines(compute, bandwidth, x, y),
        dots=with_labels(dots, captions, x, y),
        captions=captions,
        ridges=_ridges(by_precision, bandwidth, x, unit.x),
        notes=_notes(members, key),
    )


def _work(key: Key) -> str:
    if key.precision == ALL:
        return "Floating-point work"
    return "Instructions" if key.precision == "inst" else f"{words.precision(key.precision)} work"


def _label(key: Key, devices: Sequence[Device]) -> str:
    text = f"{words.precision(key.precision)} · {words.level(key.level)}"
    if key.device is None or len(devices) < 2:
        return text
    return f"{text} · {devices[key.device].name}"


def _highest(members: Sequence[Placed], kind: str, name: str) -> list[Ceiling]:
    """Return the highest nominal and the highest achievable roof over all kernels."""
    best: dict[bool, Ceiling] = {}
    for one in members:
        for ceiling in ceilings(one.cluster.speaker, kind, name):
            known = best.get(ceiling.nominal)
            if known is None or ceiling.value > known.value:
                best[ceiling.nominal] = ceiling
    return [best[nominal] for nominal in (True, False) if nominal in best]


def _ridges(
    by_precision: Sequence[Sequence[Ceiling]], bandwidth: Sequence[Ceiling], x: Axis, unit: str
) -> list[Ridge]:
    """Mark where each precision's roof begins to be flat; of several, each by name."""
    found: list[Ridge] = []
    for compute in by_precision if bandwidth else []:
        if compute:
            at = compute[0].value / bandwidth[0].value
            name = f"{words.precision(compute[0].name)} " if len(by_precision) > 1 else ""
            text = f"{name}ridge at {ridge_text(compute, bandwidth, unit)}"
            left = not room_after(at, x, text)
            found.append(Ridge(at, compute[0].value, text, left, row=len(found)))
    return found


def _dot(one: Placed, key: Key) -> Dot:
    cluster, share = one.cluster, one.cluster.share
    area = (share or 0.0) / 100
    size = math.sqrt(_SMALLEST**2 + (_LARGEST**2 - _SMALLEST**2) * area)
    time = f"{percent(share)} of the time" if share is not None else "time unknown"
    about = [
        shape(cluster.group),
        f"{time}, {words.count(cluster.group.launches, 'launch')}",
        words.mark(cluster.speaker.bottleneck.kind).label,
    ]
    return Dot(
        name=cluster.name,
        launch=cluster.speaker.id,
        share=share,
        mark=words.mark(cluster.speaker.bottleneck.kind),
        x=one.point.intensity,
        y=one.point.performance,
        size=round(size, 1),
        label="",
        left=False,
        tip=_tip(one, key),
        about=[line for line in about if line],
    )


def _tip(one: Placed, key: Key) -> str:
    """Say where a dot lies; among several precisions, by which of them."""
    place = describe(one.cluster.speaker, one.point)
    return f"{words.precision(one.point.precision)}: {place}" if key.precision == ALL else place


def _notes(members: Sequence[Placed], key: Key) -> list[str]:
    """Say where roofs come from, and that they differ between kernels where they do."""
    known = any(ceilings(one.cluster.speaker, "bandwidth", key.level) for one in members)
    notes = [] if known else [f"No {words.level(key.level)} roof: its peak was not collected."]
    names = [("compute", name) for name in precisions(key, members)]
    for kind, name in [("bandwidth", key.level), *names]:
        values = [c for one in members for c in ceilings(one.cluster.speaker, kind, name)]
        for nominal in (True, False):
            same = [c for c in values if c.nominal is nominal]
            if same:
                notes.append(_note(same))
    return notes


def _note(same: Sequence[Ceiling]) -> str:
    """Name a roof's source; the chart shows the highest of those that differ."""
    top, low = max(same, key=lambda c: c.value), min(same, key=lambda c: c.value)
    differ = low.value > 0 and top.value / low.value > _DIFFER
    lowest = f"; the lowest of the kernels' is {value_text(low)}" if differ else ""
    return f"{roof_name(top)}: {value_text(top)} ({top.source}){lowest}."


def _strip_row(cluster: Cluster, point: RooflinePoint) -> StripRow:
    roofs = {c.nominal: c.value for c in ceilings(cluster.speaker, "bandwidth", point.level)}
    full = roofs.get(True) or roofs.get(False)
    achievable = roofs.get(False)
    return StripRow(
        name=cluster.name,
        shape=shape(cluster.group),
        mark=words.mark(cluster.speaker.bottleneck.kind),
        text=bandwidth_text(cluster.speaker, point),
        share=percent(cluster.share) if cluster.share is not None else "unknown",
        fill=min(100.0, 100 * point.performance / full) if full else 0.0,
        tick=100 * achievable / full if achievable and full else None,
    )


def _unplaced(nowhere: Sequence[tuple[Cluster, str]]) -> list[Unplaced]:
    """Put kernels together that miss the same thing."""
    reasons: Mapping[str, list[Cluster]] = defaultdict(list)
    for cluster, why in nowhere:
        reasons[why].append(cluster)
    made = []
    for why, hit in reasons.items():
        kernels, more = named(hit, _NAMED)
        made.append(Unplaced(why, kernels, more, percent(sum(c.share or 0.0 for c in hit))))
    return made

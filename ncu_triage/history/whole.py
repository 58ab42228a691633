"""A benchmark as a whole over time: the time of all its launches."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from ncu_triage.history.events import Trend
from ncu_triage.history.read import KernelKey
from ncu_triage.history.series import Point

_NAME = "whole report"


def whole(trends: Sequence[Trend]) -> Trend:
    """Put all kernels of one benchmark together; a report that was cut has no total."""
    first = trends[0]
    parts: dict[int, list[Point]] = defaultdict(list)
    for trend in trends:
        for point in trend.points:
            parts[point.report].append(point)
    points = [_total(parts[r.id]) for r in first.reports if r.complete and r.id in parts]
    benchmark = first.kernel.benchmark
    kernel = KernelKey(0, benchmark, _NAME, _NAME, "kernel", None, None, "")
    timed = [point for point in points if point.duration]
    return Trend(kernel, timed, first.reports, [], first.ways)


def _total(points: Sequence[Point]) -> Point:
    """Add kernels up; their standard errors are independent, and launches share theirs."""
    total = sum(point.total or 0.0 for point in points)
    error = math.sqrt(sum((point.spread * (point.total or 0.0)) ** 2 for point in points))
    return Point(
        report=points[0].report,
        at=points[0].at,
        duration=total or None,
        launches=sum(point.launches for point in points),
        spread=error / total if total else 0.0,
    )

"""Matrix-vector products, and the batch at which they would leave the bandwidth roof."""

from __future__ import annotations

from collections.abc import Sequence

from ncu_triage.engine.numbers import numbers
from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Case,
    Theme,
    Whole,
    by_name,
    entry,
    guess,
    ranked,
    seconds,
)
from ncu_triage.model import Kernel, KernelDiagnosis

_RULE = "gemv-like"


def gemv(whole: Whole) -> Theme:
    """Add up the launches that the rule `gemv-like` fired on."""
    alone = len(whole.kernels) < 2
    if not whole.seconds or not (alone or any(map(_decided, whole.kernels))):
        return Theme()
    found = by_name(k for k in whole.kernels if any(f.rule == _RULE for f in k.findings))
    every = [k for ks in found.values() for k in ks]
    return Theme(_numbers(every, whole), ranked(map(_case, found.values())))


def _decided(kernel: KernelDiagnosis) -> bool:
    short = kernel.bottleneck.kind == "launch-dominated"
    return short or all(one.rule != _RULE for one in kernel.undecided)


def _numbers(launches: Sequence[Kernel], whole: Whole) -> dict[str, float]:
    time = sum(map(seconds, launches))
    found = {
        "gemv_launches": float(len(launches)),
        "gemv_time": time,
        "gemv_time_pct": whole.share(time),
    }
    batch = _typical_batch(launches)
    return found | ({} if batch is None else {"gemv_batch": batch})


def _typical_batch(launches: Sequence[Kernel]) -> float | None:
    """Return the batch at the ridge that half of the time lies below."""
    known = sorted(
        (batch, seconds(k)) for k in launches if (batch := numbers(k).get("batch_at_ridge"))
    )
    half, below = sum(time for _, time in known) / 2, 0.0
    for batch, time in known:
        below += time
        if below >= half:
            return batch
    return None


def _case(launches: Sequence[Kernel]) -> Case:
    batch = _typical_batch(launches)
    time = sum(map(seconds, launches))
    return Case([k.id for k in launches], time, {} if batch is None else {"gemv_batch": batch})


ENTRIES = {
    "gemv_launches": entry("launch", "GEMV-like launches", f"count of launches with {_RULE}"),
    "gemv_time": entry("s", "Time in them", "sum of duration"),
    "gemv_time_pct": entry("%", "Time in them", "100 * gemv_time / total_duration", ALL_TIME),
    "gemv_batch": guess(
        "", "Batch at the ridge", "median of batch_at_ridge, each launch weighing as its time"
    ),
}

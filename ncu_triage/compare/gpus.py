"""Whether both sides ran on the same GPU, as far as both say which it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ncu_triage.compare.comparison import Caveat
from ncu_triage.compare.match import Pair
from ncu_triage.compare.reports import MOST
from ncu_triage.compare.runs import gpu_name
from ncu_triage.model import Device, Diagnosis, KernelDiagnosis

_UNSAID = ("", "unknown", "unknown GPU")


def gpus(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> Iterator[Caveat]:
    """Yield a caveat for each two GPUs that differ; what one side leaves out is a caution."""
    both = _of_pairs(before, after, pairs) if pairs else _of_all(before, after)
    differ = [(mine, yours) for mine, yours in both if _other(mine, yours)]
    for mine, yours in differ[:MOST]:
        yield Caveat(
            topic="gpu",
            refuses=True,
            text=f"Another GPU: {_called(mine)} before, {_called(yours)} after.",
            effect="Times, cycles and percentages differ by the GPU alone.",
        )
    sides = [side for i, side in enumerate(("BEFORE", "AFTER")) if any(_unsaid(p[i]) for p in both)]
    if len(sides) == 1 and not differ:
        yield Caveat(
            topic="gpu",
            refuses=False,
            text=f"{sides[0]} does not say which GPU it ran on.",
            effect="On another GPU, times, cycles and percentages would differ by that alone.",
        )


_Two = tuple[Device | None, Device | None]


def _of_pairs(before: Diagnosis, after: Diagnosis, pairs: Sequence[Pair]) -> list[_Two]:
    found = {
        (_of(before, pair.before.speaker), _of(after, pair.after.speaker)): None for pair in pairs
    }
    return sorted(found, key=lambda two: [_called(one) for one in two])


def _of_all(before: Diagnosis, after: Diagnosis) -> list[_Two]:
    """Return the GPUs of reports that share no kernel, unless they share one of them."""
    both = [(mine, yours) for mine in before.devices for yours in after.devices]
    return list(both) if all(_other(mine, yours) for mine, yours in both) else []


def _of(diagnosis: Diagnosis, kernel: KernelDiagnosis) -> Device | None:
    if kernel.device is None or not 0 <= kernel.device < len(diagnosis.devices):
        return None
    return diagnosis.devices[kernel.device]


def _other(mine: Device | None, yours: Device | None) -> bool:
    """Say whether two GPUs differ in what both sides say: name, capability, SMs."""
    if mine is None or yours is None:
        return False
    pairs = (
        (mine.name, yours.name),
        (mine.compute_capability, yours.compute_capability),
        (mine.sm_count, yours.sm_count),
    )
    return any(a != b for a, b in pairs if a and b and not {a, b} & set(_UNSAID))


def _called(device: Device | None) -> str:
    return gpu_name(device) if device else ""


def _unsaid(device: Device | None) -> bool:
    return device is None or device.name in _UNSAID

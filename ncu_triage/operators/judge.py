"""Hold the operators of a user's file against the launches of a diagnosis."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from ncu_triage.model import Diagnosis, KernelDiagnosis, Operator, OperatorMeasured
from ncu_triage.operators.case import Case
from ncu_triage.operators.doubts import doubts
from ncu_triage.operators.kind import Dimension, Kind
from ncu_triage.operators.match import Matched, matched, nearest
from ncu_triage.operators.plan import Plan
from ncu_triage.operators.remarks import NOT_COLLECTED, collect, remarks
from ncu_triage.operators.roofs import best_times, roofs_of_launch, wanted_precisions
from ncu_triage.operators.theory import Given, Theory

NO_LAUNCH = "no launch matches"
_INTEGERS = "integers are not counted"
_REASONS = {
    "not-collected": NOT_COLLECTED,
    "not-on-this-gpu": "this GPU does not count it",
    "nan": "its counter failed",
    "suspect": "suspect, so not used",
}


def with_operators(diagnosis: Diagnosis, plan: Plan) -> Diagnosis:
    """Add the operators to a diagnosis. Raises UsageError where two claim one launch."""
    found = [_operator(one, diagnosis) for one in matched(plan, diagnosis.kernels)]
    return replace(diagnosis, operators=found)


def unmatched(diagnosis: Diagnosis, plan: Plan) -> list[str]:
    """Say in a line for each operator without a launch what there is instead."""
    return [
        f"{entry.place}: {NO_LAUNCH}; {nearest(entry, diagnosis.kernels)}"
        for entry, found in zip(plan.entries, diagnosis.operators, strict=True)
        if not found.kernels and diagnosis.kernels
    ]


def in_theory(name: str, kind: Kind, given: Given, theory: Theory) -> Operator:
    """Describe an operator by its formulas alone."""
    return Operator(
        name=name,
        kind=kind.id,
        title=kind.title,
        shape={d.name: _as_given(d, theory.shape[d.name]) for d in kind.dimensions},
        defaults=[dimension for dimension in theory.shape if dimension not in given.shape],
        type=given.type,
        flops=theory.flops,
        flops_formula=kind.flops,
        tensors=theory.tensors,
        bytes_read=theory.read,
        bytes_written=theory.written,
        intensity=theory.flops / theory.bytes,
        padded=theory.padded,
        useful_pct=theory.useful_pct,
        absent=_no_padding(theory),
    )


def _no_padding(theory: Theory) -> dict[str, str]:
    if theory.useful_pct is not None:
        return {}
    reason = "it has no FLOPs to lose" if theory.padded else "no tile or padded size given"
    return {"useful_pct": reason}


def _as_given(dimension: Dimension, size: float) -> float | bool:
    return bool(size) if dimension.flag else size


def _operator(one: Matched, diagnosis: Diagnosis) -> Operator:
    entry = one.entry
    plain = in_theory(entry.name, entry.kind, entry.given, entry.theory)
    if not one.launches:
        return replace(plain, absent={**plain.absent, "kernels": NO_LAUNCH})
    measured, absent = _measured(one, diagnosis)
    case = _case(one, measured, diagnosis)
    if not case.best:
        absent["best"] = "the report tells neither bandwidth nor clocks of its GPU"
    moved = measured.dram_bytes
    work = entry.theory.flops if measured.flops is None else measured.flops
    return replace(
        plain,
        kernels=[kernel.id for kernel in one.launches],
        calls=one.calls,
        measured=measured,
        best=case.best,
        intensity_measured=work / moved if moved else None,
        traffic_amplification=case.traffic,
        work_amplification=case.work,
        time_over_best=case.over_best,
        doubtful=bool(doubts(case)),
        absent={**plain.absent, **absent},
        notes=[*remarks(case), *collect(case, absent)],
    )


def _case(one: Matched, measured: OperatorMeasured, diagnosis: Diagnosis) -> Case:
    """Put everything together; the longest launch tells the GPU and its clock."""
    chief = max(one.launches, key=lambda kernel: _number(kernel, "duration") or 0.0)
    device = None if chief.device is None else diagnosis.devices[chief.device]
    wanted = wanted_precisions(one.entry.given.type, one.entry.kind.math)
    best = best_times(one.entry.theory, roofs_of_launch(chief, device, wanted))
    l2 = device.l2_bytes if device else None
    return Case(one, one.entry.theory, measured, best, l2)


def _measured(one: Matched, diagnosis: Diagnosis) -> tuple[OperatorMeasured, dict[str, str]]:
    """Add the launches up and divide by the calls; one without a number leaves none."""
    absent = {}
    sums: dict[str, float] = {}
    for quantity in ("duration", "dram_bytes", "flops"):
        if quantity == "flops" and _is_integer_work(one):
            absent["flops"] = _INTEGERS
            continue
        values = [_amount(kernel, quantity) for kernel in one.launches]
        known = [value for value in values if value is not None]
        if len(known) == len(values):
            sums[quantity] = sum(known) / one.calls
        else:
            absent[quantity] = _why(one.launches, quantity, len(values) - len(known))
    estimated = any(_estimated(kernel, diagnosis) for kernel in one.launches)
    return OperatorMeasured(**sums, estimated=estimated and "dram_bytes" in sums), absent


def _is_integer_work(one: Matched) -> bool:
    """Say whether no counter of FLOPs sees the work; tensor cores count theirs."""
    type, math = one.entry.given.type, one.entry.kind.math
    return math == "vector" and (type.startswith("int") or type == "bool")


def _amount(kernel: KernelDiagnosis, quantity: str) -> float | None:
    """Return seconds, bytes or FLOPs of a launch; FLOPs are a rate in the quantities."""
    value = _number(kernel, quantity)
    if quantity != "flops" or value is None:
        return value
    duration = _number(kernel, "duration")
    return None if duration is None else value * duration


def _number(kernel: KernelDiagnosis, quantity: str) -> float | None:
    value = kernel.quantities.get(quantity)
    return value if isinstance(value, float) else None


def _why(launches: Sequence[KernelDiagnosis], quantity: str, missing: int) -> str:
    """Say why a sum is missing, and in how many launches."""
    reasons = [k.absent[quantity] for k in launches if quantity in k.absent]
    reason = _REASONS.get(reasons[0] if reasons else "not-collected", "no value in the report")
    some = "" if missing == len(launches) else f" in {missing:,} of {len(launches):,} launches"
    return f"{reason}{some}"


def _estimated(kernel: KernelDiagnosis, diagnosis: Diagnosis) -> bool:
    origin = kernel.provenance.get("dram_bytes") or diagnosis.catalogue.get("dram_bytes")
    return origin is not None and origin.estimated

"""Floating-point work by precision, and the peaks it is held against.

An FMA counts as two operations; half-precision instructions are packed, so they count
twice as many. Tensor work stands apart: it belongs to the tensor roof alone.
"""

from ncu_triage.gpus import facts
from ncu_triage.quantities import tensor
from ncu_triage.quantities.catalogue import Quantity, quantity
from ncu_triage.quantities.gpu import compute_capability, product_name
from ncu_triage.quantities.ways import Computed, Formula, Numbers, formula

_HISTOGRAM = "sass__thread_inst_executed_true_per_opcode"
_COUNTER = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum.per_cycle_elapsed"
_PEAK = "sm__sass_thread_inst_executed_op_{}_pred_on.sum.peak_sustained"
_WORDS = {"d": "double", "f": "single", "h": "half"}
_OPCODES = {
    "d": {"DADD": 1.0, "DMUL": 1.0, "DFMA": 2.0},
    "f": {"FADD": 1.0, "FMUL": 1.0, "FFMA": 2.0},
    "h": {"HADD2": 2.0, "HMUL2": 2.0, "HFMA2": 4.0},
}


def _counted(letter: str, packed: int) -> Formula:
    add, mul, fma = (f"[{_COUNTER.format(letter + op)}]" for op in ("add", "mul", "fma"))
    factor = f"{packed} * " if packed > 1 else ""
    return formula(f"{factor}({add} + {mul} + 2 * {fma}) * sm_clock")


def _from_opcodes(letter: str) -> Computed:
    """Count by the executed opcodes; agrees with the counters to four digits."""
    weights = _OPCODES[letter]

    def read(numbers: Numbers) -> float | None:
        counts = numbers.histogram(_HISTOGRAM)
        duration = numbers.number("duration")
        if counts is None or not duration:
            return None
        return sum(counts.get(op, 0.0) * weight for op, weight in weights.items()) / duration

    text = " + ".join(f"{weight:g} * {op}" for op, weight in weights.items())
    return Computed(read, f"({text}) / duration", (_HISTOGRAM,), ("duration",))


def _tabled_peak(precision: str) -> Computed:
    """Fall back on the architecture's rate per SM and clock."""

    def read(numbers: Numbers) -> float | None:
        sm_count, clock = numbers.number("sm_count"), numbers.number("sm_clock")
        capability = compute_capability(numbers)
        if not capability or not sm_count or not clock:
            return None
        rate = facts.rate(capability, product_name(numbers), precision)
        return rate.flops_per_clock_per_sm * sm_count * clock if rate else None

    text = f"{precision} rate of the architecture * sm_count * sm_clock"
    return Computed(read, text, (), ("sm_count", "sm_clock"), estimated=True)


def _tensor_ratio(numbers: Numbers) -> float | None:
    """Return how much faster tensor cores are than the fp32 pipe; 0 where there are none."""
    capability, name = compute_capability(numbers), product_name(numbers)
    if capability is None:
        return None
    if facts.has_tensor_cores(capability, name) is False:
        return 0.0
    tensor, fp32 = (facts.rate(capability, name, kind) for kind in ("tensor_fp16", "fp32"))
    return tensor.flops_per_clock_per_sm / fp32.flops_per_clock_per_sm if tensor and fp32 else None


def _work(precision: str, letter: str, packed: int) -> Quantity:
    label = f"{_WORDS[letter].capitalize()}-precision work"
    ways = (_counted(letter, packed), _from_opcodes(letter))
    return quantity(f"flops_{precision}", "FLOP/s", label, *ways)


def _peak(precision: str, letter: str, packed: int) -> Quantity:
    label = f"{_WORDS[letter].capitalize()}-precision peak"
    counted = formula(f"{2 * packed} * [{_PEAK.format(letter + 'fma')}] * sm_clock")
    return quantity(f"peak_flops_{precision}", "FLOP/s", label, counted, _tabled_peak(precision))


QUANTITIES = (
    _work("fp64", "d", 1),
    _work("fp32", "f", 1),
    _work("fp16", "h", 2),
    quantity(
        "flops_tensor",
        "FLOP/s",
        "Tensor work",
        Computed(tensor.from_counters, "sum of the tensor operation counters over time"),
        Computed(
            tensor.from_shapes,
            "2 * m * n * k * instructions over the matrix opcodes / duration",
            (tensor.MODIFIERS,),
            ("duration",),
        ),
    ),
    quantity(
        "tensor_precision",
        "",
        "Main tensor input type",
        Computed(tensor.main_type, "the type with most tensor operations"),
    ),
    _peak("fp64", "d", 1),
    _peak("fp32", "f", 1),
    _peak("fp16", "h", 2),
    quantity(
        "peak_flops_tensor",
        "FLOP/s",
        "Dense tensor peak",
        Computed(tensor.counted_peak, "dense peak of the main tensor input type * sm_clock"),
        Computed(
            tensor.tabled_peak,
            "dense tensor rate of the architecture * sm_count * sm_clock",
            (),
            ("sm_count", "sm_clock"),
            estimated=True,
        ),
    ),
    quantity(
        "tensor_over_fp32_rate",
        "",
        "Dense fp16 tensor rate over fp32 rate",
        Computed(_tensor_ratio, "rates of the architecture", estimated=True),
    ),
    quantity(
        "fp32_over_fp64_rate",
        "",
        "fp32 rate over fp64 rate",
        formula("peak_flops_fp32 / peak_flops_fp64"),
    ),
)

"""DRAM traffic, and what it is measured against."""

from ncu_triage.gpus import facts
from ncu_triage.model import Provenance
from ncu_triage.quantities.catalogue import DRAM_COUNTERS, Labels, Quantity, quantity
from ncu_triage.quantities.gpu import compute_capability, product_name
from ncu_triage.quantities.ways import Computed, Numbers, Reading, Way, formula

# Cycles and time come from different replay passes, so a short kernel's DRAM clock is
# unreliable; a larger disagreement with the nominal rate has the same cause, or a
# counter that includes a partition which is switched off.
_SHORT = 20e-6
_DISAGREEMENT = 0.05

# What L2 misses comes from DRAM; writes that leave L2 later are not seen. The only way
# on integrated GPUs, which count no DRAM traffic.
_L2_MISSES = "32 * [lts__t_sectors_srcunit_tex_lookup_miss.sum]"

_ATTRIBUTES = (
    "device__attribute_memory_clock_rate",
    "device__attribute_global_memory_bus_width",
)


def _nominal(numbers: Numbers) -> float | None:
    """Two transfers a clock over the bus width; the attribute is in kHz and bits."""
    clock, width = (numbers.metric(name) for name in _ATTRIBUTES)
    if not clock or not width or numbers.number("integrated") == 1.0:
        return None
    return 2 * clock * 1e3 * width / 8


def _peak(numbers: Numbers) -> Reading | None:
    """Take the counter's peak at the report's clock, unless the attributes know better."""
    counted = numbers.number("dram_peak_counted")
    nominal = numbers.number("dram_peak_nominal")
    if nominal is not None and (counted is None or _misread(numbers, counted / nominal)):
        return _chosen("dram_peak_nominal", nominal)
    return _chosen("dram_peak_counted", counted) if counted is not None else None


def _misread(numbers: Numbers, ratio: float) -> bool:
    duration = numbers.number("duration")
    return abs(ratio - 1) > _DISAGREEMENT or (duration is not None and duration < _SHORT)


def _chosen(id: str, value: float) -> Reading:
    return Reading(value, Provenance(formula=id, inputs=[id]))


def _product_bandwidth(numbers: Numbers) -> float | None:
    """Look up the data sheet: an integrated GPU's attributes do not tell its bandwidth."""
    capability = compute_capability(numbers)
    if numbers.number("integrated") != 1.0 or capability is None:
        return None
    sm_count = numbers.number("sm_count")
    product = facts.product(product_name(numbers), capability, int(sm_count) if sm_count else None)
    return product.dram_bandwidth if product else None


def _dram(id: str, unit: str, label: str, *ways: Way | str, basis: str | None = None) -> Quantity:
    return quantity(id, unit, Labels(label, basis, DRAM_COUNTERS), *ways)


QUANTITIES = (
    _dram(
        "dram_throughput_pct",
        "%",
        "DRAM throughput",
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__bytes.avg.pct_of_peak_sustained_elapsed",
        "dram__bytes.sum.pct_of_peak_sustained_elapsed",
        "dram__cycles_active.avg.pct_of_peak_sustained_elapsed",
        "fbpa__sol_pct",
        # The estimates below rest on this percentage, so it must not rest on them.
        formula("100 * (dram_bytes_read + dram_bytes_written) / duration / dram_peak_bandwidth"),
        formula("100 * [dram__bytes.sum.per_second] / dram_peak_bandwidth"),
        formula(f"100 * {_L2_MISSES} / duration / dram_peak_bandwidth", estimated=True),
        basis="elapsed",
    ),
    _dram(
        "dram_bytes_read",
        "byte",
        "DRAM bytes read",
        "dram__bytes_read.sum",
        "dram__bytes_op_read.sum",
        formula("32 * [dram__sectors_read.sum]"),
        formula("[dram__bytes_read.sum.per_second] * duration"),
    ),
    _dram(
        "dram_bytes_written",
        "byte",
        "DRAM bytes written",
        "dram__bytes_write.sum",
        "dram__bytes_op_write.sum",
        formula("32 * [dram__sectors_write.sum]"),
        formula("[dram__bytes_write.sum.per_second] * duration"),
    ),
    _dram(
        "dram_bytes",
        "byte",
        "DRAM bytes moved",
        "dram__bytes.sum",
        formula("dram_bytes_read + dram_bytes_written"),
        formula("[dram__bytes.sum.per_second] * duration"),
        formula(
            "[gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed] / 100"
            " * dram_peak_bandwidth * duration",
            estimated=True,
        ),
        formula(_L2_MISSES, estimated=True),
    ),
    _dram(
        "dram_bandwidth",
        "byte/s",
        "DRAM bandwidth",
        "dram__bytes.sum.per_second",
        formula("(dram_bytes_read + dram_bytes_written) / duration"),
        formula(
            "[gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed] / 100 * dram_peak_bandwidth",
            estimated=True,
        ),
        formula(f"{_L2_MISSES} / duration", estimated=True),
    ),
    _dram(
        "dram_peak_counted",
        "byte/s",
        "DRAM peak by counters",
        formula("[dram__bytes.sum.peak_sustained] * dram_clock"),
    ),
    _dram(
        "dram_peak_nominal",
        "byte/s",
        "DRAM peak by attributes",
        Computed(_nominal, "2 * memory clock * bus width / 8", _ATTRIBUTES),
        Computed(_product_bandwidth, "data sheet of the product", estimated=True),
    ),
    _dram(
        "dram_peak_bandwidth",
        "byte/s",
        "DRAM peak bandwidth",
        Computed(
            _peak,
            "dram_peak_counted, or dram_peak_nominal where the two disagree",
            quantities=("dram_peak_counted", "dram_peak_nominal", "duration"),
        ),
    ),
    _dram(
        "dram_bandwidth_pct",
        "%",
        "DRAM bytes over peak",
        formula("100 * dram_bandwidth / dram_peak_bandwidth"),
        basis="peak bandwidth",
    ),
)

"""DRAM traffic, and what it is measured against."""

from ncu_triage.gpus import facts
from ncu_triage.model import Provenance
from ncu_triage.quantities.catalogue import DRAM_COUNTERS, Labels, Quantity, quantity
from ncu_triage.quantities.gpu import compute_capability, product_name
from ncu_triage.quantities.ways import Computed, Numbers, Reading, Way, formula

# Ten times what any GPU's memory moves in a second, and that for a day.
_MOST = {"byte/s": 1e14, "byte": 1e19}
# Where the headline counter shows a kernel at the wall.
_WALL = 90.0
# What L2 misses comes from DRAM; writes that leave L2 later are not seen. The only way
# on integrated GPUs, which count no DRAM traffic. Over 174 launches with both counters it
# is 0.77 of the bytes in the median, below half in 23, and 1.12 at the ninetieth percentile.
_L2_MISSES = "32 * [lts__t_sectors_srcunit_tex_lookup_miss.sum]"
_DEVICE = "lts__t_sectors_srcunit_tex_aperture_device_op"
_L2_READ_MISSES = f"32 * ([{_DEVICE}_read_lookup_miss.sum] + [{_DEVICE}_write_lookup_miss.sum])"

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
    """Take the nominal peak, which is the same for every launch on a GPU.

    The counter's peak moves with the clock as it was measured, which is off for short
    kernels by any amount; it is used where the attributes say nothing.
    """
    for id in ("dram_peak_nominal", "dram_peak_counted"):
        value = numbers.number(id)
        if value is not None:
            return _chosen(id, value)
    return None


def _reach(numbers: Numbers) -> float | None:
    """Say how near the bytes come to what kernels can reach, 90 % being that."""
    moved, peak = numbers.number("dram_bandwidth"), numbers.number("dram_peak_bandwidth")
    if moved is None or not peak:
        return None
    share = facts.dram_achievable_share(compute_capability(numbers) or "", product_name(numbers))
    return _WALL * moved / (share * peak)


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
    most = _MOST.get(unit)
    return quantity(id, unit, Labels(label, basis, DRAM_COUNTERS, most), *ways)


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
        formula(f"100 * {_L2_MISSES} / duration / dram_peak_bandwidth", rough=True),
        formula(f"100 * {_L2_READ_MISSES} / duration / dram_peak_bandwidth", rough=True),
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
        formula(_L2_MISSES, rough=True),
        formula(_L2_READ_MISSES, rough=True),
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
        formula(f"{_L2_MISSES} / duration", rough=True),
        formula(f"{_L2_READ_MISSES} / duration", rough=True),
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
            "dram_peak_nominal, or dram_peak_counted where there is none",
            quantities=("dram_peak_counted", "dram_peak_nominal"),
        ),
    ),
    _dram(
        "dram_reach_pct",
        "%",
        "DRAM against the wall (at 90 %)",
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed",
        "fbpa__sol_pct",
        Computed(
            _reach,
            "90 * dram_bandwidth / (achievable share * dram_peak_bandwidth)",
            quantities=("dram_bandwidth", "dram_peak_bandwidth"),
            estimated=True,
        ),
        basis="elapsed",
    ),
    _dram(
        "dram_bandwidth_pct",
        "%",
        "DRAM bytes over peak",
        formula("100 * dram_bandwidth / dram_peak_bandwidth"),
        basis="peak bandwidth",
    ),
)

"""What the device attributes say of the GPU."""

from ncu_triage.gpus import facts
from ncu_triage.quantities.catalogue import quantity
from ncu_triage.quantities.gpu import compute_capability
from ncu_triage.quantities.ways import Computed, Numbers, formula


def _integrated(numbers: Numbers) -> float | None:
    capability = compute_capability(numbers)
    return None if capability is None else float(facts.is_integrated(capability))


QUANTITIES = (
    quantity(
        "compute_capability",
        "",
        "Compute capability",
        formula(
            "[device__attribute_compute_capability_major]"
            " + [device__attribute_compute_capability_minor] / 10"
        ),
    ),
    quantity(
        "sm_count",
        "",
        "SMs",
        "launch__sm_count",
        "device__attribute_multiprocessor_count",
    ),
    quantity(
        "warps_per_sm_maximum",
        "warp",
        "Warps that fit an SM",
        "device__attribute_max_warps_per_multiprocessor",
    ),
    quantity("l2_size", "byte", "L2 size", "device__attribute_l2_cache_size"),
    quantity(
        "integrated",
        "",
        "Shares memory with the CPU",
        "device__attribute_integrated",
        Computed(_integrated, "architectures without DRAM counters"),
    ),
)

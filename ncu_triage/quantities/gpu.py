"""Which GPU a launch ran on, as the facts about GPUs are looked up."""

from __future__ import annotations

from ncu_triage.quantities.ways import Numbers


def compute_capability(numbers: Numbers) -> str | None:
    """Return the compute capability as NVIDIA writes it, such as "8.6"."""
    major = numbers.metric("device__attribute_compute_capability_major")
    minor = numbers.metric("device__attribute_compute_capability_minor")
    return None if major is None or minor is None else f"{major:.0f}.{minor:.0f}"


def product_name(numbers: Numbers) -> str:
    """Return the product's name, empty where the report has none."""
    return numbers.text("device__attribute_display_name") or ""

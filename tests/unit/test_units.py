"""Numbers as a reader sees them."""

from __future__ import annotations

import math

import pytest

from ncu_triage.units import digits, show


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.4208e-3, "s", "1.42 ms"),
        (999.7e-6, "s", "1.00 ms"),
        (2.1e-6, "s", "2.10 µs"),
        (5e-10, "s", "0.500 ns"),
        (74.2, "s", "74.2 s"),
        (0.0, "s", "0 s"),
        (5.34e11, "byte/s", "534 GB/s"),
        (512.0, "byte", "512 B"),
        (0.0, "byte", "0 B"),
        (1.2345e12, "FLOP/s", "1.23 TFLOP/s"),
        (0.4, "FLOP/s", "0.400 FLOP/s"),
        (61.92, "%", "61.9 %"),
        (0.0, "%", "0.0 %"),
        (0.004, "%", "<0.1 %"),
        (-0.01, "%", "0.0 %"),
        (99.97, "%", ">99.9 %"),
        # Parts that were added up in another order than the whole.
        (99.99999999999999, "%", "100.0 %"),
        (99.999, "%", ">99.9 %"),
        (100.0, "%", "100.0 %"),
        (104.7, "%", "104.7 %"),
        (1234.5, "%", "1,234.5 %"),
        (32.0, "", "32"),
        (123456.0, "", "123,456"),
        (67_108_864.0, "inst", "67.1 M inst"),
        (12345.6, "cycle", "12,346 cycles"),
        (32.2, "wavefront", "32.2 wavefronts"),
        (1.0, "launch", "1 launch"),
        (2.0, "launch", "2 launches"),
        (0.0660, "FLOP/byte", "0.066 FLOP/byte"),
        (999_999.7, "", "1.00 M"),
        (math.nan, "%", "not a number"),
        (math.inf, "s", "unbounded"),
    ],
)
def test_show(value: float, unit: str, text: str) -> None:
    assert show(value, unit) == text


@pytest.mark.parametrize("value", [1e-7, 3e-300])
def test_a_trace_of_something_never_prints_as_zero(value: float) -> None:
    assert digits(value) == "<0.000001"
    assert digits(-value).startswith("-")

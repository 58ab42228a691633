"""DRAM traffic that was not counted but read off L2's misses: an estimate stays one."""

from __future__ import annotations

import pytest
from fixtures.diagnosis_builder import diagnosis, quantities, roofline
from fixtures.diagnosis_builder import kernel as judged
from fixtures.launches import A4500, kernel
from msgspec.structs import replace

from ncu_triage.engine.bottleneck import bottleneck
from ncu_triage.engine.gain import by_lost_time, by_waste
from ncu_triage.engine.what_if import what_if
from ncu_triage.model import Bottleneck, Provenance
from ncu_triage.render.console import render as to_terminal
from ncu_triage.summary import share_catalogue
from ncu_triage.view.build import view

# 5.9 million sectors of 32 byte in 1 ms are 188.8 GB/s: 29.5 % of the A4500's 640 GB/s.
MISSES = {
    **A4500,
    "gpu__time_duration.sum": 1e6,
    "lts__t_sectors_srcunit_tex_lookup_miss.sum": 5.9e6,
}
UNITS = {
    "lts__throughput.avg.pct_of_peak_sustained_elapsed": 26.6,
    "l1tex__throughput.avg.pct_of_peak_sustained_active": 90.5,
    "smsp__issue_active.avg.per_cycle_active": 0.071,
}
DRAM = frozenset({"dram_throughput_pct"})
TRANSPOSE = {
    "l1_throughput_active_pct": 90.0,
    "dram_throughput_pct": 30.0,
    "l2_throughput_pct": 27.0,
}


def test_what_rests_on_an_estimate_is_one() -> None:
    one = kernel(MISSES)
    assert one.quantities["dram_throughput_pct"] == pytest.approx(29.5)
    for name in ("dram_throughput_pct", "dram_bandwidth", "dram_bytes", "dram_bandwidth_pct"):
        assert one.provenance[name].rough and one.provenance[name].estimated
    assert not one.provenance["dram_peak_bandwidth"].rough
    warnings = [warning.warning for warning in one.measurement]
    assert "DRAM traffic was not counted: it is estimated from L2 misses" in warnings


def test_counted_traffic_is_no_estimate() -> None:
    one = kernel({**MISSES, "dram__bytes_read.sum": 3e8, "dram__bytes_write.sum": 1e8})
    assert one.quantities["dram_bandwidth"] == pytest.approx(400e9)
    assert not any(origin.rough for origin in one.provenance.values())
    assert not one.measurement


def test_the_verdict_says_so_and_is_less_sure() -> None:
    limit = bottleneck(kernel({**MISSES, **UNITS}))
    assert (limit.kind, limit.confidence) == ("l1-shared-bandwidth", "medium")
    assert limit.sentence.endswith("next is DRAM at an estimated 29.5 % of elapsed time.")
    # 17 million sectors are 85 % of the peak.
    more = MISSES | {"lts__t_sectors_srcunit_tex_lookup_miss.sum": 17e6}
    limit = bottleneck(kernel(more))
    assert (limit.kind, limit.confidence) == ("dram-bandwidth", "medium")
    assert limit.sentence.startswith("DRAM runs at an estimated 85.0 % of its peak")


def test_that_nothing_is_busy_cannot_be_said_of_an_estimate_with_any_confidence() -> None:
    idle = UNITS | {"l1tex__throughput.avg.pct_of_peak_sustained_active": 20.0}
    limit = bottleneck(kernel({**MISSES, **idle}))
    assert (limit.kind, limit.confidence) == ("latency", "low")
    assert limit.sentence.endswith("DRAM may be far busier than the estimate.")


def test_a_gain_leaves_room_for_twice_the_estimate_and_names_no_number() -> None:
    # Twice 30 of at most 90 % stays: 1 - 0.6 / 0.9. Of what was measured L2 at 27 % is next.
    gain = by_waste(TRANSPOSE, ["l1"], {"l1": 0.1}, rough=DRAM)
    assert gain is not None
    assert gain.expected_pct == pytest.approx(100 / 3)
    assert gain.at_most_pct == pytest.approx(73.0)
    assert gain.limited_by == "DRAM at a load that was only estimated"
    lost = by_lost_time({"dram_throughput_pct": 36.0}, 0.5, rough=DRAM)
    # 0.72 / 0.9 of the time stays.
    assert (lost.expected_pct, lost.at_most_pct) == (pytest.approx(20.0), pytest.approx(50.0))


def test_no_step_under_the_roofs_is_worked_out_from_an_estimate() -> None:
    limit = Bottleneck(kind="l1-shared-bandwidth", confidence="high", cause="L1", sentence="L1.")
    one = replace(kernel({**MISSES, **UNITS}), roofline=roofline(("fp32", "DRAM", 1.0, 1e11)))
    assert what_if(one, limit) == []
    counted = {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": 29.5}
    one = replace(
        kernel({**MISSES, **UNITS, **counted}), roofline=roofline(("fp32", "DRAM", 1.0, 1e11))
    )
    assert [step.step for step in what_if(one, limit)] != []


def test_every_output_marks_the_number() -> None:
    origin = Provenance(formula="32 * misses", inputs=["misses"], estimated=True, rough=True)
    numbers = quantities(100e-6, dram_throughput_pct=29.5)
    one = judged(quantities=numbers, provenance={"dram_throughput_pct": origin})
    shown = view(diagnosis([one]))
    (bar,) = (bar for bar in shown.cards[0].bars if bar.label == "DRAM")
    assert (bar.text, bar.of, bar.rough) == ("29.5 %", "of elapsed cycles, estimated", True)
    place = [key.label for key in shown.table.keys].index("DRAM")
    cell = shown.table.rows[0].keys[place]
    assert (cell.text, cell.note) == ("29.5 %", "estimated")
    (row,) = (r for r in shown.cards[0].numbers if r.label == "DRAM throughput")
    assert row.value == "29.5 % (estimated)"
    assert "~ estimated" in to_terminal(diagnosis([one]))


def test_a_measured_number_stays_one_beside_another_kernels_estimate() -> None:
    origin = Provenance(formula="a / b", inputs=["a", "b"])
    rough = replace(origin, estimated=True, rough=True)
    made = [
        judged(id=f"0/0/{i}", provenance={"x": p}) for i, p in enumerate((origin, rough, rough))
    ]
    names = {"x": diagnosis(made).catalogue["duration"]}
    shared, slim = share_catalogue(made, names)
    assert shared["x"].rough
    assert [kernel.provenance for kernel in slim] == [{"x": origin}, {}, {}]

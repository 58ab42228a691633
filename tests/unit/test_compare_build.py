"""Two diagnoses held against each other: what is said first, what changed, and why."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest
from fixtures.diagnosis_builder import (
    CATALOGUE,
    bottleneck,
    diagnosis,
    evidence,
    finding,
    kernel,
    quantities,
)
from fixtures.diagnosis_cases import copy, realistic, saxpy, transpose
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.compare.comparison import Comparison, KernelChange
from ncu_triage.compare.runs import only
from ncu_triage.errors import InputError
from ncu_triage.model import (
    AssumedRoof,
    CatalogueEntry,
    Device,
    DeviceCeilings,
    Diagnosis,
    KernelDiagnosis,
    Provenance,
    Settings,
    Source,
    Undecided,
)


def _timed(seconds: float, **more: Any) -> KernelDiagnosis:
    return kernel(quantities=quantities(seconds, elapsed_cycles=seconds * 1.05e9), **more)


def _one(comparison: Comparison) -> KernelChange:
    (found,) = comparison.kernels
    return found


def _topics(before: Diagnosis, after: Diagnosis, *, refusing: bool | None = None) -> list[str]:
    found = compare(before, after).caveats
    return [c.topic for c in found if refusing is None or c.refuses == refusing]


def test_a_report_against_itself_has_not_changed() -> None:
    found = compare(realistic(), realistic())
    assert found.totals.change is not None
    assert found.totals.change.change_pct == 0
    assert {k.change.verdict for k in found.kernels if k.change} == {"same"}
    assert not [f for k in found.kernels for f in k.findings if f.fate != "kept"]
    assert not any(k.explanation or k.bottleneck for k in found.kernels)
    assert not found.only_before and not found.only_after


def test_the_same_inputs_give_the_same_bytes_and_read_back() -> None:
    before, after = diagnosis([transpose(), copy()]), diagnosis([copy(), saxpy()])
    once = msgspec.json.encode(compare(before, after))
    assert msgspec.json.encode(compare(before, after)) == once
    read = msgspec.json.decode(once, type=Comparison)
    assert read == compare(before, after)
    assert read.schema_version == 1


def test_a_faster_kernel_is_no_gain_while_the_whole_is_not_faster() -> None:
    before = diagnosis([_timed(1e-3), _timed(100e-3, name="big", grid=(1, 1, 1))])
    after = diagnosis([_timed(0.5e-3), _timed(100e-3, name="big", grid=(1, 1, 1))])
    found = compare(before, after)
    assert found.kernels[0].change is not None and found.kernels[0].change.verdict == "faster"
    assert found.totals.change is not None and found.totals.change.verdict == "same"


def test_totals_are_over_as_many_launches_as_both_sides_have() -> None:
    found = compare(diagnosis([_timed(1e-3)] * 2), diagnosis([_timed(1e-3)] * 5))
    assert found.totals.launches == 2
    assert found.totals.change is not None and found.totals.change.change_pct == 0
    assert found.totals.unmatched_after == pytest.approx(3e-3)
    assert "launches" in [c.topic for c in found.caveats]


def test_unmatched_kernels_are_listed_and_counted() -> None:
    before = diagnosis([_timed(1e-3), _timed(2e-3, name="goes", grid=(9, 9, 9))])
    found = compare(before, diagnosis([_timed(1e-3)]))
    (gone,) = found.only_before
    assert gone.launches.name == "goes"
    assert found.totals.unmatched_before == pytest.approx(2e-3)


@pytest.mark.parametrize(
    ("change", "topic", "refuses"),
    [
        ({"collection": Settings(set="full", clock_control="none")}, "clock-control", True),
        ({"collection": Settings(set="full")}, "clock-control", False),
        ({"collection": Settings(set="basic", clock_control="base")}, "set", True),
        (
            {"collection": Settings(set="full", clock_control="base", cache_control="none")},
            "cache-control",
            False,
        ),
        ({"devices": [Device(name="NVIDIA H100", compute_capability="9.0")]}, "gpu", True),
        (
            {"devices": [Device(name="NVIDIA RTX A4500", compute_capability="8.6", sm_count=28)]},
            "gpu",
            True,
        ),
    ],
)
def test_what_must_not_be_compared_is_said(
    change: dict[str, Any], topic: str, refuses: bool
) -> None:
    usual = {"collection": Settings(set="full", clock_control="base")}
    before, after = diagnosis([_timed(1e-3)], **usual), diagnosis([_timed(1e-3)], **usual | change)
    assert topic in _topics(before, after, refusing=refuses)
    assert topic not in _topics(before, before)


def test_sections_are_compared_where_no_set_is_named() -> None:
    before = diagnosis([_timed(1e-3)], collection=Settings(sections=["SpeedOfLight", "A"]))
    after = diagnosis([_timed(1e-3)], collection=Settings(sections=["SpeedOfLight"]))
    (caveat,) = [c for c in compare(before, after).caveats if c.topic == "set"]
    assert caveat.refuses and "only before: A" in caveat.text


def _with(k: KernelDiagnosis, **numbers: float) -> KernelDiagnosis:
    return replace(k, quantities=k.quantities | numbers)


def test_clocks_that_moved_make_cycles_the_measure() -> None:
    before = _with(_timed(1e-3), sm_clock=1e9, elapsed_cycles=1e6)
    after = _with(_timed(2e-3), sm_clock=0.5e9, elapsed_cycles=1e6)
    found = compare(diagnosis([before]), diagnosis([after]))
    (one,) = found.kernels
    assert one.measure == "cycles" and one.change is not None
    assert one.change.verdict == "same"
    assert found.totals.measure == "cycles"
    assert [c.topic for c in found.caveats if c.refuses] == ["sm-clock"]


def test_what_dram_limits_does_not_follow_the_sm_clock() -> None:
    judged = bottleneck("dram-bandwidth")
    before = _with(_timed(1e-3, bottleneck=judged), sm_clock=1e9, elapsed_cycles=1e6)
    after = _with(_timed(1e-3, bottleneck=judged), sm_clock=0.5e9, elapsed_cycles=0.5e6)
    one = _one(compare(diagnosis([before]), diagnosis([after])))
    assert one.measure == "time"


def test_the_clock_of_a_short_kernel_refuses_nothing() -> None:
    before = _with(_timed(5e-6), sm_clock=1e9, elapsed_cycles=5e3)
    after = _with(_timed(5e-6), sm_clock=0.8e9, elapsed_cycles=5e3)
    found = compare(diagnosis([before]), diagnosis([after]))
    assert [c.refuses for c in found.caveats if c.topic == "sm-clock"] == [False]


def test_a_metric_of_another_denominator_is_left_out_and_said() -> None:
    origin = {"sm_busy_active_pct": Provenance(formula="elapsed * 100 / active")}
    before = _with(_timed(1e-3), sm_busy_active_pct=20.0)
    after = _with(_timed(1e-3, provenance=origin), sm_busy_active_pct=80.0)
    versions = [
        diagnosis(
            [k],
            sources=[Source(name="r", sha256=v, format="ncu-rep", ncu_version=v)],
        )
        for k, v in ((before, "2025.2.1"), (after, "2025.3.0"))
    ]
    found = compare(*versions)
    assert "metric-meaning" in [c.topic for c in found.caveats if c.refuses]
    assert "elapsed cycles" in next(c.effect for c in found.caveats if c.topic == "ncu-version")
    assert "sm_busy_active_pct" not in [m.quantity for m in _one(found).units]


def test_other_rules_are_said_and_refuse_nothing_but_a_loss_does() -> None:
    before = diagnosis([_timed(1e-3)])
    cut = replace(before.sources[0], complete=False, lost_launches=1, sha256="1" * 64)
    after = replace(before, tool=replace(before.tool, rules="2"), sources=[cut])
    assert _topics(before, after, refusing=False) == ["rules"]
    (lost,) = [c for c in compare(before, after).caveats if c.refuses]
    assert lost.text == "AFTER is incomplete: at least 1 launch is lost."


_A4500 = Device(name="NVIDIA RTX A4500", compute_capability="8.6", sm_count=56)


@pytest.mark.parametrize(
    ("mine", "yours", "refuses"),
    [
        (_A4500, _A4500, None),
        # A table leaves out the name, the SMs or all; a trace of the same GPU has them.
        (_A4500, Device(name="unknown GPU", compute_capability="8.6"), False),
        (Device(name="NVIDIA RTX A4500", compute_capability="unknown"), _A4500, None),
        (_A4500, Device(name="unknown GPU", compute_capability="9.0"), True),
        (_A4500, replace(_A4500, sm_count=28), True),
    ],
)
def test_what_a_side_does_not_say_of_its_gpu_is_no_difference(
    mine: Device, yours: Device, refuses: bool | None
) -> None:
    found = compare(
        diagnosis([_timed(1e-3)], devices=[mine]), diagnosis([_timed(1e-3)], devices=[yours])
    )
    told = [c.refuses for c in found.caveats if c.topic == "gpu"]
    assert told == ([] if refuses is None else [refuses])


def test_another_gpu_is_said_where_no_kernel_has_a_partner() -> None:
    other = Device(name="NVIDIA H100", compute_capability="9.0", sm_count=132)
    before = diagnosis([_timed(1e-3, name="a", grid=(1, 1, 1))], devices=[_A4500])
    after = diagnosis([_timed(1e-3, name="quite_another", block=(7, 1, 1))], devices=[other])
    assert not compare(before, after).kernels
    assert _topics(before, after, refusing=True) == ["gpu"]


def test_a_table_that_names_no_set_was_not_collected_otherwise() -> None:
    whole = Settings(set="full", clock_control="base", sections=["A", "A_Tables", "PmSampling"])
    before = diagnosis([_timed(1e-3)], collection=whole)
    for sections, refuses in (([], False), (["A"], False), (["B"], True)):
        after = diagnosis([_timed(1e-3)], collection=Settings(sections=sections))
        assert "set" in _topics(before, after, refusing=refuses)
    # A report of which the set is known would have named its sections.
    after = diagnosis([_timed(1e-3)], collection=replace(whole, set=None, sections=["A"]))
    assert "set" in _topics(before, after, refusing=True)


def test_launches_that_were_added_count_in_the_whole() -> None:
    found = compare(diagnosis([_timed(1e-3)] * 2), diagnosis([_timed(1e-3)] * 5)).totals
    assert found.overall is not None
    # Two launches of 1 ms before, five after: 150 % more.
    assert (found.overall.before, found.overall.after) == pytest.approx((2e-3, 5e-3))
    assert found.overall.change_pct == pytest.approx(150.0)
    assert compare(diagnosis([_timed(1e-3)]), diagnosis([_timed(1e-3)])).totals.overall is None


def test_a_launch_without_a_time_leaves_the_whole_unsaid() -> None:
    bare = kernel(quantities={}, name="new", grid=(3, 1, 1), block=(9, 1, 1))
    assert (
        compare(diagnosis([_timed(1e-3)]), diagnosis([_timed(1e-3), bare])).totals.overall is None
    )


def test_a_name_is_chosen_as_it_is_printed() -> None:
    full = "void ns::dot<int>(float const *, int)"
    given = diagnosis([_timed(1e-3, name="dot", demangled=full), _timed(1e-3, name="dot2")])
    for pattern in ("^dot$", "^dot<int>$", "^void ns::dot", r"^ns::dot.*int\)$", "^0/0/0$"):
        id = pattern.strip("^$") if "/" in pattern else pattern
        assert [k.name for k in only(given, re.compile(id)).kernels] == ["dot"]
    with pytest.raises(InputError, match="there are 2 launches"):
        only(given, re.compile("^dot3$"))
    with pytest.raises(InputError, match=r"there is 1 launch$"):
        only(diagnosis([_timed(1e-3)]), re.compile("^dot3$"))


def test_findings_that_went_and_came_and_those_that_lack_their_numbers() -> None:
    open_ = [Undecided(rule="tail-effect", missing=["waves_per_sm"], collect="x")]
    before = _timed(1e-3, findings=[finding("bank-conflicts"), finding("tail-effect")])
    after = _timed(1e-3, findings=[finding("warp-divergence")], undecided=open_)
    one = _one(compare(diagnosis([before]), diagnosis([after])))
    assert [(f.rule, f.fate) for f in one.findings] == [
        ("warp-divergence", "new"),
        ("bank-conflicts", "gone"),
        ("tail-effect", "undecided"),
    ]
    assert one.undecided == ["tail-effect"]


def test_a_finding_of_one_launch_in_many_is_noise() -> None:
    odd = _timed(1e-3, findings=[finding("barrier-stalls")])
    one = _one(compare(diagnosis([_timed(1e-3)] * 5), diagnosis([_timed(1e-3)] * 4 + [odd])))
    assert one.findings == []
    assert [(f.rule, f.fate) for f in one.occasional] == [("barrier-stalls", "new")]
    assert [note for note in one.notes if note.startswith("In 1 of 5 launches:")]


@pytest.mark.parametrize(
    ("before", "after", "sure"),
    [
        (bottleneck("latency"), bottleneck("dram-bandwidth"), True),
        (bottleneck("latency"), bottleneck("dram-bandwidth", "low"), False),
        (bottleneck("latency"), bottleneck("insufficient-data"), None),
        (bottleneck("latency"), bottleneck("latency"), None),
    ],
)
def test_the_bottleneck_before_and_after(before: Any, after: Any, sure: bool | None) -> None:
    sides = (
        diagnosis([_timed(1e-3, bottleneck=before)]),
        diagnosis([_timed(1e-3, bottleneck=after)]),
    )
    found = _one(compare(*sides)).bottleneck
    assert (found.sure if found else None) == sure


def test_the_explanation_names_what_moved_with_unit_and_denominator() -> None:
    healed = transpose(
        quantities=transpose().quantities
        | {"duration": 0.9976e-3, "bank_conflict_load_pct": 0.0, "shared_load_ways": 1.0},
        findings=[],
    )
    one = _one(compare(diagnosis([transpose()]), diagnosis([healed])))
    first = one.explanation[0]
    assert (first.id, first.helps) == ("bank-conflicts", True)
    moved = next(m for m in first.movements if m.quantity == "bank_conflict_load_pct")
    assert (moved.before, moved.after, moved.unit, moved.basis) == (96.9, 0.0, "%", "wavefronts")


def test_without_counters_the_work_of_the_units_explains() -> None:
    known = CATALOGUE | {"elapsed_cycles": CatalogueEntry(unit="cycle", label="Cycles")}
    before, after = _with(_timed(1e-3), l2_throughput_pct=80.0), _with(_timed(0.5e-3))
    one = _one(compare(diagnosis([before], catalogue=known), diagnosis([after], catalogue=known)))
    theme = next(theme for theme in one.explanation if theme.id == "unit-work")
    moved = theme.movements[0]
    assert (moved.quantity, moved.after / moved.before) == ("l2_busy_cycles", pytest.approx(0.125))


def test_what_got_better_explains_no_slowdown() -> None:
    known = CATALOGUE | {
        "excess_sectors_pct": CatalogueEntry(unit="%", label="Excess", basis="sectors"),
        "bank_conflict_pct": CatalogueEntry(unit="%", label="Conflicts", basis="wavefronts"),
    }
    before = _with(_timed(1e-3), excess_sectors_pct=50.0, bank_conflict_pct=0.0)
    after = _with(_timed(2e-3), excess_sectors_pct=0.0, bank_conflict_pct=40.0)
    one = _one(compare(diagnosis([before], catalogue=known), diagnosis([after], catalogue=known)))
    told = [theme.id for theme in one.explanation if theme.id != "unit-work"]
    assert told == ["bank-conflicts", "uncoalesced-access"]


def test_another_shape_asks_whether_the_work_is_the_same() -> None:
    before = _with(_timed(1e-3), flops_fp32=1e12)
    after = _with(_timed(0.5e-3, grid=(2048, 1, 1)), flops_fp32=2e12)
    known = CATALOGUE | {"flops_fp32": CatalogueEntry(unit="FLOP/s", label="Work")}
    one = _one(compare(diagnosis([before], catalogue=known), diagnosis([after], catalogue=known)))
    assert one.match.how == "other-grid"
    assert "524,288 threads after 1,048,576" in one.notes[0]
    assert "Single-precision operations: the same." in one.notes


def test_numbers_of_a_finding_ride_along_as_evidence() -> None:
    fired = finding("bank-conflicts", evidence=[evidence("shared_load_ways", 32.0, ">", 2.0)])
    one = _one(compare(diagnosis([_timed(1e-3)]), diagnosis([_timed(1e-3, findings=[fired])])))
    assert one.findings[0].evidence[0].value == 32.0


def test_reports_without_times_compare_what_they_have() -> None:
    bare = kernel(quantities={})
    found = compare(diagnosis([bare]), diagnosis([bare]))
    assert found.totals.change is None
    assert _one(found).measure is None


def test_an_empty_side_is_no_error() -> None:
    found = compare(diagnosis([]), diagnosis([_timed(1e-3)]))
    assert not found.kernels and len(found.only_after) == 1


@pytest.mark.parametrize(
    ("mine", "yours", "words"),
    [
        (None, None, None),
        (0.88, 0.88, None),
        (None, 0.88, "assumed before, measured after."),
        (0.88, None, "measured before, assumed after."),
        (0.88, 0.75, "measured before, measured after, and not the same."),
    ],
)
def test_other_ceilings_are_told(
    mine: float | None, yours: float | None, words: str | None
) -> None:
    def judged(share: float | None) -> Diagnosis:
        roof = AssumedRoof(
            kind="bandwidth",
            name="DRAM",
            nominal=640e9,
            achievable=640e9 * (share or 0.84),
            source="",
            reference="copy" if share else None,
            mix="copy" if share else None,
        )
        by = DeviceCeilings(device=0, roofs=[roof], balance=[], assumed_pct=90.0)
        return diagnosis([_timed(1e-3)], ceilings=[by])

    told = [c for c in compare(judged(mine), judged(yours)).caveats if c.topic == "ceilings"]
    assert [(c.text, c.refuses) for c in told] == (
        [(f"What is achievable: {words}", False)] if words else []
    )

"""What the roofline allows, and by which ceilings was judged, in every output."""

from __future__ import annotations

import html as html_module
import re
from typing import Any

import pytest
from fixtures.diagnosis_builder import bottleneck, diagnosis, finding, kernel, quantities, roofline
from msgspec.structs import replace

from ncu_triage.model import (
    AssumedRoof,
    Balance,
    Ceiling,
    DeviceCeilings,
    Diagnosis,
    Gain,
    KernelDiagnosis,
    WhatIf,
)
from ncu_triage.render import console, renderer
from ncu_triage.render.choice import Choice
from ncu_triage.view.build import view
from ncu_triage.view.ceilings import in_brief
from ncu_triage.view.roof_points import describe, ridge_text
from ncu_triage.view.what_if import what_if

HALF = WhatIf(step="bytes-halved", saved_pct=50.0, limited_by="DRAM")
MORE = WhatIf(
    step="intensity-doubled",
    saved_pct=50.0,
    limited_by="DRAM",
    precision="fp32",
    intensity=0.5,
    performance=256e9,
)
NEXT = WhatIf(step="next-limiter", saved_pct=30.0, limited_by="the FMA pipe at 63.0 %")
TOGETHER = (
    "Twice the work per byte or half the bytes (as by fusing two such steps, or a type half as"
    " wide): 50.0 µs instead of 100 µs for the same work, 50.0 % less, 256 GFLOP/s at 0.500"
    " FLOP/byte. DRAM stays the limit, at the same share of its peak."
)
LAST = (
    "With the data from L2 instead of DRAM: 70.0 µs instead of 100 µs for the same work, 30.0 %"
    " less. Then the limit is the FMA pipe at 63.0 %."
)


def stream(*steps: WhatIf, **overrides: Any) -> KernelDiagnosis:
    return kernel(
        **{
            "quantities": quantities(100e-6, dram_throughput_pct=80.0),
            "roofline": roofline(("fp32", "DRAM", 0.25, 128e9)),
            "bottleneck": bottleneck("dram-bandwidth"),
            "what_if": list(steps),
        }
        | overrides
    )


def test_steps_that_come_to_the_same_are_told_together() -> None:
    assert what_if(stream(MORE, HALF, NEXT)) == [TOGETHER, LAST]


def test_steps_that_differ_are_told_apart() -> None:
    less = replace(MORE, saved_pct=20.0, limited_by="the compute roof at 70.0 %")
    first, second, _ = what_if(stream(less, HALF, NEXT))
    assert first.startswith("Twice the work per byte (as by fusing two such steps): 80.0 µs")
    assert first.endswith("Then the limit is the compute roof at 70.0 %.")
    assert second.startswith("Half the bytes (as with a type half as wide): 50.0 µs")


def test_no_gain_is_said_in_a_word() -> None:
    nothing = [replace(one, saved_pct=0.0, limited_by="issue slots") for one in (MORE, HALF)]
    (line,) = what_if(stream(*nothing, bottleneck=bottleneck("issue-bound")))
    assert line == (
        "Twice the work per byte or half the bytes: no gain, that takes nothing off issue slots."
    )
    (line,) = what_if(stream(replace(NEXT, saved_pct=0.0)))
    assert line.endswith("no gain, the FMA pipe at 63.0 % is as close to its limit.")


def test_the_finding_that_goes_further_is_named() -> None:
    found = finding("bank-conflicts", title="Bank conflicts: 92 %")
    (line,) = what_if(stream(replace(NEXT, rule="bank-conflicts"), findings=[found]))
    assert line.startswith("With the finding “Bank conflicts: 92 %” fixed: 70.0 µs")
    assert line.endswith("30.0 % less expected. Then the limit is the FMA pipe at 63.0 %.")
    further = Gain(expected_pct=30.0, at_most_pct=50.0, limited_by="the work itself")
    (line,) = what_if(
        stream(
            replace(NEXT, rule="bank-conflicts", limited_by=further.limited_by),
            findings=[replace(found, gain=further)],
        )
    )
    assert line.endswith("30.0 % less expected, at most 50.0 %. Then the limit is the work itself.")


def test_a_second_unit_at_its_limit_is_no_limit_that_stays() -> None:
    full = replace(HALF, saved_pct=0.0, limited_by="L1/shared memory at 99.9 %")
    assert what_if(stream(full)) == [
        "Half the bytes: no gain, L1/shared memory at 99.9 % is at its limit as well."
    ]


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (kernel(), "the kernel waits"),
        (kernel(bottleneck=bottleneck("underfilled")), "the GPU is not filled"),
        (kernel(bottleneck=bottleneck("launch-dominated")), "starting and ending the kernel"),
        (kernel(bottleneck=bottleneck("dram-bandwidth")), "has no place under the roofs"),
        (stream(), "not every unit on the way was measured"),
    ],
)
def test_where_nothing_is_worked_out_the_reason_is_given(one: KernelDiagnosis, why: str) -> None:
    (line,) = what_if(one)
    assert line.startswith("Not worked out: ")
    assert why in line


def roof(value: float, nominal: bool, kind: Any = "bandwidth") -> Ceiling:
    return Ceiling(kind=kind, name="x", value=value, nominal=nominal, source="")


@pytest.mark.parametrize(
    ("compute", "bandwidth", "text"),
    [
        ([roof(10e12, True)], [roof(1e12, True)], "10 FLOP/byte"),
        (
            [roof(10e12, True)],
            [roof(1e12, True), roof(8e11, False)],
            "10 FLOP/byte, 12.5 achievable",
        ),
        (
            [roof(10e12, True), roof(8e12, False)],
            [roof(1e12, True), roof(8e11, False)],
            "10 FLOP/byte, 10 achievable",
        ),
        ([roof(10e12, True)], [], None),
        ([], [roof(1e12, True)], None),
    ],
)
def test_the_ridge_is_told_nominal_and_achievable(
    compute: list[Ceiling], bandwidth: list[Ceiling], text: str | None
) -> None:
    assert ridge_text(compute, bandwidth, "FLOP/byte") == text


def judged(*roofs: AssumedRoof, **measured: float) -> Diagnosis:
    ceilings = DeviceCeilings(
        device=0,
        roofs=list(roofs),
        balance=[
            Balance(precision="fp32", nominal=23.5, achievable=25.6, at_boost_clock=36.9),
            Balance(precision="tensor_fp16", at_boost_clock=147.8),
        ],
        assumed_pct=90.0,
        measured_pct=measured,
    )
    return diagnosis([stream(MORE, HALF, NEXT)], ceilings=[ceilings])


ASSUMED = AssumedRoof(
    kind="bandwidth", name="DRAM", nominal=640e9, achievable=563e9, source="the best of eight"
)
MEASURED = replace(
    ASSUMED, reference="big_copy<>", mix="copy", source="the highest of 3 launches", launches=3
)
FLAT = AssumedRoof(kind="compute", name="fp32", nominal=15e12, source="the report's counters")


def test_the_method_says_what_was_assumed() -> None:
    facts = {fact.label: fact.text for fact in view(judged(ASSUMED, FLAT)).method.ceilings}
    assert facts == {
        "DRAM": "563 GB/s achievable, 88.0 % of 640 GB/s nominal (assumed; the best of eight)",
        "FP32": "15.0 TFLOP/s nominal (the report's counters);"
        " what is achievable of it is not known",
        "Ridge, FP32": "23.5 FLOP/byte nominal, 25.6 FLOP/byte achievable,"
        " 36.90 FLOP/byte at boost clock",
        "Ridge, Tensor FP16": "147.8 FLOP/byte at boost clock",
        "Other units": "taken to reach 90.0 % of their peak, since good kernels reach 85 to 95 %",
    }


def test_the_method_says_what_was_measured_and_by_which_kernel() -> None:
    made = view(judged(MEASURED, FLAT, dram_throughput_pct=92.0))
    facts = {fact.label: fact.text for fact in made.method.ceilings}
    assert facts["DRAM, reading and writing"] == (
        "563 GB/s achievable, 88.0 % of 640 GB/s nominal"
        " (measured: big_copy<>, the highest of 3 launches)"
    )
    assert facts["Other units"].endswith("; measured: DRAM throughput 92.0 %")
    head = {fact.label: fact.text for fact in made.facts}
    assert head["Achievable"] == "DRAM 88.0 % of nominal (measured with big_copy<>)"


def test_of_several_gpus_each_is_named() -> None:
    one = judged(ASSUMED)
    gpus = [one.devices[0], replace(one.devices[0], name="Tesla T4")]
    both = [one.ceilings[0], replace(one.ceilings[0], device=1)]
    labels = [f.label for f in view(replace(one, devices=gpus, ceilings=both)).method.ceilings]
    assert "NVIDIA RTX A4500: DRAM" in labels and "Tesla T4: DRAM" in labels


def test_the_line_in_brief_names_gpus_that_differ() -> None:
    one = judged(ASSUMED)
    gpus = [one.devices[0], replace(one.devices[0], name="Tesla T4")]
    same = [one.ceilings[0], replace(one.ceilings[0], device=1)]
    assert in_brief(replace(one, devices=gpus, ceilings=same)) == (
        "DRAM 88.0 % of nominal (assumed)"
    )
    # 544 of 640 GB/s.
    other = replace(same[1], roofs=[replace(ASSUMED, achievable=544e9)])
    assert in_brief(replace(one, devices=gpus, ceilings=[same[0], other])) == (
        "DRAM 88.0 % of nominal (assumed) on NVIDIA RTX A4500;"
        " DRAM 85.0 % of nominal (assumed) on Tesla T4"
    )
    # Of the second nothing is known: then the line is the first one's.
    bare = replace(same[1], roofs=[])
    assert in_brief(replace(one, devices=gpus, ceilings=[same[0], bare])) == (
        "DRAM 88.0 % of nominal (assumed) on NVIDIA RTX A4500"
    )


def test_a_point_says_whether_its_roof_is_nominal() -> None:
    # 13.2 of 15.05 TFLOP/s, of which nobody measured what can be reached.
    flat = kernel(roofline=roofline(("fp32", "DRAM", 200.0, 13.2e12)))
    assert describe(flat, flat.roofline.points[0]).endswith("87.7 % of its nominal roof")


def test_an_older_json_without_ceilings_shows_none() -> None:
    made = view(diagnosis([stream()]))
    assert made.method.ceilings == []
    assert "Achievable" not in {fact.label for fact in made.facts}


def plain(data: bytes) -> str:
    """Return a page's text without tags, glue and line breaks."""
    text = html_module.unescape(re.sub(r"<[^>]+>", " ", data.decode()))
    return " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").split())


@pytest.mark.parametrize("kind", ["html", "static", "md"])
def test_every_output_tells_them(kind: str) -> None:
    data = renderer(kind)(judged(MEASURED))
    text = plain(data)
    for sentence in (TOGETHER, LAST):
        assert sentence in text
    assert "ridge at 23.5 FLOP/byte, 25.6 achievable" in text
    assert "big_copy" in text
    assert b"big_copy<>" not in data


def test_the_terminal_tells_them() -> None:
    choice = Choice(kernel=re.compile("saxpy"))
    text = " ".join(console.render(judged(MEASURED), width=100, choice=choice).split())
    for sentence in (TOGETHER, LAST):
        assert f"What if: {sentence}" in text
    assert "Achievable: DRAM 88.0 % of nominal (measured with big_copy<>)" in text
    assert "Achievable: DRAM 88.0 % of nominal (assumed)" in console.render(judged(ASSUMED))

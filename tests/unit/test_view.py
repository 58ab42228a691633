"""What a reader sees: groups, names, bars, findings, roofs."""

from __future__ import annotations

from typing import Any

import pytest
from fixtures.diagnosis_builder import (
    bottleneck,
    diagnosis,
    evidence,
    finding,
    kernel,
    quantities,
    roofline,
)
from fixtures.diagnosis_cases import basic, copy, fp64, realistic, saxpy, tiny, transpose
from msgspec.structs import replace

from ncu_triage.model import (
    CatalogueEntry,
    Device,
    Diagnosis,
    Gain,
    KernelDiagnosis,
    MeasurementWarning,
    RuleFailure,
    Source,
    Undecided,
    Where,
)
from ncu_triage.view.build import View, view
from ncu_triage.view.cards import IN_FULL, IN_FULL_OF_MANY
from ncu_triage.view.findings import nvidia_text
from ncu_triage.view.names import anchor, fitted, short_names, shorten
from ncu_triage.view.shown import Bar, Card, FindingView


def timed(seconds: float, **overrides: Any) -> KernelDiagnosis:
    return kernel(quantities=quantities(seconds), **overrides)


def card(one: KernelDiagnosis) -> Card:
    return view(diagnosis([one])).cards[0]


def bars(one: KernelDiagnosis) -> dict[str, Bar]:
    return {bar.label: bar for bar in card(one).bars}


@pytest.mark.parametrize(
    ("full", "short"),
    [
        ("transpose(float *, int)", "transpose"),
        (
            "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>, "
            "std::array<char*, 3ul> >(int, at::native::AddFunctor<float>)",
            "vectorized_elementwise_kernel<4, AddFunctor<float>, …>",
        ),
        ("void (anonymous namespace)::softmax<float, (int)10>(float*)", "softmax<float, 10>"),
        ("std::enable_if<!(true), void>::type ns::k<(bool)0>(void (*)(int))", "k<0>"),
        ("ampere_sgemm_128x64_nn", "ampere_sgemm_128x64_nn"),
        ("", "(unnamed)"),
        ("a<b", "a<b"),
        ("tab\tname\x1b[2J", "tab\N{REPLACEMENT CHARACTER}name\N{REPLACEMENT CHARACTER}[2J"),
    ],
)
def test_short_names(full: str, short: str) -> None:
    assert shorten(full) == short


@pytest.mark.parametrize(
    "full", ["<" * 5000, "x" * 300, "a" + "<b" * 2000 + ">" * 2000, "::::", "()"]
)
def test_no_name_breaks_the_shortening(full: str) -> None:
    assert 0 < len(shorten(full)) < 80


@pytest.mark.parametrize(
    ("full", "short"),
    [
        (["ns::k<A>(int)", "ns::k<B>(int)"], ["k<A>", "k<B>"]),
        (["one::k(int)", "two::k(int)"], ["one::k", "two::k"]),
        (["k(int, float)", "k(int, double)"], ["k(…, float)", "k(…, double)"]),
        (["k(int)", "k(int, int)"], ["k(int)", "k(…, int)"]),
        (
            [
                f"void at::native::elementwise_kernel<128, 4, at::native::{name}(at::Iter&)::"
                "[lambda() (instance 1)]::operator ()() const::[lambda(int) (instance 1)]>(int)"
                for name in ("silu_kernel", "relu_kernel")
            ],
            ["elementwise_kernel<128, 4, silu_kernel>", "elementwise_kernel<128, 4, relu_kernel>"],
        ),
        (
            [f"k<{'a, ' * 30}{last}>()" for last in "bc"],
            [f"k<{', '.join(['a'] * 28)}, …, {last}>" for last in "bc"],
        ),
    ],
)
def test_equal_names_show_what_tells_them_apart(full: list[str], short: list[str]) -> None:
    assert list(short_names(full).values()) == short


@pytest.mark.parametrize(
    ("short", "width", "fit"),
    [
        (["distribution_elementwise_kernel<float, 4>"], 20, ["distribution_elemen…"]),
        (["k<AddFunctor>", "k<MulFunctor>"], 20, ["k<AddFunctor>", "k<MulFunctor>"]),
        (
            ["vectorized_kernel<4, AddFunctor>", "vectorized_kernel<4, MulFunctor>"],
            20,
            ["vectorize…AddFuncto…", "vectorize…MulFuncto…"],
        ),
        (["solve grid 2048", "solve grid 2045"], 12, ["solve g…2048", "solve g…2045"]),
        (["x" * 30 + "y" * 30, "x" * 30 + "y" * 31], 12, None),
    ],
)
def test_names_fit_a_width_and_stay_different(
    short: list[str], width: int, fit: list[str] | None
) -> None:
    found = list(fitted(short, width).values())
    assert fit is None or found == fit
    assert len(set(found)) == len(short)
    assert all(len(text) <= width for text in found)


def test_different_names_stay_different() -> None:
    full = [
        "ns::k<A>(int)",
        "ns::k<B>(int)",
        "ns::k<B>(long)",
        f"k<{'a, ' * 30}b>()",
        f"k<{'a, ' * 30}c>()",
    ]
    short = short_names(full)
    assert len(set(short.values())) == len(full)
    assert short["ns::k<A>(int)"] == "k<A>"


def test_anchors_are_made_of_harmless_letters() -> None:
    assert anchor("0/0/3") == "k-0-0-3"
    assert anchor('"><script>') == "k--script-"


def test_launches_of_one_kernel_are_one_row_told_by_the_median_launch() -> None:
    times = [5e-3, 1e-3, 2e-3]
    shown = view(diagnosis([timed(t) for t in times]))
    (row,) = shown.table.rows
    assert (row.launches.text, row.median.text, row.p99.text) == ("3", "2.00 ms", "max 5.00 ms")
    assert row.name.anchor == "k-0-0-2"
    assert [launch.anchor for launch in shown.cards[0].launches] == ["k-0-0-0", "k-0-0-1", ""]


def test_the_high_end_is_called_by_its_name() -> None:
    def facts(launches: int) -> dict[str, str]:
        times = [3e-3, *[2e-3] * (launches - 2), 4e-3]
        (card,) = view(diagnosis([timed(t) for t in times])).cards
        return {fact.label: fact.text for fact in card.facts}

    few, many = facts(99), facts(100)
    assert (few["Longest"], "P99" in few) == ("4.00 ms", False)
    assert "Longest" not in many and "P99" in many
    # Half as long again as the median stands out.
    assert few["First"] == "3.00 ms"


def test_a_first_launch_like_the_others_is_not_told() -> None:
    (card,) = view(diagnosis([timed(t) for t in (2.1e-3, 2e-3, 2e-3)])).cards
    assert "First" not in {fact.label for fact in card.facts}


def test_streams_are_told_by_number_and_name() -> None:
    one = timed(1e-3, stream=7, stream_name="copies", context_name="solver")
    (alone,) = view(diagnosis([one])).cards
    assert {"Context": "solver", "Stream": "copies"}.items() <= {
        fact.label: fact.text for fact in alone.facts
    }.items()
    (several,) = view(diagnosis([one, timed(2e-3)])).cards
    assert several.launches[0].stream == "7 copies"


def test_the_longest_kernels_come_first_and_those_without_time_last() -> None:
    shown = view(
        diagnosis([timed(1e-3, name="b"), kernel(name="c", quantities={}), timed(2e-3, name="a")])
    )
    assert [row.name.short for row in shown.table.rows] == ["a", "b", "c"]
    assert shown.table.rows[0].share.text == "66.7 %"


def test_launches_that_were_judged_differently_say_so() -> None:
    odd = copy(bottleneck=tiny().bottleneck, findings=[finding("short-kernel")])
    shown = view(diagnosis([copy(), copy(), odd]))
    assert shown.cards[0].mixed == [
        "DRAM bandwidth: 2 launches, 66.7 % of the time",
        "Launch overhead: 1 launch, 33.3 % of the time",
        "Found in other launches only: Short kernel (1)",
    ]
    assert [rule.label for rule in shown.table.rules] == ["bandwidth-wall", "short-kernel"]
    assert shown.table.rows[0].rules == [0, 1]


def test_a_missing_number_has_its_reason_and_no_bar() -> None:
    found = bars(basic())
    assert (found["L2"].text, found["L2"].fill) == ("not collected", None)
    assert found["Occupancy"].text == "not a number: its counter failed"
    assert found["DRAM"].fill == 33.0


def test_another_denominator_is_named() -> None:
    assert bars(transpose())["SM"].of == "of active cycles"
    assert bars(basic())["SM"].of == "of elapsed cycles"
    shown = view(diagnosis([transpose(), copy(), basic()])).table
    assert [key.basis for key in shown.keys[:4]] == ["elapsed", "elapsed", "active", "active"]
    assert [cell.note for row in shown.rows for cell in row.keys if cell.note] == ["elapsed"]


def test_kernels_are_named_once_whatever_their_shapes() -> None:
    shown = view(diagnosis([basic(grid=(n, 1, 1)) for n in (1, 2, 3)]))
    assert [name.short for name in shown.roofs.unplaced[0].kernels] == ["reduce<512u>"]


def test_a_percentage_above_100_keeps_its_number_in_a_full_bar() -> None:
    bar = bars(kernel(quantities=quantities(1e-3, dram_throughput_pct=104.7)))["DRAM"]
    assert (bar.text, bar.fill) == ("104.7 %", 100.0)


def test_stalls_are_sorted_and_the_small_ones_named() -> None:
    stalls = card(transpose()).stalls
    assert stalls
    assert [bar.label for bar in stalls.bars][:2] == ["mio throttle", "short scoreboard"]
    assert [bar.label for bar in stalls.bars if bar.quiet] == ["selected"]
    assert stalls.rest == "Below 1.0 % each: not selected."


def rules(found: list[FindingView]) -> list[Any]:
    return [(one.rule, rules(one.consequences)) for one in found]


@pytest.mark.parametrize(
    ("causes", "tree"),
    [
        ({"a": None, "b": "a", "c": "b"}, [("a", [("b", [("c", [])])])]),
        ({"a": "gone", "b": None}, [("a", []), ("b", [])]),
        ({"a": "b", "b": "a", "c": "a"}, [("a", []), ("b", []), ("c", [])]),
        ({"a": "a"}, [("a", [])]),
    ],
)
def test_each_finding_stands_once_below_its_cause(causes: dict[str, str], tree: Any) -> None:
    found = [finding(rule, because_of=cause) for rule, cause in causes.items()]
    assert rules(card(kernel(findings=found)).findings) == tree


def test_evidence_names_value_limit_denominator_and_origin() -> None:
    row = card(transpose()).findings[0].evidence[0]
    assert (row.label, row.value, row.limit) == ("Bank conflicts, loads", "96.9 %", "≥ 10.0 %")
    assert row.basis == "of wavefronts"
    assert row.origin == "a formula for bank_conflict_load_pct"


def test_evidence_of_an_unknown_quantity_is_shown_as_it_is() -> None:
    found = finding(evidence=[evidence("some_new_number", 3.0)])
    row = card(kernel(findings=[found])).findings[0].evidence[0]
    assert (row.label, row.value, row.limit) == ("some new number", "3", None)


def test_a_gain_is_told_in_percent_and_in_time() -> None:
    gain = card(transpose()).findings[0].gain
    assert gain and (gain.expected, gain.at_most) == ("29.8 %", "33.1 %")
    assert gain.time == "423 µs, at most 470 µs of 1.42 ms a launch"


def test_code_lines_show_no_folder() -> None:
    where = Where(file="/home/ada/src/t.cu", line=12, sass="LDS R0, [R1]", share=0.5)
    place = card(kernel(findings=[finding(where=[where])])).findings[0].places[0]
    assert (place.code, place.share) == ("t.cu:12  LDS R0, [R1]", "50.0 %")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see @section:WarpStateStats:Warp State@.", "see Warp State."),
        ("the @url:guide:https://docs.nvidia.com/x@ says", "the guide says"),
        ("at @source:a.cu:12:line 12@", "at line 12"),
        ("mail a@b and c@d", "mail a@b and c@d"),
    ],
)
def test_nvidias_link_markup_becomes_its_label(text: str, shown: str) -> None:
    assert nvidia_text(text) == shown


def test_one_kernel_is_judged_by_its_own_sentence() -> None:
    verdict = view(diagnosis([fp64()])).verdict
    assert verdict.headline == "Sobel is limited by a compute pipe."
    assert verdict.sentences == ["The FP64 pipe is 86.2 % busy (active).", "Confidence: high."]


def test_launches_of_unknown_time_are_counted_beside_the_time() -> None:
    facts = view(diagnosis([timed(1e-3), timed(2e-3), kernel(name="c", quantities={})])).facts
    assert ("GPU time", "3.00 ms, without 1 launch of unknown time") in [
        (fact.label, fact.text) for fact in facts
    ]


def test_several_kernels_are_judged_by_where_the_time_goes() -> None:
    verdict = view(realistic()).verdict
    assert verdict.headline.startswith("51.2 % of the GPU time goes to kernels limited by L1")
    assert "high for 98.4 %" in verdict.sentences[1]


def test_equal_warnings_are_one_notice_whatever_their_numbers() -> None:
    def slow(ghz: str) -> list[MeasurementWarning]:
        return [MeasurementWarning(warning=f"the SMs ran at {ghz} GHz", effect="mind that")]

    kernels = [timed(2e-3, name="a", measurement=slow("1.05")), timed(1e-3, name="b")]
    shown = view(diagnosis([*kernels, timed(1e-3, name="c", measurement=slow("0.93"))]))
    (notice,) = shown.notices
    assert notice.text == "The SMs ran at 1.05 GHz."
    assert [name.short for name in notice.kernels] == ["a", "c"]


def test_damage_and_failed_rules_are_noticed_first() -> None:
    cut = Source(name="cut.ncu-rep", sha256="", format="ncu-rep", complete=False, lost_launches=2)
    failing = kernel(rule_errors=[RuleFailure(rule="x", message="no such name")])
    texts = [n.text + n.effect for n in view(diagnosis([failing], sources=[cut])).notices]
    assert "cut.ncu-rep is damaged" in texts[0] and "At least 2 launches" in texts[0]
    assert "rule x failed" in texts[1]


def test_undecided_rules_are_counted_over_all_kernels() -> None:
    shown = view(diagnosis([basic(), basic(grid=(1, 1, 1)), saxpy()]))
    row = next(row for row in shown.undecided if row.rule == "bank-conflicts")
    assert (row.kernels, row.share) == (2, "20.9 %")
    assert row.missing == "Bank conflicts, loads, Wavefronts per shared load"


def test_only_what_appears_is_explained() -> None:
    ids = [row.id for row in view(diagnosis([basic()])).method.rows]
    assert ids == ["duration", "dram_throughput_pct", "sm_throughput_pct"]


def test_kernels_beyond_the_first_ones_are_told_in_brief() -> None:
    found = [
        finding("low-occupancy", gain=Gain(expected_pct=5.0, at_most_pct=9.0, limited_by="L2"))
    ]
    many = [timed(1e-3, grid=(n, 1, 1), findings=found) for n in range(1, IN_FULL + 2)]
    assert not any(one.brief for one in view(diagnosis(many[1:])).cards)
    cards = view(diagnosis(many)).cards
    assert [one.brief for one in cards].count(False) == IN_FULL_OF_MANY
    assert cards[-1].findings[0].told == cards[0].name


def placed(*kernels: KernelDiagnosis, **overrides: Any) -> View:
    return view(diagnosis(list(kernels), **overrides))


def test_every_kernel_is_placed_somewhere_or_has_a_reason() -> None:
    roofs = placed(fp64(), saxpy(), copy(), basic()).roofs
    labels = [chart.label for chart in roofs.charts]
    assert labels == ["All precisions · DRAM", "FP64 · DRAM", "FP32 · DRAM", "FP64 · L2"]
    assert [row.text for row in roofs.strip] == [
        "534 GB/s of 589 GB/s achievable, 640 GB/s nominal"
    ]
    assert [one.why for one in roofs.unplaced] == [
        "no floating-point counts: collect --section SpeedOfLight_RooflineChart"
    ]


@pytest.mark.parametrize("point", [("fp32", "DRAM", 0.0, 1e9), ("fp32", "DRAM", 1.0, 0.0)])
def test_a_zero_has_no_place_on_a_logarithmic_axis(point: tuple[str, str, float, float]) -> None:
    assert placed(saxpy(roofline=roofline(point))).roofs.charts == []


def test_a_point_is_held_against_its_own_roof() -> None:
    (line, *_) = card(saxpy()).roof
    place, _, ridge = line.partition("; ")
    assert place == "FP32, DRAM: 88.0 GFLOP/s at 0.166 FLOP/byte, 90.0 % of its achievable roof"
    # 15.05 TFLOP/s over 640 GB/s, and over the 589 GB/s that can be reached.
    assert ridge == "ridge at 23.5 FLOP/byte, 25.6 achievable"


def test_kernels_of_all_precisions_share_a_chart_where_they_differ() -> None:
    both = fp64(roofline=roofline(("fp64", "DRAM", 18.3, 123.5e9), ("fp32", "DRAM", 1.0, 9e9)))
    (chart, *_) = placed(both, saxpy()).roofs.charts
    assert chart.label == "All precisions · DRAM"
    assert [(dot.name.short, dot.tip.partition(":")[0]) for dot in chart.dots] == [
        ("Sobel", "FP64"),
        ("saxpy", "FP32"),
    ]
    assert [one.text for one in chart.ridges] == [
        "FP32 ridge at 23.5 FLOP/byte, 25.6 achievable",
        "FP64 ridge at 0.367 FLOP/byte, 0.399 achievable",
    ]
    # 123.5 GFLOP/s are half of the FP64 peak, 9 GFLOP/s next to nothing of the FP32 peak.
    assert [c.label for c in placed(both).roofs.charts] == ["FP64 · DRAM", "FP32 · DRAM"]


def test_below_the_slanted_roof_a_kernel_works_in_the_precision_of_most_of_its_peak() -> None:
    # Both reach the same share of what DRAM allows; FP64 does 40 times the share of its peak.
    both = fp64(roofline=roofline(("fp32", "DRAM", 0.01, 1e9), ("fp64", "DRAM", 0.06, 6e9)))
    assert placed(both).roofs.charts[0].label == "FP64 · DRAM"


def test_the_longest_kernels_stand_for_the_time() -> None:
    shown = view(diagnosis([timed(1e-3, grid=(n, 1, 1)) for n in range(1, 11)])).by_kernel
    assert [one.share for one in shown.longest] == ["10.0 %"] * 8
    assert shown.rest == "2 more kernels: 20.0 %, 2.00 ms"


def test_kernels_of_two_gpus_have_two_charts() -> None:
    small = Device(name="A2000", compute_capability="8.6", sm_count=26)
    large = Device(name="A4500", compute_capability="8.6", sm_count=56)
    kernels = [saxpy(device=number, grid=(number + 1, 1, 1)) for number in (0, 1)]
    labels = [c.label for c in placed(*kernels, devices=[large, small]).roofs.charts]
    assert labels == ["FP32 · DRAM · A4500", "FP32 · DRAM · A2000"]


def test_a_kernel_of_an_unknown_gpu_is_given_to_none() -> None:
    twins = [Device(name=name, compute_capability="8.6", sm_count=56) for name in ("X", "Y")]
    (chart,) = placed(saxpy(device=None), devices=twins).roofs.charts
    assert chart.label == "FP32 · DRAM"


def test_axes_show_all_points_and_the_ridge() -> None:
    for chart in view(realistic()).roofs.charts:
        for axis, values in (
            (chart.x, [d.x for d in chart.dots]),
            (chart.y, [d.y for d in chart.dots]),
        ):
            assert all(10**axis.low < value < 10**axis.high for value in values)
            assert len(axis.ticks) >= 2
        assert all(10**chart.x.low < one.x < 10**chart.x.high for one in chart.ridges)


def test_a_diagnosis_is_not_changed_by_looking_at_it() -> None:
    given: Diagnosis = realistic()
    same = replace(given)
    view(given)
    assert given == same


def test_a_kernel_whose_counters_failed_says_so_on_its_card_and_in_the_table() -> None:
    unknown = bottleneck("insufficient-data", "low", cause="its counters failed")
    shown = view(diagnosis([kernel(quantities={}, bottleneck=unknown)]))
    assert shown.cards[0].mark.label == shown.table.rows[0].mark.label == "Counters failed"
    assert shown.cards[0].mark.kind == "insufficient-data"
    bare = bottleneck("insufficient-data", "low")
    assert card(kernel(quantities={}, bottleneck=bare)).mark.label == "Not enough data"


def test_several_gpus_in_one_report_are_a_reason_for_care() -> None:
    devices = [Device(name=f"GPU {name}", compute_capability="8.6") for name in "ABC"]
    both = [timed(1e-3, device=0), timed(1e-3, device=1, grid=(1, 1, 1))]
    (notice,) = view(diagnosis(both, devices=devices)).notices
    assert notice.text == (
        "The kernels ran on 2 different GPUs: GPU A (compute capability 8.6); "
        "GPU B (compute capability 8.6)."
    )
    assert notice.effect.startswith("Times and percentages compare within one GPU only")
    twins = [replace(devices[0], sm_count=10)] * 2
    for others in ([devices[0]], twins):
        alone = [timed(1e-3, device=min(i, len(others) - 1)) for i in range(2)]
        assert not view(diagnosis(alone, devices=others)).notices


def test_dram_by_bytes_is_explained_where_the_counter_says_otherwise() -> None:
    def note(counter: float, by_bytes: float) -> str:
        amounts = {"dram_bandwidth": 6e11, "dram_peak_bandwidth": 1e12}
        both = {"dram_throughput_pct": counter, "dram_bandwidth_pct": by_bytes}
        units = {"dram_bandwidth": "byte/s", "dram_peak_bandwidth": "byte/s"}
        entries = {id: CatalogueEntry(unit=unit, label=id) for id, unit in units.items()}
        given = diagnosis([kernel(quantities=quantities(1e-3, **amounts, **both))])
        shown = view(replace(given, catalogue=given.catalogue | entries))
        return {bar.label: bar.note or "" for bar in shown.cards[0].bars}["DRAM"]

    assert note(61.0, 60.0) == "600 GB/s of 1.00 TB/s"
    assert "60.0 % by bytes: the bar is DRAM's busiest counter" in note(75.0, 60.0)
    assert "60.0 % by bytes: the bar is of elapsed cycles" in note(40.0, 60.0)


def test_a_compute_capability_is_a_version_and_no_amount() -> None:
    shown = card(kernel(quantities=quantities(1e-3, compute_capability=8.9)))
    values = {row.label: row.value for row in shown.numbers}
    assert values["compute capability"] == "8.9"


def test_undecided_rules_are_called_by_name() -> None:
    missing = [Undecided(rule=rule, missing=["x"], collect="--set full") for rule in RULES]
    shown = view(diagnosis([timed(1e-3, undecided=missing)]))
    assert {row.rule: row.title for row in shown.undecided} == RULES
    assert [row.title for row in shown.cards[0].undecided] == list(RULES.values())


RULES = {
    "bank-conflicts": "Bank conflicts",
    "fp64-on-weak-gpu": "FP64 on weak GPU",
    "l2-thrash": "L2 thrash",
    "own-rule": "Own rule",
}

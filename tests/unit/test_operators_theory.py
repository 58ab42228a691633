"""Every kind of operator against numbers that were worked out by hand."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from ncu_triage.errors import UsageError
from ncu_triage.operators.kind import Kind
from ncu_triage.operators.own import own_kind
from ncu_triage.operators.registry import kind, kind_ids
from ncu_triage.operators.theory import Given, Theory, theory


class Worked(NamedTuple):
    """A shape, and what comes of it by hand."""

    kind: str
    type: str
    shape: dict[str, object]
    flops: int
    read: int
    written: int
    intensity: float


MI = 1024 * 1024
WORKED = [
    # 2 * 4096³; three matrices of 16 Mi elements with 2 bytes; 4096 / 3
    Worked(
        "gemm",
        "fp16",
        {"m": 4096, "n": 4096, "k": 4096},
        137_438_953_472,
        64 * MI,
        32 * MI,
        1365.33,
    ),
    # 8 products of 128 x 64 by 64 x 256 that add to C, fp32: per product A 32 KiB, B 64 KiB,
    # C 128 KiB twice; 2 * 128 * 256 * 64 FLOP
    Worked(
        "gemm",
        "fp32",
        {"m": 128, "n": 256, "k": 64, "batch": 8, "accumulate": True},
        33_554_432,
        8 * 224 * 1024,
        8 * 128 * 1024,
        11.636,
    ),
    # 2 * 4096²; the matrix of 32 MiB, two vectors of 8 KiB
    Worked("gemv", "fp16", {"m": 4096, "n": 4096}, 33_554_432, 33_562_624, 8192, 0.9995),
    # output 56 x 56: 2 * 32 * 64 * 3136 * 64 * 9; input and output 32 * 64 * 3136 * 2 bytes,
    # weights 64 * 64 * 9 * 2 bytes
    Worked(
        "conv",
        "fp16",
        {"n": 32, "c": 64, "h": 56, "w": 56, "k": 64, "r": 3, "s": 3, "pad": 1},
        7_398_752_256,
        12_845_056 + 73_728,
        12_845_056,
        287.18,
    ),
    # 1 x 1 with stride 2 on 8 x 8: a quarter of the input is needed; 4 x 4 outputs
    Worked(
        "conv",
        "fp32",
        {"n": 1, "c": 4, "h": 8, "w": 8, "k": 2, "r": 1, "s": 1, "stride": 2},
        256,
        4 * (64 + 8),
        4 * 32,
        0.6154,
    ),
    # depthwise: each of 16 groups has one channel; 6 x 6 outputs of 3 x 3
    Worked(
        "conv",
        "fp32",
        {"n": 1, "c": 16, "h": 8, "w": 8, "k": 16, "r": 3, "s": 3, "groups": 16},
        10_368,
        4 * (1024 + 144),
        4 * 576,
        1.4862,
    ),
    # as above, and the matrix of 32 * 3136 * 576 * 2 bytes twice
    Worked(
        "conv-im2col",
        "fp16",
        {"n": 32, "c": 64, "h": 56, "w": 56, "k": 64, "r": 3, "s": 3, "pad": 1},
        7_398_752_256,
        12_845_056 + 73_728 + 115_605_504,
        12_845_056 + 115_605_504,
        28.79,
    ),
    # residual add: 1 FLOP for 2 + 2 + 2 bytes
    Worked(
        "elementwise", "fp16", {"elements": 16 * MI, "inputs": 2}, 16 * MI, 64 * MI, 32 * MI, 1 / 6
    ),
    # 7 FLOP an element; gamma and beta of 4096 elements each
    Worked(
        "layernorm",
        "fp16",
        {"rows": 4096, "width": 4096},
        117_440_512,
        32 * MI + 16_384,
        32 * MI,
        1.7496,
    ),
    # 4 FLOP an element, one more for the residual; two tensors in, two out, and gamma
    Worked(
        "rmsnorm",
        "fp16",
        {"rows": 4096, "width": 4096},
        67_108_864,
        32 * MI + 8192,
        32 * MI,
        0.9999,
    ),
    Worked(
        "rmsnorm",
        "fp16",
        {"rows": 4096, "width": 4096, "residual": "true"},
        83_886_080,
        64 * MI + 8192,
        64 * MI,
        0.6250,
    ),
    # 5 FLOP for 2 + 2 bytes
    Worked("softmax", "fp16", {"rows": 4096, "width": 4096}, 83_886_080, 32 * MI, 32 * MI, 1.25),
    # 4 * 32 * 4096² * 128; four tensors of 32 * 4096 * 128 * 2 bytes; half the tokens
    Worked(
        "attention-prefill",
        "fp16",
        {"heads": 32, "tokens": 4096, "head_dim": 128},
        274_877_906_944,
        96 * MI,
        32 * MI,
        2048.0,
    ),
    # causal: 4096 * 4097 / 2 pairs; 8 heads of K and V take a quarter
    Worked(
        "attention-prefill",
        "fp16",
        {"heads": 32, "tokens": 4096, "head_dim": 128, "kv_heads": 8, "causal": True},
        4 * 32 * 8_390_656 * 128,
        48 * MI,
        32 * MI,
        1638.8,
    ),
    # 2 new tokens after 3: they see 4 and 5
    Worked(
        "attention-prefill",
        "fp32",
        {"heads": 1, "tokens": 2, "kv_tokens": 5, "head_dim": 1, "causal": True},
        4 * 9,
        4 * (2 + 5 + 5),
        4 * 2,
        36 / 56,
    ),
    # 4 * 32 * 4096 * 128; K and V of 32 MiB each, q and o of 8 KiB
    Worked(
        "attention-decode",
        "fp16",
        {"heads": 32, "kv_tokens": 4096, "head_dim": 128},
        67_108_864,
        64 * MI + 8192,
        8192,
        0.99976,
    ),
    # one addition fewer than elements
    Worked("reduction", "fp32", {"elements": 16 * MI}, 16_777_215, 64 * MI, 4, 0.25),
    # 50 million floats there and back
    Worked("copy", "fp32", {"elements": 50_000_000}, 0, 200_000_000, 200_000_000, 0.0),
    # rows of 8 KiB, and 4096 numbers of 8 bytes
    Worked("embedding", "fp16", {"tokens": 4096, "width": 4096}, 0, 32 * MI + 32_768, 32 * MI, 0.0),
    Worked(
        "embedding",
        "fp16",
        {"tokens": 4096, "width": 4096, "distinct": 1024},
        0,
        8 * MI + 32_768,
        32 * MI,
        0.0,
    ),
    # 13 FLOP for 28 bytes
    Worked(
        "adam",
        "fp32",
        {"elements": 100_000_000},
        1_300_000_000,
        1_600_000_000,
        1_200_000_000,
        13 / 28,
    ),
    Worked("adam", "fp32", {"elements": 1000, "half_copy": True}, 13_000, 16_000, 14_000, 13 / 30),
]


def _theory(which: str, shape: dict[str, object], type: str = "fp16", **more: object) -> Theory:
    return theory(kind(which), Given(shape, type, **more))  # type: ignore[arg-type]


@pytest.mark.parametrize("case", WORKED, ids=lambda case: f"{case.kind} {case.shape}")
def test_work_and_least_bytes_are_as_by_hand(case: Worked) -> None:
    found = _theory(case.kind, case.shape, case.type)
    assert (found.flops, found.read, found.written) == (case.flops, case.read, case.written)
    assert found.flops / found.bytes == pytest.approx(case.intensity, rel=1e-4)


def test_every_kind_was_worked_out_by_hand() -> None:
    assert {case.kind for case in WORKED} == set(kind_ids())


@pytest.mark.parametrize("id", kind_ids())
def test_every_kind_says_all_that_a_reader_needs(id: str) -> None:
    found = kind(id)
    assert found.id == id
    assert all((found.title, found.summary, found.counting, found.amplified, found.source))
    assert all(dimension.meaning for dimension in found.dimensions)
    assert theory(found, Given(found.example, found.type)).bytes > 0


def test_each_tensor_has_a_type_of_its_own_where_it_is_given_one() -> None:
    shape: dict[str, object] = {"m": 64, "n": 64, "k": 64}
    found = _theory("gemm", shape, types={"B": "int4", "C": "fp32"})
    assert {t.name: t.bytes for t in found.tensors} == {"A": 8192, "B": 2048, "C": 16_384}


def test_padding_to_tiles_costs_useful_work() -> None:
    # 4097 rows take 33 tiles of 128, 4224 rows
    found = _theory("gemm", {"m": 4097, "n": 4096, "k": 4096}, tile={"m": 128, "n": 128})
    assert found.padded == {"m": 4224, "n": 4096}
    assert found.useful_pct == pytest.approx(100 * 4097 / 4224)
    assert found.flops == 2 * 4097 * 4096 * 4096


def test_padding_to_a_size_counts_only_what_is_needed() -> None:
    # 3100 of 4096 tokens are real: the others are computed, too
    found = _theory("softmax", {"rows": 3100, "width": 100}, padded={"rows": 4096})
    assert found.useful_pct == pytest.approx(100 * 3100 / 4096)


ATTENTION: dict[str, object] = {"heads": 12, "tokens": 3100, "head_dim": 64}


@pytest.mark.parametrize(
    ("shape", "padding", "padded", "computed"),
    [
        # tokens of self-attention are queries and keys
        ({}, {"padded": {"tokens": 4096}}, {"tokens": 4096, "kv_tokens": 4096}, 4096 * 4096),
        # row i of 4096 sees i + 1 keys
        (
            {"causal": True},
            {"padded": {"tokens": 4096}},
            {"tokens": 4096, "kv_tokens": 4096},
            4096 * 4097 / 2,
        ),
        (
            {"causal": True},
            {"tile": {"tokens": 128}},
            {"tokens": 3200, "kv_tokens": 3200},
            3200 * 3201 / 2,
        ),
        # 3136 rows see up to themselves, the 64 after them all 3136 keys
        (
            {"causal": True},
            {"tile": {"tokens": 128, "kv_tokens": 64}},
            {"tokens": 3200, "kv_tokens": 3136},
            3136 * 3137 / 2 + 64 * 3136,
        ),
        # no real query sees a padded key; a thousand keys before them are seen by all
        (
            {"causal": True, "kv_tokens": 4100},
            {"padded": {"kv_tokens": 8192}},
            {"kv_tokens": 8192},
            3100 * 1000 + 3100 * 3101 / 2,
        ),
        # keys of another sequence do not follow
        ({"kv_tokens": 100}, {"padded": {"tokens": 4096}}, {"tokens": 4096}, 4096 * 100),
    ],
)
def test_padded_tokens_are_seen_as_far_as_the_mask_goes(
    shape: dict[str, object],
    padding: dict[str, object],
    padded: dict[str, float],
    computed: float,
) -> None:
    found = _theory("attention-prefill", {**ATTENTION, **shape}, **padding)
    assert found.padded == padded
    assert found.padded_flops == 4 * 12 * 64 * computed


CONV = {"n": 1, "c": 32, "h": 56, "w": 56, "k": 32, "r": 3, "s": 3, "pad": 1}


@pytest.mark.parametrize(
    ("which", "shape", "dimension"),
    [
        ("conv", CONV, "groups"),
        ("conv", CONV, "stride"),
        ("conv-im2col", CONV, "r"),
        ("reduction", {"elements": 100, "outputs": 10}, "outputs"),
        ("elementwise", {"elements": 100}, "inputs"),
        ("attention-decode", {"heads": 8, "kv_tokens": 9, "head_dim": 4}, "kv_heads"),
    ],
)
def test_what_no_kernel_pads_is_refused(
    which: str, shape: dict[str, object], dimension: str
) -> None:
    with pytest.raises(UsageError, match=f"tile: {dimension} of {which} is not padded by a kernel"):
        _theory(which, shape, tile={dimension: 32})


@pytest.mark.parametrize("id", kind_ids())
def test_padding_never_makes_more_than_all_of_the_work_useful(id: str) -> None:
    found = kind(id)
    for name in found.padding.dimensions:
        worked = theory(found, Given(found.example, found.type, tile={name: 7}))
        assert worked.padded[name] % 7 == 0
        assert worked.useful_pct is None or 0 < worked.useful_pct <= 100


def test_a_formula_of_ones_own_may_not_save_work_by_padding() -> None:
    mine = own_kind("mine", {"shape": ["a", "b"], "flops": "a - b", "read": "a"})
    assert theory(mine, Given({"a": 100, "b": 10}, "fp32", tile={"a": 64})).useful_pct == (
        pytest.approx(100 * 90 / 118)
    )
    with pytest.raises(UsageError, match="gets less with padded b: leave out what is no padding"):
        theory(mine, Given({"a": 100, "b": 10}, "fp32", tile={"b": 64}))


def test_without_tile_nothing_is_said_of_padding() -> None:
    assert _theory("gemm", {"m": 5, "n": 5, "k": 5}).useful_pct is None
    assert _theory("copy", {"elements": 5}, padded={"elements": 8}).useful_pct is None


@pytest.mark.parametrize(
    ("which", "shape", "words"),
    [
        ("gemm", {"m": 4096}, r"gemm needs n \(columns of B and C\), k"),
        (
            "gemm",
            {"m": 1, "n": 1, "k": 1, "bacth": 2},
            "no dimension 'bacth'; did you mean 'batch'",
        ),
        ("gemm", {"m": -4, "n": 1, "k": 1}, "m is -4; it must be at least 1"),
        ("gemm", {"m": 0, "n": 1, "k": 1}, "m is 0"),
        ("gemm", {"m": 1.5, "n": 1, "k": 1}, "m is a whole number, not 1.5"),
        ("gemm", {"m": "many", "n": 1, "k": 1}, "m is a whole number, not 'many'"),
        ("gemm", {"m": True, "n": 1, "k": 1}, "m is a whole number, not True"),
        ("gemm", {"m": [1], "n": 1, "k": 1}, "m is a whole number"),
        ("gemm", {"m": float("nan"), "n": 1, "k": 1}, "m is a whole number"),
        ("gemm", {"m": 10**400, "n": 1, "k": 1}, "m is a whole number"),
        ("gemm", {"m": 1e14, "n": 1, "k": 1}, r"m is 1e\+14, which is absurd"),
        ("gemm", {"m": -1e300, "n": 1, "k": 1}, r"m is -1e\+300; it must be at least 1"),
        ("gemm", {"m": "9" * 300 + "x", "n": 1, "k": 1}, "m is a whole number, not '9{38}…"),
        ("gemm", {"m": 1e9, "n": 1e9, "k": 1}, "no GPU does"),
        ("gemm", {"m": 1, "n": 1, "k": 1, "accumulate": 7}, "accumulate is true or false, not 7"),
        ("conv", {**dict.fromkeys("nchwk", 4), "r": 9, "s": 1}, r"p = floor.* is -4"),
        ("conv", {**dict.fromkeys("nchwk", 4), "r": 1, "s": 1, "groups": 3}, "multiple of groups"),
        (
            "attention-decode",
            {"heads": 6, "kv_heads": 4, "kv_tokens": 1, "head_dim": 1},
            "multiple",
        ),
        ("embedding", {"tokens": 4, "width": 4, "distinct": 5}, "cannot be more than tokens"),
    ],
)
def test_a_shape_that_is_none_is_refused(which: str, shape: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        _theory(which, shape)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"types": {"D": "fp16"}}, "gemm has no tensor 'D'; it has A, B"),
        ({"tile": {"M": 128}}, "tile: gemm has no dimension 'M'"),
        ({"tile": {"accumulate": 2}}, "accumulate of gemm is not padded by a kernel; m, n, k, b"),
        ({"tile": {"m": 2}, "padded": {"m": 8}}, "m has both tile.m and padded.m: give one"),
        ({"tile": {"m": 0}}, "tile.m is 0"),
        ({"padded": {"m": 3}}, "padded.m is less than m, 4"),
    ],
)
def test_padding_and_types_are_checked(more: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        _theory("gemm", {"m": 4, "n": 4, "k": 4}, **more)


def test_sizes_may_be_written_as_yaml_and_the_command_line_have_them() -> None:
    found = _theory("gemm", {"m": "4096", "n": "1e3", "k": 4096.0})
    assert found.shape == {"m": 4096, "n": 1000, "k": 4096, "batch": 1, "accumulate": 0}


def test_an_unknown_operator_is_named_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="no operator 'sotfmax'; did you mean 'softmax'"):
        kind("sotfmax")
    with pytest.raises(UsageError, match="there are adam, attention-decode"):
        kind("???")
    assert isinstance(kind("mine", {"mine": kind("copy")}), Kind)

"""The file of operators: what it may say, and each mistake in one line that says what to do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fixtures.launches import kernel

from ncu_triage.errors import UsageError
from ncu_triage.operators.patterns import Pattern
from ncu_triage.operators.plan import Plan, read_plan

GEMM = "operator: gemm, type: fp16, shape: {m: 4, n: 4, k: 4}"
COPY = "operator: copy, type: fp32, shape: {elements: 100}"
Read = Callable[[str], Plan]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def made(text: str) -> Plan:
        path = tmp_path / "ops.yaml"
        path.write_text(text, encoding="utf-8")
        return read_plan(path)

    return made


def test_an_entry_says_what_and_where(read: Read) -> None:
    plan = read("""\
operators:
  - name: QKV projection
    operator: gemm
    shape: {m: 4096, n: 12288, k: 4096}
    type: half
    types: {C: float32}
    tile: {m: 128}
    kernel: ["*gemm*", splitK]
    nvtx: layer.0/attention
    grid: 64x32
    block: [128]
    calls: 12
""")
    (entry,) = plan.entries
    assert (entry.name, entry.kind.id, entry.calls) == ("QKV projection", "gemm", 12)
    assert entry.given.type == "fp16"
    assert entry.given.types == {"C": "fp32"}
    assert entry.theory.useful_pct == 100
    assert (entry.where.grid, entry.where.block) == ((64, 32, 1), (128, 1, 1))


def test_a_name_is_the_operators_title_where_none_is_given(read: Read) -> None:
    assert read(f"operators: [{{{GEMM}, kernel: a}}]").entries[0].name == "GEMM"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file must be a map"),
        ("[1, 2]", "the file must be a map"),
        ("operators: {}", "give operators: with a list"),
        ("operators: []", "give operators: with a list"),
        ("operator: [1]", "there is no field 'operator'; did you mean 'operators'"),
        ("operators: [", "is no YAML: did not find"),
        ("operators: [!!python/object/apply:os.system ['true']]", "is no YAML"),
        ("operators: [!!python/name:os.system ]", "is no YAML"),
        ("operators: [2001-99-99]", "no YAML that makes sense"),
        ("operators:\n  - a\n  - b: 1\n    b: 2\n", "line 4: 'b' stands here twice"),
        ("operators: [5]", "line 1, operator 1: an operator must be a map"),
        (f"operators: [{{{COPY}}}]", "say which launches it is"),
        (f"operators: [{{{COPY}, kernel: ''}}]", "kernel must be a text"),
        (f"operators: [{{{COPY}, kernel: 'regex:'}}]", "would fit everything"),
        (f"operators: [{{{COPY}, kernel: 'regex:('}}]", "kernel: .* is no regular expression"),
        (f"operators: [{{{COPY}, kernel: 'regex:(?=a)'}}]", "is no regular expression"),
        (f"operators: [{{{COPY}, kernel: a, grid: [1, 2, 3, 4]}}]", "one to three sizes"),
        (f"operators: [{{{COPY}, kernel: a, grid: many}}]", "grid is a whole number"),
        (f"operators: [{{{COPY}, kernel: a, calls: 0}}]", "calls is 0"),
        (f"operators: [{{{COPY}, kernel: a, cals: 1}}]", "did you mean 'calls'"),
        ("operators: [{kernel: a, type: fp16}]", "say what it is, such as operator: gemm"),
        ("operators: [{operator: copy, kernel: a}]", "say its type"),
        ("operators: [{operator: cpy, kernel: a, type: fp16}]", "did you mean 'copy'"),
        ("operators: [{operator: copy, kernel: a, type: fp17}]", "no type 'fp17'; did you mean"),
        ("operators: [{operator: copy, kernel: a, type: [1]}]", "type must be a text"),
        ("operators: [{operator: copy, kernel: a, type: fp16, shape: 5}]", "shape must be a map"),
        ("operators: [{operator: copy, kernel: a, type: fp16}]", "copy needs elements"),
        (f"operators: [{{{COPY}, kernel: a}}, {{{COPY}, kernel: b}}]", "line 1 has that name"),
        (f"operators: [{{name: {'x' * 201}, {COPY}, kernel: a}}]", "longer than 200"),
    ],
)
def test_a_mistake_is_one_line_with_the_file(read: Read, text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        read(text)
    message = str(caught.value)
    assert message.startswith("--operators ")
    assert "ops.yaml" in message
    assert "\n" not in message
    assert caught.value.exit_code == 2


def test_a_mistake_names_the_line_and_the_operator(read: Read) -> None:
    text = f"operators:\n- {{{GEMM}, kernel: a}}\n- name: Add\n  operator: copy\n  kernel: b\n"
    with pytest.raises(UsageError, match=r"ops.yaml, line 3, operator 2 \(Add\): say its type"):
        read(text)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read_plan(tmp_path / "none.yaml")
    with pytest.raises(UsageError, match="directory"):
        read_plan(tmp_path)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no UTF-8"):
        read_plan(tmp_path / "binary")
    (tmp_path / "large").write_bytes(b"#" * 1_000_001)
    with pytest.raises(UsageError, match="more than 1,000,000 bytes"):
        read_plan(tmp_path / "large")


@pytest.mark.parametrize(
    "text",
    [
        "operators: &a [*a]",
        "&a {operators: *a}",
        "[" * 5000,
        "a: &a [x, x, x, x, x]\n"
        + "".join(
            f"{c}: &{c} [*{p}, *{p}]\n"
            for p, c in zip("abcdefghijklmnop", "bcdefghijklmnopq", strict=True)
        ),
    ],
    ids=["a list in itself", "a map in itself", "deep", "many aliases"],
)
def test_yaml_that_turns_on_itself_is_refused(read: Read, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


OWN = """\
formulas:
  swiglu:
    title: SwiGLU
    shape: {tokens: , width: , gates: 2}
    flops: 6 * tokens * width
    read: {gates: gates * tokens * width}
    written: {out: tokens * width}
    why: the halves are read apart.
operators:
  - operator: swiglu
    shape: {tokens: 1024, width: 4096}
    type: bf16
    kernel: swiglu
"""


def test_a_formula_of_the_users_own_is_an_operator_like_others(read: Read) -> None:
    # 6 * 4 Mi FLOP; 2 * 4 Mi and 4 Mi elements of 2 bytes
    (entry,) = read(OWN).entries
    assert entry.name == "SwiGLU"
    assert entry.theory.flops == 25_165_824
    assert (entry.theory.read, entry.theory.written) == (16_777_216, 8_388_608)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("swiglu:", "gemm:", "one of the project's own"),
        ("swiglu:", "Swi Glu:", "small letters"),
        ("flops: 6", "flop: 6", "no field 'flop'; did you mean 'flops'"),
        ("6 * tokens", "6 * token", "'token', which is no dimension; did you mean 'tokens'"),
        ("6 * tokens", "__import__('os').getcwd()", "more than arithmetic"),
        ("{tokens: , width: , gates: 2}", "[]", "give shape:"),
        ("{tokens: , width: , gates: 2}", "[tokens, if]", "'if' cannot be the name"),
        ("{tokens: , width: , gates: 2}", "{gates: tokens, tokens: }", "no dimension"),
        ("{out:", "{gates:", "both read and written"),
        ("written: {out: tokens * width}", "math: cuda", "math is tensor"),
        ("6 * tokens * width", "[1]", "flops must be a formula"),
    ],
)
def test_a_mistake_in_a_formula_names_its_line(
    read: Read, before: str, after: str, words: str
) -> None:
    assert before in OWN
    with pytest.raises(UsageError, match=words) as caught:
        read(OWN.replace(before, after, 1))
    assert "ops.yaml, line 2, formula" in str(caught.value)


def test_a_formula_must_move_something(read: Read) -> None:
    text = "formulas: {f: {shape: [m], flops: m}}\noperators: [1]"
    with pytest.raises(UsageError, match="it moves nothing"):
        read(text)


def test_a_formula_may_say_its_elements_alone(read: Read) -> None:
    text = (
        "formulas: {f: {shape: [m], read: 2 * m, written: m}}\n"
        "operators: [{operator: f, type: fp32, shape: {m: 10}, kernel: f}]"
    )
    found = read(text).entries[0].theory
    assert (found.flops, found.read, found.written) == (0, 80, 40)


def test_a_formula_whose_result_is_negative_is_refused(read: Read) -> None:
    text = OWN.replace("6 * tokens", "-6 * tokens")
    with pytest.raises(UsageError, match=r"operator 1: FLOPs = -6 .* check the shape"):
        read(text)


FULL = (
    "void at::native::vectorized_elementwise_kernel<4, at::native::AddFunctor<float>>(int, float*)"
)


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("elementwise", True),
        ("AddFunctor", True),
        ("Elementwise", False),
        ("vectorized_elementwise_kernel", True),
        ("vectorized*", True),
        ("*AddFunctor*", True),
        ("elementwise*", False),
        ("vectorized_elementwise_kernel<4, …", True),
        ("vectorized_elementwise_kernel<4, AddFunctor<float>>", True),
        ("vectorized_elementwise_kerne?", True),
        ("regex:^vectorized_.*kernel$", True),
        ("regex:Mul|Add", True),
        ("regex:^Add", False),
        ("[float]*", False),
    ],
)
def test_a_pattern_fits_names(pattern: str, fits: bool) -> None:
    one = kernel(name="vectorized_elementwise_kernel", demangled=FULL)
    assert Pattern([pattern]).fits_name(one) is fits


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ("attention", True),
        ("layer.3", True),
        ("layer.3/attention", True),
        ("step/*/attention", True),
        ("attention/layer", False),
        ("regex:layer\\.[0-9]+/attention$", True),
        ("layer.*", True),
        ("mlp", False),
    ],
)
def test_a_pattern_fits_ranges_and_their_path(pattern: str, fits: bool) -> None:
    assert Pattern([pattern]).fits_range(kernel(nvtx=("step", "layer.3", "attention"))) is fits
    assert not Pattern([pattern]).fits_range(kernel())


@pytest.mark.parametrize("pattern", ["regex:(a+)+$", "regex:(a|a)*b", "*a*a*a*a*a*a*a*a*b"])
def test_no_pattern_runs_away(pattern: str) -> None:
    name = "a" * 5000 + "!"
    assert not Pattern([pattern]).fits_name(kernel(name=name, demangled=name))

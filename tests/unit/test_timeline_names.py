"""One kernel spelled by two demanglers, and what no spelling may join."""

from __future__ import annotations

import time

import pytest

from ncu_triage.timeline.join.names import loose, spelled, unscoped

# As NVIDIA's tools spell it, and as the C++ library does.
SAME = {
    "casts and blanks": (
        "void ns::copy<(int)4, float, (bool)1, (bool)0, (unsigned long)2>(T2 *, int)",
        "void ns::copy<4, float, true, false, 2ul>(float*, int)",
    ),
    "const": (
        "void ns::add<const float *, half>(const T1, T2 *)",
        "void ns::add<float const*, half>(float const*, half*)",
    ),
    "closing brackets": (
        "void f<ns::A<ns::B<float>>>(T1)",
        "void f<ns::A<ns::B<float> > >(ns::A<ns::B<float> >)",
    ),
    "what only one file sees": (
        "void ns::<unnamed>::norm<float, float>(const T1 *)",
        "void ns::(anonymous namespace)::norm<float, float>(float const*)",
    ),
    "lambdas": (
        "void each<(int)4, ns::fill(ns::Iter &)::[lambda() (instance 3)]::operator ()() const::"
        "[lambda(float) (instance 1)], ns::Array<char *, (int)2>>(int, T2, T3)",
        "void each<4, ns::fill(ns::Iter&)::{lambda()#3}::operator()() const::{lambda(float)#1},"
        " ns::Array<char*, 2> >(int, ns::fill(ns::Iter&)::{lambda()#3}::operator()() const::"
        "{lambda(float)#1}, ns::Array<char*, 2>)",
    ),
    "return types within": (
        "void each<float, void ns::make<float>(const ns::T &, T1)::[lambda(int) (instance 1)]>(T2)",
        "void each<float, ns::make<float>(ns::T const&, float)::{lambda(int)#1}>(float)",
    ),
    "a return type with arguments": (
        "std::enable_if<T8, void>::type ns::gemv::kernel<int, (bool)1>(T1)",
        "std::enable_if<true, void>::type ns::gemv::kernel<int, true>(int)",
    ),
    "enumerators": ("void f<(ns::Kind)2>(int)", "void f<(ns::Kind)2>(int)"),
    "no template": ("ns::scale(float *, int)", "ns::scale(float*, int)"),
    "extern C": ("ampere_sgemm_32x32_sliced1x4_tn", "ampere_sgemm_32x32_sliced1x4_tn"),
    "the hash of a build": (
        "ns::_GLOBAL__N__d8ceb000_7_norm_cu_0c5b6e85::norm(float *)",
        "ns::_GLOBAL__N__11111111_7_norm_cu_22222222::norm(float *)",
    ),
    "the hash of a build, mangled": (
        "_ZN2ns41_GLOBAL__N__d8ceb000_7_norm_cu_0c5b6e854normEPf",
        "_ZN2ns41_GLOBAL__N__11111111_7_norm_cu_222222224normEPf",
    ),
}

APART = [
    ("void f<(int)4>(int)", "void f<(int)8>(int)"),
    ("void f<float>(T1)", "void f<double>(T1)"),
    ("void a::f<float>(T1)", "void b::f<float>(T1)"),
    (
        "void each<ns::sqrt(ns::I &)::[lambda() (instance 1)]>(T1)",
        "void each<ns::log(ns::I &)::[lambda() (instance 1)]>(T1)",
    ),
    (
        "void each<ns::sqrt(ns::I &)::[lambda() (instance 1)]>(T1)",
        "void each<ns::sqrt(ns::I &)::[lambda() (instance 2)]>(T1)",
    ),
    ("gemm_32x32", "gemm_64x64"),
]


@pytest.mark.parametrize("case", SAME)
def test_two_spellings_of_one_name(case: str) -> None:
    nvidia, library = SAME[case]
    assert spelled(nvidia) == spelled(library)
    assert unscoped(nvidia) == unscoped(library)


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_names_stay_two(one: str, other: str) -> None:
    assert spelled(one) != spelled(other)


def test_tables_of_nsight_compute_print_names_without_namespaces() -> None:
    """They take `<`, `const` and a bracket along with a namespace."""
    report = (
        "void at::each<(int)4, at::<unnamed>::silu(at::Iter &)::[lambda() (instance 1)]::"
        "operator ()() const::[lambda(c10::Half) (instance 6)], std::array<char *, (int)2>>(int)"
    )
    table = (
        "void each<4, unnamed>::silu(Iter &)::[lambda() (instance 1)]::operator ()() "
        "lambda(Half) (instance 6)], array<char *, 2>>(int)"
    )
    assert unscoped(report) == unscoped(table)
    assert unscoped("void a::k<b::c>(T1)") == unscoped("void k<c>(c)")


@pytest.mark.parametrize(
    ("name", "bare"),
    [
        ("step_278_gpu", "step_#_gpu"),
        ("reduce_871_gpu__red", "reduce_#_gpu__red"),
        ("__omp_offloading_31_18a80bc__Z4mainv_l43", "__omp_offloading_#__Z4mainv_#"),
        ("triton_poi_fused_add_12", "triton_poi_fused_add_#"),
        ("kernel_0d1d2", "kernel_#"),
        ("cupy_sum_9f86d081884c", "cupy_sum#"),
        ("ampere_sgemm_32x32_sliced1x4_tn", None),
        ("void f<(int)4>(int)", None),
        ("plain", None),
    ],
)
def test_what_a_compiler_numbers_anew(name: str, bare: str | None) -> None:
    assert loose(name) == bare


HOSTILE = (
    *("", "(", ")", "<", ">>", "->", "void", "void ", "operator<<", "a(b<c)>", "f!::g", "_Z"),
    *("\u202e<", "(" * 5_000, "<" * 5_000, "_1" * 4_000 + "x", "a::" * 2_500, "&(" * 4_000),
    *("_GLOBAL__N__" * 600, "_GLOBAL__N__00000000_" * 350, "0" * 8_000, "const " * 1_300),
    *("_Z" + "_GLOBAL__N__00000000_1_" * 340, "[lambda() (instance 1)]" * 340, "true" * 2_000),
)


@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: f"{name[:8]}-{len(name)}")
def test_a_hostile_name_is_no_trouble(name: str) -> None:
    begun = time.process_time()
    for function in (spelled, unscoped, loose):
        function(name)
    assert time.process_time() - begun < 1

"""Names that mean one kernel, whoever spelled them."""

from __future__ import annotations

import pytest

from ncu_triage.compare.names import base, called, likeness, loose, spelled


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("void k<(int)4, (bool)1>(float *)", "void k<4, true>(float*)"),
        ("void ns::k<float>(T1::Params)", "void k<float>(Params)"),
        ("<unnamed>::k(int)", "(anonymous namespace)::k(int)"),
        ("void f<[lambda() (instance 1)]>(T1)", "void f<{lambda()#1}>(T1)"),
        (
            "_GLOBAL__N__d8ceb000_4_a_cu::scale(float *)",
            "_GLOBAL__N__1f00ab12_4_a_cu::scale(float *)",
        ),
        ("copy<std::array<char*, 3ul> >(int)", "copy<std::array<char*, 3> >(int)"),
    ],
)
def test_demanglers_spell_one_name_in_several_ways(one: str, other: str) -> None:
    assert spelled(one) == spelled(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("k<4>(float *)", "k<8>(float *)"),
        ("k(float *)", "k(double *)"),
        ("gemm_128x64(T1)", "gemm_128x128(T1)"),
    ],
)
def test_other_arguments_are_another_spelling(one: str, other: str) -> None:
    assert spelled(one) != spelled(other)


def test_a_name_without_its_parameters_and_without_its_arguments() -> None:
    full = "void at::native::reduce<512u, at::Add<float> >(float *, int)"
    assert called(full) == "reduce<512,Add<float>>"
    assert base(full) == "reduce"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("compute_x_278_gpu", "compute_x_279_gpu"),
        ("triton_poi_fused_add_12", "triton_poi_fused_add_7"),
        ("kernel_0d1d2", "kernel_0d1d2d3"),
        ("__omp_offloading_31_18a80bc__Z_2_l57", "__omp_offloading_32_98bb0c1__Z_2_l61"),
        ("cupy_copy__8f2e91aa03", "cupy_copy__0a11c2d3e4"),
    ],
)
def test_numbers_of_a_build_do_not_tell_kernels_apart(one: str, other: str) -> None:
    assert loose(one) == loose(other)
    assert spelled(one) != spelled(other)


@pytest.mark.parametrize("name", ["", "<<<", "operator<<(int)", "a->b", ")(", "x" * 10_000, "\0\n"])
def test_what_is_no_name_is_no_error(name: str) -> None:
    assert spelled(name) == spelled(name)
    assert isinstance(loose(name), str)


def test_likeness_is_of_the_names_alone() -> None:
    assert likeness("transposeCoalesced(float *)", "transposeNoBankConflicts(float *)") > 0.5
    assert likeness("saxpy(float *, int)", "Sobel(float *, int)") < 0.5

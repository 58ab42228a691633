"""Whose kernel it is, and the advice that follows."""

from __future__ import annotations

import pytest

from ncu_triage.engine.owner import owner, remedies_for


@pytest.mark.parametrize(
    ("name", "whose", "kind"),
    [
        ("my_kernel(float*, int)", "the program's own code", "own"),
        ("naive_gemm(float*)", "the program's own code", "own"),
        ("ampere_sgemm_128x64_nn", "cuBLAS", "library"),
        ("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n", "cuBLAS", "library"),
        ("void cutlass::Kernel2<cutlass_80_wmma_tensorop>(T1::Params)", "CUTLASS", "template"),
        ("void at::native::vectorized_elementwise_kernel<4, Add>(int)", "PyTorch", "library"),
        ("triton_poi_fused_add_12", "Triton", "generated"),
        ("void cub::DeviceRadixSortOnesweepKernel<Policy>()", "CUB", "library"),
        ("ncclDevKernel_AllReduce_Sum_f32_RING_LL", "NCCL", "library"),
        ("cudnn::ops::nchwToNhwcKernel<float>", "cuDNN", "library"),
    ],
)
def test_the_name_tells_the_owner(name: str, whose: str, kind: str) -> None:
    found = owner(name)
    assert (found.name, found.kind) == (whose, kind)


def test_nobody_is_told_to_edit_a_librarys_kernel() -> None:
    advice = remedies_for(owner("ampere_sgemm_128x64_nn"), ["Pad the tile."], [])
    assert "cannot be edited" in advice[0]
    assert "Pad the tile." not in advice


def test_a_rule_may_know_better_what_a_call_can_change() -> None:
    advice = remedies_for(owner("ampere_sgemm_128x64_nn"), ["Pad the tile."], ["Allow TF32."])
    assert advice[1:] == ["Allow TF32."]


def test_own_code_gets_the_rules_remedies_as_they_are() -> None:
    assert remedies_for(owner("my_kernel"), ["Pad the tile."], ["Allow TF32."]) == ["Pad the tile."]

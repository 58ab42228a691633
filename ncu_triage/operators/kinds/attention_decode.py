"""Attention of one new token over the tokens before it."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="attention-decode",
    title="Attention, decode",
    summary="softmax(q · Kᵀ) · V of one new token over the KV cache",
    dimensions=(
        Dimension("batch", "sequences", "1"),
        Dimension("heads", "query heads"),
        Dimension("kv_tokens", "tokens in the cache"),
        Dimension("head_dim", "elements of a head"),
        Dimension("kv_heads", "heads of K and V", "heads"),
        Dimension("tokens", "new tokens of a sequence", "1"),
    ),
    checks={"heads % kv_heads == 0": "heads must be a multiple of kv_heads"},
    flops="4 * batch * heads * tokens * kv_tokens * head_dim",
    tensors=(
        Tensor("Q", "read", "batch * heads * tokens * head_dim"),
        Tensor("K", "read", "batch * kv_heads * kv_tokens * head_dim"),
        Tensor("V", "read", "batch * kv_heads * kv_tokens * head_dim"),
        Tensor("O", "written", "batch * heads * tokens * head_dim"),
    ),
    padding=Padding(("batch", "heads", "kv_tokens", "head_dim", "tokens")),
    math="tensor",
    type="fp16",
    example={"heads": 32, "kv_tokens": 4096, "head_dim": 128},
    counting="a multiply-add for q · Kᵀ and one for p · V, for each cached token and element of a "
    "head; the softmax between them is left out",
    amplified="heads that share K and V read them apart, or parts of a split are written and "
    "read again; a smaller type of the cache halves what has to be read.",
    source="as for attention-prefill; Pope et al., Efficiently Scaling Transformer Inference, "
    "https://arxiv.org/abs/2211.05102",
)

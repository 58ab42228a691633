"""Attention over many query tokens at once."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="attention-prefill",
    title="Attention, prefill",
    summary="softmax(Q · Kᵀ) · V over all tokens of a prompt (forward)",
    dimensions=(
        Dimension("batch", "sequences", "1"),
        Dimension("heads", "query heads"),
        Dimension("tokens", "query tokens of a sequence"),
        Dimension("head_dim", "elements of a head"),
        Dimension("kv_tokens", "tokens of K and V, those before included", "tokens"),
        Dimension("kv_heads", "heads of K and V", "heads"),
        Dimension("causal", "a token sees none after it", "0", flag=True),
    ),
    # With causal, the last query sees all tokens, the one before it all but one, and so on.
    derived={
        "pairs": "tokens * kv_tokens - causal * tokens * (tokens - 1) / 2",
    },
    checks={
        "heads % kv_heads == 0": "heads must be a multiple of kv_heads",
        "kv_tokens >= tokens * causal": "with causal, kv_tokens counts the tokens, too",
    },
    flops="4 * batch * heads * pairs * head_dim",
    tensors=(
        Tensor("Q", "read", "batch * heads * tokens * head_dim"),
        Tensor("K", "read", "batch * kv_heads * kv_tokens * head_dim"),
        Tensor("V", "read", "batch * kv_heads * kv_tokens * head_dim"),
        Tensor("O", "written", "batch * heads * tokens * head_dim"),
    ),
    # Padding comes after the real tokens: with causal, no real query sees a padded key.
    padding=Padding(
        ("batch", "heads", "tokens", "head_dim", "kv_tokens"),
        {
            "unseen": "kv_tokens - real_kv_tokens + real_tokens - 1",  # by the first query
            "short": "min(tokens, unseen)",  # queries that do not see all
            "pairs": "tokens * kv_tokens - causal * (short * unseen - short * (short - 1) / 2)",
        },
    ),
    math="tensor",
    type="fp16",
    example={"heads": 32, "tokens": 4096, "head_dim": 128},
    counting="a multiply-add for Q · Kᵀ and one for P · V, for each pair of tokens and element of "
    "a head; the softmax between them is left out, as is usual",
    amplified="the scores are written to memory, or K and V are read again for each tile of "
    "queries: a fused kernel (FlashAttention) keeps the scores on the chip.",
    source="Dao et al., FlashAttention, https://arxiv.org/abs/2205.14135, with the causal half "
    "counted exactly",
)

"""Matrix times vector."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="gemv",
    title="GEMV",
    summary="Matrix times vector: y = A · x",
    dimensions=(
        Dimension("m", "rows of A, elements of y"),
        Dimension("n", "columns of A, elements of x"),
        Dimension("batch", "independent products, each with its own matrix", "1"),
    ),
    flops="2 * batch * m * n",
    tensors=(
        Tensor("A", "read", "batch * m * n"),
        Tensor("x", "read", "batch * n"),
        Tensor("y", "written", "batch * m"),
    ),
    padding=Padding(("m", "n", "batch")),
    math="tensor",
    type="fp16",
    example={"m": 4096, "n": 4096},
    counting="one multiply-add for each element of A",
    amplified="sectors of A are read in part or twice, which coalesced loads and another split "
    "of the rows avoid.",
    source="the matrix product with n = 1",
)

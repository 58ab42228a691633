"""Matrix product."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="gemm",
    title="GEMM",
    summary="Matrix product: C = A · B, or C = A · B + C with accumulate",
    dimensions=(
        Dimension("m", "rows of A and C"),
        Dimension("n", "columns of B and C"),
        Dimension("k", "columns of A, rows of B"),
        Dimension("batch", "independent products", "1"),
        Dimension("accumulate", "C is read, too", "0", flag=True),
    ),
    flops="2 * batch * m * n * k",
    tensors=(
        Tensor("A", "read", "batch * m * k"),
        Tensor("B", "read", "batch * k * n"),
        Tensor("C_in", "read", "batch * m * n * accumulate"),
        Tensor("C", "written", "batch * m * n"),
    ),
    padding=Padding(("m", "n", "k", "batch")),
    math="tensor",
    type="fp16",
    example={"m": 4096, "n": 4096, "k": 4096},
    counting="one multiply-add for each of the m * n * k products",
    amplified="blocks read the same parts of A and B again: larger tiles, or an order of the "
    "blocks in which neighbours share them in L2, save that.",
    source="NVIDIA, Matrix Multiplication Background User's Guide, "
    "https://docs.nvidia.com/deeplearning/performance/dl-performance-matrix-multiplication/",
)

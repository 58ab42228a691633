"""Layer normalisation."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="layernorm",
    title="Layer normalisation",
    summary="y = (x - mean) / deviation * gamma + beta over each row",
    dimensions=(
        Dimension("rows", "rows (tokens)"),
        Dimension("width", "elements of a row"),
        Dimension("residual", "adds a second input and writes the sum, too", "0", flag=True),
    ),
    flops="(7 + residual) * rows * width",
    tensors=(
        Tensor("x", "read", "rows * width"),
        Tensor("residual_in", "read", "rows * width * residual"),
        Tensor("gamma", "read", "width"),
        Tensor("beta", "read", "width"),
        Tensor("y", "written", "rows * width"),
        Tensor("residual_out", "written", "rows * width * residual"),
    ),
    padding=Padding(("rows", "width")),
    type="fp16",
    example={"rows": 4096, "width": 4096},
    counting="for each element: mean 1, difference 1, square and add 2, scale 1, gamma and beta 2",
    amplified="a row is read again for the second pass: keep it in registers or shared memory.",
    source="counted from the definition; Ba et al., Layer Normalization, "
    "https://arxiv.org/abs/1607.06450",
)

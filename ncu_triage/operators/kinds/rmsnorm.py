"""Normalisation by the root of the mean square."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="rmsnorm",
    title="RMS normalisation",
    summary="y = x / root(mean(x²)) * gamma over each row",
    dimensions=(
        Dimension("rows", "rows (tokens)"),
        Dimension("width", "elements of a row"),
        Dimension("residual", "adds a second input and writes the sum, too", "0", flag=True),
    ),
    flops="(4 + residual) * rows * width",
    tensors=(
        Tensor("x", "read", "rows * width"),
        Tensor("residual_in", "read", "rows * width * residual"),
        Tensor("gamma", "read", "width"),
        Tensor("y", "written", "rows * width"),
        Tensor("residual_out", "written", "rows * width * residual"),
    ),
    padding=Padding(("rows", "width")),
    type="fp16",
    example={"rows": 4096, "width": 4096},
    counting="for each element: square and add 2, scale 1, gamma 1",
    amplified="a row is read again for the second pass: keep it in registers or shared memory.",
    source="counted from the definition; Zhang and Sennrich, Root Mean Square Layer "
    "Normalization, https://arxiv.org/abs/1910.07467",
)

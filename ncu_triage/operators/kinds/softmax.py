"""Softmax over rows."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="softmax",
    title="Softmax",
    summary="y = exp(x - max) / sum over each row",
    dimensions=(
        Dimension("rows", "rows"),
        Dimension("width", "elements of a row"),
    ),
    flops="5 * rows * width",
    tensors=(
        Tensor("x", "read", "rows * width"),
        Tensor("y", "written", "rows * width"),
    ),
    padding=Padding(("rows", "width")),
    type="fp16",
    example={"rows": 4096, "width": 4096},
    counting="for each element: maximum 1, difference 1, exponential 1, sum 1, division 1",
    amplified="maximum, sum and division each pass over the row: keep it in registers or shared "
    "memory, or take maximum and sum in one pass.",
    source="counted from the definition; Milakov and Gimelshein, Online normalizer calculation "
    "for softmax, https://arxiv.org/abs/1805.02867",
)

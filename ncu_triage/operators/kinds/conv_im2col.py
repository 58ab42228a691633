"""Convolution by way of an im2col matrix in memory."""

from ncu_triage.operators.kind import Kind, Tensor
from ncu_triage.operators.kinds.conv import (
    CHECKS,
    DERIVED,
    DIMENSIONS,
    EXAMPLE,
    FLOPS,
    INPUT,
    OUTPUT,
    PADDING,
    SOURCE,
    WEIGHTS,
)

_COLUMNS = "n * p * q * c * r * s"

KIND = Kind(
    id="conv-im2col",
    title="Convolution with im2col",
    summary="Convolution that writes the im2col matrix and multiplies it: both launches together",
    dimensions=DIMENSIONS,
    derived=DERIVED,
    checks=CHECKS,
    flops=FLOPS,
    tensors=(
        INPUT,
        Tensor("columns_out", "written", _COLUMNS),
        Tensor("columns_in", "read", _COLUMNS),
        WEIGHTS,
        OUTPUT,
    ),
    padding=PADDING,
    math="tensor",
    type="fp16",
    example=EXAMPLE,
    counting="as for conv; the matrix is r * s times the input, and is written and read",
    amplified="the im2col matrix itself is the waste: an implicit matrix product never writes it.",
    source=SOURCE,
)

"""Bytes from one place to another."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="copy",
    title="Copy",
    summary="Copy, transpose, permute, cast: no arithmetic",
    dimensions=(Dimension("elements", "elements copied"),),
    flops="0",
    tensors=(
        Tensor("from", "read", "elements"),
        Tensor("to", "written", "elements"),
    ),
    padding=Padding(("elements",)),
    example={"elements": 50_000_000},
    counting="moving is no arithmetic",
    amplified="sectors are read or written in part: rows and columns meet in a transpose, so go "
    "through shared memory.",
    source="counted from the definition",
)

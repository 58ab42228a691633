"""Rows of a table by their number."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="embedding",
    title="Embedding",
    summary="Look-up of rows in a table",
    dimensions=(
        Dimension("tokens", "rows looked up"),
        Dimension("width", "elements of a row"),
        Dimension("distinct", "different rows among them", "tokens"),
    ),
    checks={"distinct <= tokens": "distinct cannot be more than tokens"},
    flops="0",
    tensors=(
        Tensor("table", "read", "distinct * width"),
        Tensor("indices", "read", "tokens", "int64"),
        Tensor("output", "written", "tokens * width"),
    ),
    padding=Padding(("tokens", "width")),
    type="fp16",
    example={"tokens": 4096, "width": 4096},
    counting="moving is no arithmetic",
    amplified="rows that are looked up several times are read each time: sort the indices, or "
    "let L2 keep them. Short rows waste parts of sectors.",
    source="counted from the definition",
)

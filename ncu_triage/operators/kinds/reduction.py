"""Many elements to few."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="reduction",
    title="Reduction",
    summary="Sum, maximum or norm: many elements to few",
    dimensions=(
        Dimension("elements", "elements read"),
        Dimension("outputs", "elements written", "1"),
    ),
    flops="max(elements - outputs, 0)",
    tensors=(
        Tensor("inputs", "read", "elements"),
        Tensor("outputs", "written", "outputs"),
    ),
    padding=Padding(("elements",)),
    example={"elements": 16_777_216},
    counting="one addition for each element but the first of each sum",
    amplified="partial sums are written and read again: more work in each thread leaves fewer of "
    "them.",
    source="counted from the definition",
)

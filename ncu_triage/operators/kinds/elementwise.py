"""Each output element from the input elements at its place."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="elementwise",
    title="Elementwise",
    summary="Each output from the inputs at its place: add, multiply, activation, dropout",
    dimensions=(
        Dimension("elements", "elements of one tensor"),
        Dimension("inputs", "tensors read", "1", least=0),
        Dimension("outputs", "tensors written", "1"),
        Dimension("ops", "FLOPs for each element", "1", least=0),
    ),
    flops="elements * ops",
    tensors=(
        Tensor("inputs", "read", "elements * inputs"),
        Tensor("outputs", "written", "elements * outputs"),
    ),
    padding=Padding(("elements",)),
    type="fp16",
    example={"elements": 16_777_216, "inputs": 2},
    counting="one FLOP for each element unless `ops` says otherwise",
    amplified="sectors are read or written in part, or a result is written and read again that "
    "a fused kernel would keep in registers.",
    source="NVIDIA, Memory-Limited Layers User's Guide, https://docs.nvidia.com/deeplearning/"
    "performance/dl-performance-memory-limited/",
)

"""A step of the Adam optimiser."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

KIND = Kind(
    id="adam",
    title="Adam step",
    summary="One step of Adam or AdamW over all parameters",
    dimensions=(
        Dimension("elements", "parameters"),
        Dimension("ops", "FLOPs for each parameter (15 with weight decay)", "13", least=0),
        Dimension("half_copy", "also writes the parameters in fp16", "0", flag=True),
    ),
    flops="elements * ops",
    tensors=(
        Tensor("parameters_in", "read", "elements"),
        Tensor("gradients", "read", "elements"),
        Tensor("m_in", "read", "elements"),
        Tensor("v_in", "read", "elements"),
        Tensor("parameters", "written", "elements"),
        Tensor("m", "written", "elements"),
        Tensor("v", "written", "elements"),
        Tensor("half", "written", "elements * half_copy", "fp16"),
    ),
    padding=Padding(("elements",)),
    example={"elements": 100_000_000},
    counting="for each parameter: m 3, v 4, root and epsilon 3, division and step 3; the "
    "corrections of the bias are the same for all",
    amplified="a kernel for each line of the formula reads and writes the same tensors again; a "
    "fused one does not.",
    source="counted from the definition; Kingma and Ba, Adam, https://arxiv.org/abs/1412.6980",
)

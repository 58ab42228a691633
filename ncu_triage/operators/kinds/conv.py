"""Convolution that never builds the im2col matrix."""

from ncu_triage.operators.kind import Dimension, Kind, Padding, Tensor

DIMENSIONS = (
    Dimension("n", "images"),
    Dimension("c", "input channels"),
    Dimension("h", "input height"),
    Dimension("w", "input width"),
    Dimension("k", "output channels"),
    Dimension("r", "filter height"),
    Dimension("s", "filter width"),
    Dimension("stride", "step of the filter", "1"),
    Dimension("pad", "zeros on each side", "0", least=0),
    Dimension("dilation", "distance of the filter's elements", "1"),
    Dimension("groups", "groups of channels", "1"),
)
DERIVED = {
    "p": "floor((h + 2 * pad - dilation * (r - 1) - 1) / stride) + 1",
    "q": "floor((w + 2 * pad - dilation * (s - 1) - 1) / stride) + 1",
}
CHECKS = {
    "c % groups == 0": "c must be a multiple of groups",
    "k % groups == 0": "k must be a multiple of groups",
}
FLOPS = "2 * n * k * p * q * c / groups * r * s"
# A stride beyond the filter's size leaves rows and columns of the input out.
INPUT = Tensor("input", "read", "n * c * min(h, p * r) * min(w, q * s)")
WEIGHTS = Tensor("weights", "read", "k * c / groups * r * s")
OUTPUT = Tensor("output", "written", "n * k * p * q")
EXAMPLE = {"n": 32, "c": 64, "h": 56, "w": 56, "k": 64, "r": 3, "s": 3, "pad": 1}
# Groups, steps and the filter are what they are: a larger filter would leave fewer outputs.
PADDING = Padding(("n", "c", "h", "w", "k"))
SOURCE = (
    "NVIDIA, Convolutional Layers User's Guide, "
    "https://docs.nvidia.com/deeplearning/performance/dl-performance-convolutional/"
)

KIND = Kind(
    id="conv",
    title="Convolution",
    summary="Convolution, direct or as an implicit matrix product (forward)",
    dimensions=DIMENSIONS,
    derived=DERIVED,
    checks=CHECKS,
    flops=FLOPS,
    tensors=(INPUT, WEIGHTS, OUTPUT),
    padding=PADDING,
    math="tensor",
    type="fp16",
    example=EXAMPLE,
    counting="one multiply-add for each weight and output; Winograd and FFT need fewer",
    amplified="neighbouring blocks read the same rows of the input: larger tiles, or a layout "
    "with the channels last, save that.",
    source=SOURCE,
)

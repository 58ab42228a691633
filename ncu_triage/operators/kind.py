"""What a kind of operator is: its dimensions, its work, and the tensors that it must touch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

Math = Literal["tensor", "vector"]


class Dimension(Struct, frozen=True):
    """A number of a shape; `default` is a formula over the dimensions before it.

    A flag is given as true or false and counts as 1 or 0. `least` is the smallest value.
    """

    name: str
    meaning: str
    default: str | None = None
    flag: bool = False
    least: int = 1


class Tensor(Struct, frozen=True):
    """A tensor that has to pass through DRAM once, with its number of elements as a formula.

    `type` stands where it is not the operator's own.
    """

    name: str
    access: Literal["read", "written"]
    elements: str
    type: str | None = None


class Padding(Struct, frozen=True):
    """The dimensions that a kernel may round up: those with which its work grows.

    `derived` stand in place of a kind's own where the padded shape has others; in them
    `real_m` is the m that is not padded.
    """

    dimensions: tuple[str, ...] = ()
    derived: Mapping[str, str] = field(default_factory=dict)


class Kind(Struct, frozen=True, kw_only=True):
    """A kind of operator; every formula is text over the dimensions, and computed from it.

    `derived` are numbers between shape and formulas, in their order; `checks` are conditions
    that a shape must meet, each with what to say where it does not. `math` says which roof
    the work belongs to, `type` what the calculator takes where none is given. `example` is
    a shape with known numbers, `amplified` says what usually makes such a kernel move more
    than the least bytes.
    """

    id: str
    title: str
    summary: str
    dimensions: tuple[Dimension, ...]
    flops: str
    tensors: tuple[Tensor, ...]
    padding: Padding = Padding()
    math: Math = "vector"
    derived: dict[str, str] = field(default_factory=dict)
    type: str = "fp32"
    checks: dict[str, str] = field(default_factory=dict)
    example: Mapping[str, int] = field(default_factory=dict)
    counting: str = ""
    amplified: str = ""
    source: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the dimensions."""
        return [dimension.name for dimension in self.dimensions]

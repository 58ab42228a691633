"""Which kernels a user asks for in the terminal."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple


class Sort(StrEnum):
    """What to sort by: a word of a column's head."""

    TIME = "time"
    NAME = "name"
    LAUNCHES = "launches"
    MEDIAN = "median"
    P99 = "p99"
    DRAM = "dram"
    L2 = "l2"
    L1 = "l1"
    SM = "sm"
    ISSUE = "issue"
    OCCUPANCY = "occupancy"


class Choice(NamedTuple):
    """So many kernels, of such a name, in such an order."""

    top: int | None = None
    kernel: re.Pattern[str] | None = None
    sort: Sort = Sort.TIME

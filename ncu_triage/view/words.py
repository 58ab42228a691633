"""The words and signs of the outputs: bottlenecks, states, reasons, denominators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ncu_triage.model import WORKLOADS
from ncu_triage.view.shown import Mark


class _Kind(NamedTuple):
    label: str
    shape: str
    one: str  # "the kernel ..."
    many: str  # "kernels ..."


_KINDS = {
    "dram-bandwidth": _Kind(
        "DRAM bandwidth", "circle", "is limited by DRAM bandwidth", "limited by DRAM bandwidth"
    ),
    "l2-bandwidth": _Kind(
        "L2 bandwidth", "square", "is limited by L2 bandwidth", "limited by L2 bandwidth"
    ),
    "l1-shared-bandwidth": _Kind(
        "L1 / shared memory",
        "diamond",
        "is limited by L1 and shared memory bandwidth",
        "limited by L1 and shared memory bandwidth",
    ),
    "compute-pipe": _Kind(
        "Compute pipe", "up", "is limited by a compute pipe", "limited by a compute pipe"
    ),
    "issue-bound": _Kind(
        "Instruction issue", "down", "is limited by issue slots", "limited by issue slots"
    ),
    "latency": _Kind(
        "Latency", "cross", "does not hide its latency", "that do not hide their latency"
    ),
    "underfilled": _Kind(
        "GPU not filled", "pentagon", "does not fill the GPU", "that do not fill the GPU"
    ),
    "launch-dominated": _Kind(
        "Launch overhead", "star", "is too short for its launch", "too short for their launch"
    ),
    "insufficient-data": _Kind(
        "Not enough data",
        "ring",
        "cannot be judged from this report",
        "that this report does not suffice to judge",
    ),
}

ABSENCES = {
    "not-collected": "not collected",
    "no-value": "no value in the report",
    "nan": "not a number: its counter failed",
    "not-on-this-gpu": "not on this GPU",
    "not-applicable": "does not apply",
    "suspect": "suspect, so not used",
}
UNKNOWN = "not collected"

# Stands beside a number that was not measured, and may be off by half.
ESTIMATED = "estimated"

OPERATORS = {">=": "≥", "<=": "≤", "==": "=", "!=": "≠"}

BASES = {
    "elapsed": "of all cycles from the launch's start to its end, over all units, idle ones too",
    "active": "of the cycles in which the unit had work; idle units do not count",
    "issue-active": "of the cycles in which the scheduler issued an instruction",
}

STALLS = {
    "long_scoreboard": "waits for global, local or texture memory",
    "short_scoreboard": "waits for shared memory, special functions or a dynamic branch",
    "mio_throttle": "the queue for shared memory and special functions is full",
    "lg_throttle": "the queue for global and local memory is full",
    "tex_throttle": "the texture queue is full",
    "math_pipe_throttle": "the math pipe is busy",
    "wait": "waits out the previous instruction's fixed latency",
    "barrier": "waits for other warps at a barrier",
    "membar": "waits for a memory fence",
    "branch_resolving": "waits for a branch target",
    "dispatch_stall": "the dispatcher holds the warp back",
    "drain": "waits for stores after its last instruction",
    "imc_miss": "a constant was not in its cache",
    "no_instruction": "the next instruction was not in the cache",
    "no_instructions": "the next instruction was not in the cache",
    "sleeping": "sleeps or yields",
    "gmma": "waits for a warp-group matrix operation",
    "warpgroup_arrive": "waits for a warp-group matrix operation",
    "not_selected": "ready, another warp was chosen",
    "selected": "issued an instruction",
}
QUIET_STATES = ("selected", "not_selected")

_PRECISIONS = {
    "all": "All precisions",
    "inst": "Instructions",
    "bandwidth": "Bandwidth alone",
}

# Parts of a rule's id that are no plain words.
_WRITTEN = {word.lower(): word for word in ("L1", "L2", "LSU", "MIO", "LG", "GPU", "GEMV", "FP64")}


def workload(kind: str) -> str:
    """Name a workload: "kernel", "range", "graph", "command list"."""
    return WORKLOADS.get(kind, kind)


def workloads(kinds: Iterable[str]) -> str:
    """Return the one word for several workloads; "workload" where they differ."""
    different = set(kinds)
    return workload(different.pop()) if len(different) == 1 else "workload"


def mark(kind: str) -> Mark:
    """Return how a bottleneck is shown; an unknown kind is shown as it is called."""
    known = _KINDS.get(kind)
    return Mark(kind, known.label, known.shape) if known else Mark(kind, kind, "ring")


def one_kernel(kind: str) -> str:
    """Say what limits one kernel: "is limited by ..."."""
    return _KINDS[kind].one if kind in _KINDS else f"is limited by {kind}"


def as_a_whole(name: str, kind: str) -> str:
    """Name what many kernels make up: "The range epoch › forward, taken as a whole,"."""
    what = workload(kind)
    own = name.removeprefix(what).strip(" ›")
    return f"The {what}{f' {own}' if own else ''}, taken as a whole,"


def many_kernels(kind: str) -> str:
    """Say what kernels of a kind have in common: "limited by ..."."""
    return _KINDS[kind].many if kind in _KINDS else f"limited by {kind}"


def of_what(basis: str | None) -> str | None:
    """Print a denominator: "of active cycles"."""
    if basis is None or basis == ESTIMATED:
        return basis
    return f"of {basis} cycles" if basis in BASES else f"of {basis.removeprefix('of ')}"


def precision(id: str) -> str:
    """Name a precision: `tensor_fp16` is "Tensor FP16"."""
    plain = id.replace("tensor_", "Tensor ").replace("fp", "FP").replace("int", "INT")
    return _PRECISIONS.get(id, plain)


def level(id: str) -> str:
    """Name a memory level: `dram` is "DRAM"."""
    return id.upper()


def plain(id: str) -> str:
    """Turn an id into words: `mio_throttle` is "mio throttle"."""
    return id.replace("_", " ").replace("-", " ")


def rule_name(id: str) -> str:
    """Turn a rule's id into its name: `l2-thrash` is "L2 thrash"."""
    first, *rest = [_WRITTEN.get(word, word) for word in id.split("-")]
    return " ".join([first[:1].upper() + first[1:], *rest])


def count(number: int, noun: str) -> str:
    """Count things: "1 launch", "3 launches"."""
    ending = "es" if noun.endswith(("ch", "s")) else "s"
    return f"{number:,} {noun}" + ("" if number == 1 else ending)


def sentence(text: str) -> str:
    """Begin with a capital letter and end with a full stop."""
    text = text.strip()
    stop = "" if not text or text.endswith((".", "!", "?", "…")) else "."
    return text[:1].upper() + text[1:] + stop

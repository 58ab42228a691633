"""What was executed, and by how many threads of a warp."""

from ncu_triage.model import Value
from ncu_triage.quantities.catalogue import Labels, quantity
from ncu_triage.quantities.ways import Computed, Numbers, formula

_OPCODES = "sass__inst_executed_per_opcode"


def _opcodes(numbers: Numbers) -> Value | None:
    """Return the executed warp instructions by opcode, most first."""
    counts = numbers.histogram(_OPCODES)
    if not counts:
        return None
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _share(*opcodes: str) -> Computed:
    """Return the share of the executed instructions that have one of these opcodes."""

    def read(numbers: Numbers) -> float | None:
        counts = numbers.histogram(_OPCODES)
        total = sum(counts.values()) if counts else 0.0
        if not counts or not total:
            return None
        return 100 * sum(counts.get(op, 0.0) for op in opcodes) / total

    return Computed(read, f"100 * ({' + '.join(opcodes)}) / all opcodes", (_OPCODES,))


QUANTITIES = (
    quantity(
        "instructions",
        "inst",
        "Executed warp instructions",
        "smsp__inst_executed.sum",
        "sm__inst_executed.sum",
        "inst_executed",
    ),
    quantity("opcodes", "inst", "Instructions by opcode", Computed(_opcodes, "", (_OPCODES,))),
    quantity(
        "mov_pct", "%", Labels("Register moves", "executed instructions"), _share("MOV", "R2UR")
    ),
    quantity(
        "threads_per_instruction",
        "thread",
        Labels("Threads per instruction (of 32)", at_most=32),
        "smsp__thread_inst_executed_per_inst_executed.ratio",
    ),
    quantity(
        "predicated_threads_per_instruction",
        "thread",
        Labels("Threads that take part (of 32)", at_most=32),
        "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
    ),
    quantity(
        "branch_uniform_pct",
        "%",
        Labels("Uniform branches", "branch targets"),
        Computed(
            # The metric reads 0 where there was no conditional branch at all.
            lambda numbers: (
                value
                if (
                    value := numbers.metric("smsp__sass_average_branch_targets_threads_uniform.pct")
                )
                else None
            ),
            "[smsp__sass_average_branch_targets_threads_uniform.pct], absent without branches",
            ("smsp__sass_average_branch_targets_threads_uniform.pct",),
        ),
    ),
    quantity(
        "instructions_per_byte",
        "inst/byte",
        "Instructions per byte of DRAM",
        formula("instructions / dram_bytes"),
    ),
)

"""What was executed, and by how many threads of a warp."""

from ncu_triage.model import Value
from ncu_triage.quantities.catalogue import Labels, Quantity, quantity
from ncu_triage.quantities.ways import Computed, Numbers, formula

_OPCODES = "sass__inst_executed_per_opcode"
_MODIFIERS = "sass__inst_executed_per_opcode_with_modifier_all"
_GROUP_MMA = ("HGMMA", "IGMMA", "QGMMA", "BGMMA", "UTCHMMA", "UTCIMMA", "UTCQMMA", "UTCOMMA")
# Integer arithmetic, comparison, branching and moving: what surrounds the useful work in
# floating-point kernels, and is the work in integer ones.
_OVERHEAD = (
    *("IMAD", "IADD3", "LEA", "SHF", "LOP3", "ISETP", "MOV", "SEL", "PRMT", "IMNMX", "IABS"),
    *("S2R", "S2UR", "CS2R", "R2UR", "ULDC", "LDC", "UIADD3", "UIMAD", "ULEA", "USHF", "ULOP3"),
    *("UMOV", "UISETP", "PLOP3", "P2R", "R2P", "BRA", "BSSY", "BSYNC", "BREAK", "WARPSYNC"),
    *("EXIT", "CALL", "RET", "YIELD", "NOP", "POPC", "FLO", "BMOV", "VOTE"),
)


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


def _scalar_loads(numbers: Numbers) -> float | None:
    """Return the share of global loads that move at most 4 bytes a thread."""
    counts = numbers.histogram(_MODIFIERS)
    loads = {op: n for op, n in (counts or {}).items() if op.split(".")[0] == "LDG"}
    total = sum(loads.values())
    if not total:
        return None
    wide = sum(n for op, n in loads.items() if {"64", "128"} & set(op.split(".")))
    return 100 * (1 - wide / total)


def _non_fused(numbers: Numbers) -> float | None:
    """Return the share of additions and products among the fp32 arithmetic."""
    counts = numbers.histogram(_OPCODES) or {}
    apart = counts.get("FADD", 0.0) + counts.get("FMUL", 0.0)
    total = apart + counts.get("FFMA", 0.0)
    return 100 * apart / total if total else None


def _executed(id: str, label: str, *opcodes: str) -> Quantity:
    return quantity(id, "%", Labels(label, "executed instructions"), _share(*opcodes))


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
    _executed("mov_pct", "Register moves", "MOV", "R2UR"),
    _executed("ffma_pct", "fp32 fused multiply-adds", "FFMA"),
    _executed("fp32_math_pct", "fp32 arithmetic", "FADD", "FMUL", "FFMA"),
    _executed("fp64_math_pct", "fp64 arithmetic", "DADD", "DMUL", "DFMA", "DSETP", "DMNMX"),
    _executed("conversion_pct", "Conversions between float types", "F2F"),
    _executed("global_load_pct", "Global loads", "LDG"),
    _executed("async_copy_pct", "Asynchronous copies", "LDGSTS", "UBLKCP", "UTMALDG"),
    _executed("warp_mma_pct", "Matrix instructions of a warp", "HMMA", "IMMA", "DMMA", "QMMA"),
    _executed("group_mma_pct", "Matrix instructions of a warp group or block", *_GROUP_MMA),
    _executed("overhead_pct", "Addresses, control and moves", *_OVERHEAD),
    quantity(
        "scalar_load_pct",
        "%",
        Labels("Loads of at most 4 bytes a thread", "global load instructions"),
        Computed(_scalar_loads, "100 * (1 - 64- and 128-bit LDG / all LDG)", (_MODIFIERS,)),
    ),
    quantity(
        "non_fused_pct",
        "%",
        Labels("Additions and products not fused", "fp32 arithmetic"),
        Computed(_non_fused, "100 * (FADD + FMUL) / (FADD + FMUL + FFMA)", (_OPCODES,)),
    ),
    quantity(
        "instructions_per_warp",
        "inst",
        "Instructions per warp",
        formula("instructions / (grid_size * ceil(block_size / 32))"),
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

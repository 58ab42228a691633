"""How well memory accesses fit the hardware: sectors, banks, local memory, atomics."""

from ncu_triage.quantities.catalogue import Labels, Quantity, quantity
from ncu_triage.quantities.ways import Formula, SumOf, formula

_CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared"
_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared"
_GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
_LOCAL = "l1tex__t_{}_pipe_lsu_mem_local_op_{}.sum"
_WAVES = "[memory_l1_wavefronts_shared]"
_SECTORS = "[memory_l2_theoretical_sectors_global]"
_IDEAL_SECTORS = "[memory_l2_theoretical_sectors_global_ideal]"


def _conflicts(id: str, label: str, direction: str) -> Quantity:
    over = f"shared-memory wavefronts{' of ' + direction if direction else ''}"
    op = {"loads": "_op_ld", "stores": "_op_st", "": ""}[direction]
    return quantity(
        id,
        "%",
        Labels(label, over, at_most=100),
        formula(f"100 * [{_CONFLICTS}{op}.sum] / [{_WAVEFRONTS}{op}.sum]"),
    )


def _ways(op: str) -> Formula:
    return formula(f"[{_WAVEFRONTS}_op_{op}.sum] / shared_{op}_requests")


def _per_request(id: str, label: str, op: str) -> Quantity:
    sectors, requests = (_GLOBAL.format(what, op) for what in ("sectors", "requests"))
    ratio = f"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_{op}.ratio"
    return quantity(id, "sector", label, formula(f"[{sectors}] / [{requests}]"), ratio)


def _local(id: str, label: str, op: str, name: str) -> Quantity:
    return quantity(
        id,
        "",
        label,
        _LOCAL.format("requests", op),
        f"smsp__sass_inst_executed_op_local_{op}.sum",
        f"sass__inst_executed_local_{name}",
    )


QUANTITIES = (
    _conflicts("bank_conflict_pct", "Bank conflicts", ""),
    _conflicts("bank_conflict_load_pct", "Bank conflicts of loads", "loads"),
    _conflicts("bank_conflict_store_pct", "Bank conflicts of stores", "stores"),
    quantity(
        "shared_ld_requests",
        "",
        "Shared-memory load requests",
        SumOf(("smsp__sass_inst_executed_op_shared_ld.sum", "smsp__inst_executed_op_ldsm.sum")),
        "sass__inst_executed_shared_loads",
    ),
    quantity(
        "shared_st_requests",
        "",
        "Shared-memory store requests",
        "smsp__sass_inst_executed_op_shared_st.sum",
        "sass__inst_executed_shared_stores",
    ),
    quantity("shared_load_ways", "wavefront", "Wavefronts per shared load", _ways("ld")),
    quantity("shared_store_ways", "wavefront", "Wavefronts per shared store", _ways("st")),
    quantity(
        "excess_shared_wavefronts_pct",
        "%",
        Labels("Excess shared wavefronts", "shared-memory wavefronts by source"),
        formula(f"100 * ({_WAVES} - [memory_l1_wavefronts_shared_ideal]) / {_WAVES}"),
    ),
    quantity(
        "shared_wavefront_share_pct",
        "%",
        Labels("Shared memory's part of the L1 data pipe", "L1 wavefronts"),
        formula(
            f"min(100, 100 * [{_WAVEFRONTS}.sum.pct_of_peak_sustained_elapsed]"
            " / [l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed])"
        ),
    ),
    _per_request("load_sectors_per_request", "Sectors per global load", "ld"),
    _per_request("store_sectors_per_request", "Sectors per global store", "st"),
    quantity(
        "excess_sectors_pct",
        "%",
        Labels("Excess global sectors, in theory", "sectors by source, before any cache"),
        formula(f"100 * ({_SECTORS} - {_IDEAL_SECTORS}) / {_SECTORS}"),
    ),
    quantity(
        "excess_share_pct",
        "%",
        Labels("Excess global sectors", "all L1 sectors, local memory's included"),
        formula("excess_sectors_pct * (1 - local_sectors_pct / 100)"),
        formula("excess_sectors_pct", estimated=True),
    ),
    quantity(
        "excess_global_bytes",
        "byte",
        "Global bytes beyond the coalesced ones",
        formula(f"32 * ({_SECTORS} - {_IDEAL_SECTORS})"),
    ),
    quantity(
        "ideal_global_bytes",
        "byte",
        "Global bytes if fully coalesced",
        formula(f"32 * {_IDEAL_SECTORS}"),
    ),
    quantity(
        "bytes_per_sector_load",
        "byte",
        "Bytes used of a loaded sector (32)",
        "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.ratio",
    ),
    _local("local_load_requests", "Local-memory loads", "ld", "loads"),
    _local("local_store_requests", "Local-memory stores", "st", "stores"),
    quantity(
        "local_sectors_pct",
        "%",
        Labels("Local memory's part of L1 sectors", "local and global sectors"),
        formula(
            "100 * ([{0}] + [{1}]) / ([{0}] + [{1}] + [{2}] + [{3}])".format(
                *(base.format("sectors", op) for base in (_LOCAL, _GLOBAL) for op in ("ld", "st"))
            )
        ),
    ),
    quantity(
        "spill_instructions",
        "inst",
        "Instructions that spill registers",
        "sass__inst_executed_register_spilling",
    ),
    quantity(
        "atomic_requests",
        "",
        "Atomic requests",
        SumOf(
            (
                _GLOBAL.format("requests", "atom"),
                _GLOBAL.format("requests", "red"),
                "smsp__inst_executed_op_shared_atom.sum",
            )
        ),
    ),
)

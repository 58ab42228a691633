"""Which benchmark each name of a scan stands for, by what the history knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence, Set

from ncu_triage.history.benchmark import benchmark_of
from ncu_triage.history.database import Database
from ncu_triage.history.events import of_benchmarks
from ncu_triage.history.measure import measured, storable
from ncu_triage.history.naming import settled
from ncu_triage.history.read import benchmarks, recorded
from ncu_triage.render import json_
from ncu_triage.scan.row import Row
from ncu_triage.scan.store import Store


def benchmarks_of(database: Database, store: Store, judged: Sequence[Row]) -> dict[str, str]:
    """Return the benchmark of each name under which a judged content was found."""
    speaks = {name: storable(benchmark_of(name)) for row in judged for name in row.names}
    wanted: dict[str, set[str]] = defaultdict(set)
    data: dict[str, str] = {}
    for row in judged:
        for name in row.names:
            wanted[speaks[name]].add(row.sha256 or "")
            data[speaks[name]] = row.data or ""
    with database.transaction() as connection:
        known: dict[str, set[str]] = {name: set() for name in benchmarks(connection, database)}
        contents = {row.sha256 or "" for row in judged}
        for content, benchmark in recorded(connection, database, contents):
            known[benchmark].add(content)

    def mine(name: str) -> Set[tuple[str | None, ...]]:
        diagnosis = json_.read((store.folder / data[name]).read_bytes())
        return {tuple(one.identity[1:]) for one in measured(diagnosis, name)}

    def yours(name: str) -> Set[tuple[str | None, ...]]:
        keys = of_benchmarks(database, {name})
        return {(k.demangled, k.workload, k.grid, k.block, k.device) for k in keys}

    same = settled(wanted, known, mine, yours)
    return {name: same[benchmark] for name, benchmark in speaks.items()}

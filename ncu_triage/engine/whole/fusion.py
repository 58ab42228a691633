"""What fusing chains of memory-bound launches would save."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from ncu_triage.engine.whole.chains import Chain, chains, may_hide_chains
from ncu_triage.engine.whole.theme import (
    ALL_TIME,
    Case,
    Theme,
    Whole,
    entry,
    guess,
    ranked,
    seconds,
)


def fusion(whole: Whole) -> Theme:
    """Count the launches in chains, the bytes between them, and the time of these bytes.

    Without chains nothing is said where bytes were not counted that might have told one.
    """
    found = chains(whole.everything)
    if not whole.seconds or (not found and may_hide_chains(whole.everything)):
        return Theme()
    alike: dict[tuple[object, ...], list[Chain]] = defaultdict(list)
    for chain in found:
        alike[tuple((k.demangled, k.grid, k.block) for k in chain.members)].append(chain)
    return Theme(
        _numbers(found, whole) | {"fusion_chains": float(len(found))},
        ranked(_case(same, whole) for same in alike.values()),
    )


def _case(same: Sequence[Chain], whole: Whole) -> Case:
    """Make one case of a chain however often it runs."""
    members = [k for chain in same for k in chain.members]
    time = sum(map(seconds, members))
    numbers = _numbers(same, whole)
    shown = {id: numbers[id] for id in ("fusion_bytes", "fusion_time", "fusion_time_pct")}
    return Case([k.id for k in members], time, shown, sequence=True)


def _numbers(found: Sequence[Chain], whole: Whole) -> dict[str, float]:
    between, time = sum(c.bytes_between for c in found), sum(c.seconds for c in found)
    return {
        "fusion_launches": float(sum(len(chain.members) for chain in found)),
        "fusion_bytes": between,
        "fusion_bytes_saved": 2 * between,
        "fusion_time": time,
        "fusion_time_pct": whole.share(time),
    }


ENTRIES = {
    "fusion_chains": entry("chain", "Chains", "count"),
    "fusion_launches": entry(
        "launch",
        "Launches in chains",
        "consecutive memory-bound launches of a stream, each reading what the last one wrote",
    ),
    "fusion_bytes": entry("byte", "Bytes handed on", "sum of dram_bytes_written in a chain"),
    "fusion_bytes_saved": guess(
        "byte", "Traffic that fusing saves", "2 * fusion_bytes: written and read"
    ),
    "fusion_time": guess(
        "s",
        "Time of this traffic",
        "fusion_bytes_saved at the bandwidth that the chain reached",
    ),
    "fusion_time_pct": guess(
        "%", "Time of this traffic", "100 * fusion_time / total_duration", ALL_TIME
    ),
}

"""Turn an action of NVIDIA's reader into a `Launch`; runs in the worker process."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from ncu_triage.model import Extent, Launch, NvidiaRule, Workload
from ncu_triage.readers.ncu_rep.metrics import HISTOGRAMS
from ncu_triage.readers.ncu_rep.rules import Kind, RawMessage, Scope, nvidia_rule

# The objects of `ncu_report` have no static types.
Action: TypeAlias = Any

# The numbers of NVIDIA's Python interface; the file numbers the messages differently.
# A subgrid schedule (4) is many launches in one, as a range is.
_WORKLOADS: Mapping[int, Workload] = {0: "kernel", 1: "range", 2: "cmdlist", 3: "graph"}
_KINDS: Mapping[int, Kind] = {0: "none", 1: "ok", 2: "optimization", 3: "warning", 4: "error"}
_SCOPES: Mapping[int, Scope] = {0: "unknown", 1: "local", 2: "global"}
_FUNCTION, _DEMANGLED, _MANGLED = 0, 1, 2


def is_sound(action: Action) -> bool:
    """Tell whether a launch has a name and metrics: NVIDIA's reader is silent on damage."""
    return bool(action.name()) and len(action.metric_names()) > 0


def launch(id: str, action: Action) -> Launch:
    """Turn an action into what the container reader makes of the same launch.

    What NVIDIA's interface does not give is absent: the process always, grid, block and
    context where their metrics were not collected.
    """
    read = {name: _value(action[name]) for name in action.metric_names()}
    nan = {k for k, v in read.items() if isinstance(v, float) and not math.isfinite(v)}
    metrics = {k: v for k, v in read.items() if v is not None and k not in nan}
    workload = _WORKLOADS.get(action.workload_type(), "range")
    kernel = workload == "kernel"
    name, demangled, mangled = (clean(action.name(i)) for i in (_FUNCTION, _DEMANGLED, _MANGLED))
    return Launch(
        id=id,
        name=name,
        # The mangled name stands in where a file lacks the other; the function's is better.
        demangled=name if demangled in ("", mangled) else demangled,
        workload=workload,
        grid=_extent(metrics, "grid") if kernel else None,
        block=_extent(metrics, "block") if kernel else None,
        device=_whole(metrics.get("launch__device_id")),
        context=_whole(metrics.get("launch__context_id")),
        stream=_whole(metrics.get("launch__stream_id")) if workload != "range" else None,
        nvtx=tuple(map(clean, _nvtx(action.nvtx_state()))),
        metrics=metrics,
        valueless=frozenset(name for name, value in read.items() if value is None),
        nan=frozenset(nan),
        histograms={k: _histogram(action[k]) for k in HISTOGRAMS & read.keys()},
        sections=_sections(action),
        rules=tuple(_rules(action)),
    )


def clean(text: str | None) -> str:
    """Replace what is not UTF-8 in a text of the file, as the container reader does."""
    return (text or "").encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _value(metric: Any) -> float | str | None:
    if not metric.has_value():
        return None
    value = metric.value()
    return clean(value) if isinstance(value, str) else float(value)


def _whole(value: float | str | None) -> int | None:
    return int(value) if isinstance(value, float) and 0 <= value < 2**63 else None


def _extent(metrics: Mapping[str, float | str], which: str) -> Extent | None:
    x, y, z = (_whole(metrics.get(f"launch__{which}_dim_{axis}")) for axis in "xyz")
    return None if x is None or y is None or z is None else (x, y, z)


def _histogram(metric: Any) -> dict[str, float]:
    keys = metric.correlation_ids()
    pairs = ((keys.as_string(i), metric.value(i)) for i in range(metric.num_instances()))
    return {
        clean(key): float(value)
        for key, value in pairs
        if key is not None and isinstance(value, int | float) and math.isfinite(value)
    }


def _sections(action: Action) -> tuple[str, ...]:
    # Before 2026 the interface had no sections.
    sections = action.sections() if hasattr(action, "sections") else ()
    return tuple(clean(one.identifier()) for one in sections)


def _rules(action: Action) -> Iterator[NvidiaRule]:
    for one in action.rule_results_as_dicts():
        message = one["rule_message"]
        speedup = one.get("speedup_estimation")
        raw = RawMessage(
            rule=clean(one["rule_identifier"]),
            name=clean(one["name"]),
            section=clean(one["section_identifier"]),
            kind=_KINDS.get(message["type"], "none"),
            title=clean(message["title"]),
            text=clean(message["message"]),
            scope=_SCOPES.get(speedup["type"], "unknown") if speedup else None,
            speedup=speedup["speedup"] if speedup else None,
        )
        # An item without any message is a chart or a table.
        if raw.text or raw.title:
            yield nvidia_rule(raw)


def _nvtx(state: Any) -> Iterator[str]:
    domains = [state.domain_by_id(one) for one in state.domains()] if state else []
    for domain in domains:
        yield from domain.push_pop_ranges()
    for domain in domains:
        yield from domain.start_end_ranges()

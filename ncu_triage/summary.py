"""What a report amounts to: groups of like launches, totals, the shared catalogue."""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set

from msgspec.structs import replace

from ncu_triage.model import (
    CatalogueEntry,
    CollectNext,
    Extent,
    Finding,
    Group,
    Kernel,
    KernelDiagnosis,
    Provenance,
    Settings,
    Spread,
    Totals,
    Undecided,
)
from ncu_triage.model.representative import confidence, representative

_Key = tuple[str, str, Extent | None, Extent | None, int | None, int]
_Origin = tuple[str | None, str | None, bool]
# Rules name what to collect by the profiler's options.
_OPTION = re.compile(r"--(section|metrics|set) +(\S+)")
_PLAIN_NAME = re.compile(r"^\w+$")
# So much may the time of two graphs differ that are taken for one.
_SAME_TIME = 0.25
_MANY_SECTIONS = 3
_WORTH_PROFILING = 0.05
_AGAIN = (
    "; some counters failed in this profile: collect fewer sections at a time if they fail again"
)
_MOST_NAMES = 5
_LONGEST_NAME = 200  # No command line is legible, or fits, with a longer one.


class Groups:
    """Number the groups of launches with one name, shape and device as they appear.

    All graphs are called graph, and ranges are called alike, too: of these, one that takes
    quite another time is another one.
    """

    def __init__(self) -> None:
        self._ids: dict[_Key, int] = {}
        self._times: dict[_Key, list[float]] = defaultdict(list)

    def of(self, kernel: Kernel) -> int:
        """Return the group of a kernel, a new one on its first launch."""
        which = 0 if kernel.workload == "kernel" else self._which(kernel)
        key = (*_key(kernel), which)
        return self._ids.setdefault(key, len(self._ids))

    def _which(self, kernel: Kernel) -> int:
        """Number what is called alike by the times that were seen first."""
        seen, time = self._times[*_key(kernel), 0], seconds(kernel) or 0.0
        for i, first in enumerate(seen):
            if abs(time - first) <= _SAME_TIME * first:
                return i
        seen.append(time)
        return len(seen) - 1


def _key(kernel: Kernel) -> tuple[str, str, Extent | None, Extent | None, int | None]:
    return kernel.workload, kernel.demangled, kernel.grid, kernel.block, kernel.device


def groups(kernels: Sequence[KernelDiagnosis]) -> list[Group]:
    """Describe each group with the spread of its durations."""
    members: dict[int, list[KernelDiagnosis]] = defaultdict(list)
    for kernel in kernels:
        members[kernel.group].append(kernel)
    return [
        Group(
            id=id,
            name=launches[0].demangled,
            grid=launches[0].grid,
            block=launches[0].block,
            launches=len(launches),
            duration=_spread([d for k in launches if (d := seconds(k)) is not None]),
            workload=launches[0].workload,
            representative=representative(launches).id,
            confidence=confidence(launches),
        )
        for id, launches in sorted(members.items())
    ]


def seconds(kernel: Kernel) -> float | None:
    """Return a kernel's duration, or None where the report has none."""
    duration = kernel.quantities.get("duration")
    return duration if isinstance(duration, float) else None


def _spread(durations: list[float]) -> Spread:
    if not durations:
        return Spread(total=None, median=None, p99=None, first=None)
    ordered = sorted(durations)
    # Nearest rank: the smallest value that 99 % of the launches do not exceed.
    rank = max(0, -(-99 * len(ordered) // 100) - 1)
    return Spread(
        total=sum(durations),
        median=_middle(ordered),
        p99=ordered[rank],
        first=durations[0],
    )


def _middle(ordered: Sequence[float]) -> float:
    # Importing `statistics` for this takes longer than a small report.
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


def totals(kernels: Sequence[KernelDiagnosis]) -> Totals:
    """Add up the launches' time, and the time by bottleneck, most first."""
    durations = [(k.bottleneck.kind, d) for k in kernels if (d := seconds(k)) is not None]
    by_kind: Counter[str] = Counter()
    for kind, duration in durations:
        by_kind[kind] += duration  # type: ignore[assignment]
    return Totals(
        launches=len(kernels),
        duration=sum(d for _, d in durations) if durations else None,
        time_by_bottleneck=dict(by_kind.most_common()),
    )


def share_catalogue(
    kernels: Sequence[KernelDiagnosis],
    names: Mapping[str, CatalogueEntry],
    also: Set[str] = frozenset(),
) -> tuple[dict[str, CatalogueEntry], list[KernelDiagnosis]]:
    """Move each quantity's usual origin into one catalogue; kernels keep what differs.

    `also` are names of which the report as a whole speaks.
    """
    origins: dict[str, Counter[_Origin]] = defaultdict(Counter)
    known: dict[tuple[str, *_Origin], Provenance] = {}
    for kernel in kernels:
        for id, origin in kernel.provenance.items():
            of = (origin.metric, origin.formula, origin.rough)
            origins[id][of] += 1
            known[id, *of] = origin
    usual = {id: known[id, *count.most_common(1)[0][0]] for id, count in origins.items()}
    slim = [
        replace(k, provenance={id: p for id, p in k.provenance.items() if p != usual[id]})
        for k in kernels
    ]
    cited = set(also).union(*(cited_names(k.findings, k.undecided) for k in kernels))
    shared = {id: _with_origin(names[id], usual[id]) for id in names if id in usual}
    return shared | {id: names[id] for id in names if id in cited - set(usual)}, slim


def cited_names(findings: Iterable[Finding], undecided: Iterable[Undecided]) -> set[str]:
    """Return the names that findings rest on, and those that undecided rules lack."""
    found = {e.quantity for f in findings for e in f.evidence}
    found |= {e.quantity for f in findings for part in f.parts for e in part.evidence}
    return found | {name for item in undecided for name in item.missing}


def _with_origin(entry: CatalogueEntry, origin: Provenance) -> CatalogueEntry:
    return replace(
        entry,
        metric=origin.metric,
        formula=origin.formula,
        inputs=origin.inputs,
        estimated=origin.estimated,
        rough=origin.rough,
    )


def together(settings: Sequence[Settings]) -> Settings:
    """Join the settings of several files; what they disagree on is not said."""
    if len(settings) == 1:
        return settings[0]
    sections = sorted({section for one in settings for section in one.sections})
    agreed = {
        name: next(iter(values))
        for name in ("set", "clock_control", "cache_control", "replay_mode")
        if len(values := {getattr(one, name) for one in settings}) == 1
    }
    return Settings(sections=sections, **agreed)


def collect_next(kernels: Sequence[KernelDiagnosis]) -> CollectNext | None:
    """Name the one call of the profiler that decides most of what is undecided."""
    weights: dict[str, float] = defaultdict(float)
    concerned: dict[str, float] = defaultdict(float)
    known = [s for kernel in kernels if (s := seconds(kernel)) is not None]
    # A launch whose time is unknown may be the one that matters: it weighs like the longest.
    unknown = max(known, default=1.0)
    for kernel in kernels:
        own = seconds(kernel)
        for item in kernel.undecided:
            weights[item.collect] += unknown if own is None else own
            concerned[kernel.name] += unknown if own is None else own
    if not weights:
        return None
    given = [pair for option in weights for pair in _OPTION.findall(option)]
    sections = sorted({value for name, value in given if name == "section"})
    metrics = sorted({m for name, value in given if name == "metrics" for m in value.split(",")})
    whole = len(sections) > _MANY_SECTIONS or any(name == "set" for name, _ in given)
    options = ["--set full"] if whole else [f"--section {section}" for section in sections]
    what = " ".join([*options, *([f"--metrics {','.join(metrics)}"] if metrics else [])])
    # A range or a graph has no name to filter by.
    others = {kernel.workload for kernel in kernels} - {"kernel"}
    chosen = [] if others else _chosen(concerned, {kernel.name for kernel in kernels})
    affected = [k for k in kernels if k.undecided and (not chosen or k.name in chosen)]
    rules = {item.rule for kernel in affected for item in kernel.undecided}
    return CollectNext(
        command=f"ncu {what}{_as_before(others)}{_filter(chosen)} -o report ./your-program",
        why=f"decides {_open(len(rules))} open on {_launches(len(affected), len(kernels))}"
        + (_AGAIN if any("nan" in k.absent.values() for k in kernels) else ""),
        passes="about 40 replay passes a launch" if whole else "10 to 20 replay passes a launch",
    )


def _open(rules: int) -> str:
    return "1 rule that is" if rules == 1 else f"{rules} rules that are"


def _launches(some: int, all: int) -> str:
    return f"{some:,} of {all:,} launch" + ("" if all == 1 else "es")


def _chosen(concerned: Mapping[str, float], names: set[str]) -> list[str]:
    """Choose the kernels that take the time and have plain names; none stands for all."""
    total = sum(concerned.values())
    ranked = sorted(concerned, key=lambda name: (-concerned[name], name))
    chosen = [name for name in ranked if concerned[name] >= _WORTH_PROFILING * total]
    chosen = [name for name in chosen if _PLAIN_NAME.match(name)][:_MOST_NAMES]
    if any(len(name) > _LONGEST_NAME for name in chosen):
        return []
    return [] if set(chosen) == names else chosen


def _as_before(workloads: Set[str]) -> str:
    """Ask for whole graphs or ranges again, where the profile has them."""
    graphs = " --graph-profiling graph" if "graph" in workloads else ""
    return graphs + (" --replay-mode range" if "range" in workloads else "")


def _filter(chosen: Sequence[str]) -> str:
    """Restrict the profile to some kernels."""
    if not chosen:
        return ""
    if len(chosen) == 1:
        return f" --kernel-name {chosen[0]}"
    pattern = f"regex:^({'|'.join(chosen)})$"
    return f" --kernel-name {shlex.quote(pattern)}"

"""Launches put together by group: one row, one card, one representative each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ncu_triage.model import Confidence, Diagnosis, Extent, Group, KernelDiagnosis
from ncu_triage.model.representative import by_kind, confidence, representative
from ncu_triage.units import percent
from ncu_triage.view import words
from ncu_triage.view.names import anchor, plain, short_names
from ncu_triage.view.shown import Mark, Name

# The cause by which a judgement tells failed counters from those that nobody collected.
_FAILED = "its counters failed"


class Cluster(NamedTuple):
    """Launches of one kernel and shape; one with the bottleneck of most time speaks for all."""

    group: Group
    launches: Sequence[KernelDiagnosis]
    speaker: KernelDiagnosis
    name: Name
    share: float | None

    @property
    def seconds(self) -> float | None:
        """The time in all launches of the group."""
        return self.group.duration.total

    @property
    def confidence(self) -> Confidence:
        """How sure the verdict on all of the launches is."""
        return self.group.confidence or confidence(self.launches)

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many launches have which bottleneck."""
        return Counter(launch.bottleneck.kind for launch in self.launches)


def clusters(diagnosis: Diagnosis) -> list[Cluster]:
    """Return the groups, longest total time first, those without a time last."""
    members: dict[int, list[KernelDiagnosis]] = defaultdict(list)
    for kernel in diagnosis.kernels:
        members[kernel.group].append(kernel)
    speakers = {g.id: _speaker(g, members[g.id]) for g in diagnosis.groups if members[g.id]}
    short = _short_names(speakers.values())
    total = diagnosis.totals.duration
    which = _numbered(speakers)
    made = [
        Cluster(
            g,
            members[g.id],
            speaker,
            _name(speaker, short, which.get(g.id, "")),
            share(g.duration.total, total),
        )
        for g in diagnosis.groups
        if (speaker := speakers.get(g.id))
    ]
    return sorted(made, key=lambda c: (c.seconds is None, -(c.seconds or 0.0), c.group.id))


def _short_names(speakers: Iterable[KernelDiagnosis]) -> dict[str, str]:
    """Shorten the names of kernels; a range, a graph or a command list has a plain one."""
    kernels, others = [], {}
    for speaker in speakers:
        full = _full(speaker)
        if speaker.workload == "kernel":
            kernels.append(full)
        else:
            others[full] = plain(full)
    return {**others, **short_names(kernels)}


def _numbered(speakers: Mapping[int, KernelDiagnosis]) -> dict[int, str]:
    """Number the graphs, or ranges, that are called alike: " #1", " #2"."""
    alike: dict[tuple[str, str], list[int]] = defaultdict(list)
    for group, speaker in speakers.items():
        if speaker.workload != "kernel":
            alike[speaker.workload, _full(speaker)].append(group)
    several = (groups for groups in alike.values() if len(groups) > 1)
    return {group: f" #{i}" for groups in several for i, group in enumerate(groups, 1)}


def share(part: float | None, whole: float | None) -> float | None:
    """Return a part in percent of the whole, or None where either is unknown."""
    return 100 * part / whole if part is not None and whole else None


def limited_by(kernel: KernelDiagnosis) -> Mark:
    """Return how a kernel's bottleneck is shown; where its counters failed, that is said."""
    mark = words.mark(kernel.bottleneck.kind)
    failed = kernel.bottleneck.cause == _FAILED
    return replace(mark, label="Counters failed") if failed else mark


def shape(group: Group) -> str:
    """Print grid and block; of what has many, that it is told as a whole."""
    if group.workload != "kernel":
        return f"{words.workload(group.workload)} as a whole"
    if group.grid is None or group.block is None:
        return ""
    return f"grid {_extent(group.grid)}, block {_extent(group.block)}"


def _extent(extent: Extent) -> str:
    """Print an extent without the dimensions that it does not use."""
    used = max((i for i, size in enumerate(extent, 1) if size != 1), default=1)
    return " × ".join(map(str, extent[:used]))


def concerned(ids: Sequence[str], found: Sequence[Cluster]) -> list[Cluster]:
    """Return the groups to which launches belong, longest time first."""
    wanted = set(ids)
    return [c for c in found if any(launch.id in wanted for launch in c.launches)]


class Named(NamedTuple):
    """The first of some kernels by name, and how many other names there are."""

    names: list[Name]
    more: int


def named(found: Sequence[Cluster], most: int) -> Named:
    """Name kernels once each, whatever shapes they were launched with."""
    different = {cluster.name.short: cluster.name for cluster in reversed(found)}
    names = list(reversed(different.values()))
    return Named(names[:most], max(0, len(names) - most))


def kind_counts(cluster: Cluster) -> list[str]:
    """Say which bottlenecks the launches have, where they differ."""
    kinds = by_kind(cluster.launches)
    if len(kinds) < 2:
        return []
    timed = bool(cluster.seconds)
    return [
        f"{words.mark(one.kind).label}: {words.count(len(one.launches), 'launch')}"
        + (f", {percent(100 * one.share)} of the time" if timed else "")
        for one in kinds
    ]


def _speaker(group: Group, launches: Sequence[KernelDiagnosis]) -> KernelDiagnosis:
    """Return the launch that the diagnosis chose; an older one did not say."""
    chosen = (one for one in launches if one.id == group.representative)
    return next(chosen, None) or representative(launches)


def _full(kernel: KernelDiagnosis) -> str:
    """Return the full name; a mangled one says less than the plain name."""
    mangled = kernel.demangled.startswith("_Z")
    return kernel.name if mangled or not kernel.demangled else kernel.demangled


def _name(kernel: KernelDiagnosis, short: Mapping[str, str], which: str) -> Name:
    full = _full(kernel)
    name = short[full] + which
    return Name(name, full if full != short[full] else None, anchor(kernel.id))

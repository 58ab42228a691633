"""The head of every output: what was profiled, and the verdict on all of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import PureWindowsPath

from ncu_triage.model import Device, Diagnosis
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.book import number
from ncu_triage.view.ceilings import in_brief
from ncu_triage.view.clusters import Cluster, kind_counts
from ncu_triage.view.shown import Fact, Verdict
from ncu_triage.view.times import times

CEILINGS = "Achievable"
_CONFIDENCES = ("high", "medium", "low")


def title(diagnosis: Diagnosis) -> str:
    """Name the report; of several, the first and how many there are besides."""
    names = [file_name(source.name) for source in diagnosis.sources]
    if len(names) < 2:
        return "".join(names) or "No report"
    return f"{names[0]} and {words.count(len(names) - 1, 'more report')}"


def file_name(path: str) -> str:
    """Return a path's last part, whichever system wrote it: no folder is shown."""
    return PureWindowsPath(path).name or path


def facts(diagnosis: Diagnosis, found: Sequence[Cluster]) -> list[Fact]:
    """Say what was profiled and how; what the file does not say is left out."""
    settings = diagnosis.collection
    versions = {source.ncu_version for source in diagnosis.sources if source.ncu_version}
    sections = words.count(len(settings.sections), "section") if settings.sections else None
    told = (
        ("GPU", "; ".join(map(device, diagnosis.devices))),
        ("SM clock", _clocks(diagnosis)),
        ("Clock control", settings.clock_control),
        ("Nsight Compute", ", ".join(sorted(versions))),
        ("Collected", f"set {settings.set}" if settings.set else sections),
        ("Launches", _launches(diagnosis, found)),
        ("GPU time", _time(diagnosis)),
        (CEILINGS, in_brief(diagnosis)),
    )
    return [Fact(label, text) for label, text in told if text]


def private(diagnosis: Diagnosis) -> list[Fact]:
    """List what the files say about their origin: empty unless the user asked for it."""
    return [
        Fact(label, text) for source in diagnosis.sources for label, text in source.private.items()
    ]


def verdict(diagnosis: Diagnosis, found: Sequence[Cluster]) -> Verdict:
    """Say in one sentence what limits the report, and in the next how sure that is."""
    if not found:
        return Verdict("There is no kernel to judge.", [])
    told = _verdict(diagnosis, found)
    if diagnosis.timeline is None or not diagnosis.timeline.comparable:
        return told
    from ncu_triage.view.timeline_headline import headline

    return Verdict(told.headline, [*told.sentences, headline(diagnosis.timeline)])


def _verdict(diagnosis: Diagnosis, found: Sequence[Cluster]) -> Verdict:
    if len(found) == 1:
        judged = found[0].speaker.bottleneck
        headline = f"{_subject(found[0])} {words.one_kernel(judged.kind)}."
        sure = f"Confidence: {found[0].confidence}."
        return Verdict(headline, [judged.sentence, *_unlike(found[0]), sure])
    shares = times(diagnosis, found)
    if not shares:
        return Verdict("The report holds no times, so no kernel matters more than another.", [])
    top, others = shares[0], shares[1:]
    what = words.workloads(cluster.group.workload for cluster in found)
    many = words.many_kernels(top.mark.kind)
    headline = f"{top.share} of the GPU time goes to {what}s {many}."
    then = ", ".join(f"{one.mark.label} {one.share}" for one in others)
    return Verdict(headline, [*([f"Then: {then}."] if then else []), _trust(found)])


def _unlike(cluster: Cluster) -> list[str]:
    """Say which bottlenecks unlike launches have."""
    kinds = kind_counts(cluster)
    return [f"Its launches differ. {'. '.join(kinds)}."] if kinds else []


def _subject(cluster: Cluster) -> str:
    kind = cluster.group.workload
    return cluster.name.short if kind == "kernel" else words.as_a_whole(cluster.name.short, kind)


def _trust(found: Sequence[Cluster]) -> str:
    """Say for how much of the time which confidence holds."""
    seconds: dict[str, float] = defaultdict(float)
    for cluster in found:
        for launch in cluster.launches:
            seconds[launch.bottleneck.confidence] += number(launch, "duration") or 0.0
    total = sum(seconds.values())
    parts = [
        f"{level} for {percent(100 * seconds[level] / total)}"
        for level in _CONFIDENCES
        if total and seconds[level]
    ]
    return f"Confidence: {', '.join(parts)} of the time." if parts else "Confidence: unknown."


def device(one: Device) -> str:
    """Name a GPU with its compute capability and its SMs."""
    sms = f", {one.sm_count} SMs" if one.sm_count else ""
    return f"{one.name} (compute capability {one.compute_capability}{sms})"


def _launches(diagnosis: Diagnosis, found: Sequence[Cluster]) -> str:
    launches = diagnosis.totals.launches
    what = words.workloads(cluster.group.workload for cluster in found)
    different = words.count(len(found), f"different {what}")
    return f"{launches:,}" if launches == len(found) else f"{launches:,} ({different})"


def _time(diagnosis: Diagnosis) -> str | None:
    """Say the time of all launches, and of how many it is unknown."""
    seconds = diagnosis.totals.duration
    if seconds is None:
        return None
    unknown = sum(number(kernel, "duration") is None for kernel in diagnosis.kernels)
    beside = f", without {words.count(unknown, 'launch')} of unknown time" if unknown else ""
    return show(seconds, "s") + beside


def _clocks(diagnosis: Diagnosis) -> str | None:
    """Print the SM clock, or its range, and what part of the maximum that is."""
    clock = _range(diagnosis, "sm_clock", lambda value: show(value, "Hz"))
    ratio = _range(diagnosis, "sm_clock_ratio", lambda value: f"{100 * value:.0f} %")
    return f"{clock} ({ratio} of its maximum)" if clock and ratio else clock


def _range(diagnosis: Diagnosis, id: str, text: Callable[[float], str]) -> str | None:
    values = [v for kernel in diagnosis.kernels if (v := number(kernel, id)) is not None]
    if not values:
        return None
    low, high = text(min(values)), text(max(values))
    return low if low == high else f"{low} to {high}"

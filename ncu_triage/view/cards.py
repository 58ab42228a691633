"""A card per group of launches: the verdict first, every number on demand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from ncu_triage.model import KernelDiagnosis, Spread
from ncu_triage.units import percent, show
from ncu_triage.view import words
from ncu_triage.view.bars import pipe_bars, stalls_view, unit_bars
from ncu_triage.view.book import Book, number
from ncu_triage.view.clusters import Cluster, kind_counts, limited_by, shape
from ncu_triage.view.findings import finding_views, nvidia_view, undecided_view
from ncu_triage.view.names import anchor
from ncu_triage.view.roof_points import card_lines
from ncu_triage.view.shown import Card, Fact, FindingView, LaunchRow, Name, NumberRow
from ncu_triage.view.times import tail_label
from ncu_triage.view.what_if import what_if

# Up to so many kernels are told in full. Of more, only the longest: a thousand would make a
# huge page. In brief the verdict and its evidence stay; bars and lists go.
IN_FULL = 50
IN_FULL_OF_MANY = 15
_STANDS_OUT = 0.1  # of the median
_MOST_ELSEWHERE = 4
_SHOWN_KINDS = ("warning", "error", "optimization")


def cards(found: Sequence[Cluster], book: Book) -> list[Card]:
    """Return a card per group, in the groups' order."""
    told: dict[str, Name] = {}
    in_full = IN_FULL if len(found) <= IN_FULL else IN_FULL_OF_MANY
    made = []
    for i, cluster in enumerate(found):
        one = card(cluster, book)
        made.append(one if i < in_full else in_brief(one, told))
        for finding in cluster.speaker.findings:
            told.setdefault(finding.rule, cluster.name)
    return made


def card(cluster: Cluster, book: Book) -> Card:
    """Tell a group by the launch that speaks for it."""
    kernel = cluster.speaker
    judged = kernel.bottleneck
    return Card(
        name=cluster.name,
        facts=_facts(cluster),
        mark=limited_by(kernel),
        confidence=cluster.confidence,
        sentence=words.sentence(judged.sentence),
        mixed=[*kind_counts(cluster), *_seen_elsewhere(cluster)],
        notices=[_notice(w.warning, w.effect) for w in kernel.measurement],
        bars=unit_bars(kernel, book),
        pipes=pipe_bars(kernel, book),
        stalls=stalls_view(kernel.stalls),
        roof=card_lines(kernel),
        what_if=what_if(kernel),
        findings=finding_views(kernel.findings, book, kernel),
        undecided=[undecided_view(rule, book) for rule in kernel.undecided],
        failures=[Fact(failure.rule, failure.message) for failure in kernel.rule_errors],
        numbers=_numbers(kernel, book),
        absent=_absent(kernel, book),
        nvidia=[nvidia_view(r) for r in kernel.nvidia_rules if r.kind in _SHOWN_KINDS],
        launches=_launches(cluster),
        nvtx=" › ".join(kernel.nvtx) or None,
        brief=False,
    )


def in_brief(full: Card, told: Mapping[str, Name]) -> Card:
    """Mark a card as told in brief; the words of its findings stand in another card."""
    return replace(
        full, brief=True, findings=[_told_elsewhere(finding, told) for finding in full.findings]
    )


def _told_elsewhere(finding: FindingView, told: Mapping[str, Name]) -> FindingView:
    return replace(
        finding,
        told=told.get(finding.rule),
        consequences=[_told_elsewhere(one, told) for one in finding.consequences],
    )


def _facts(cluster: Cluster) -> list[Fact]:
    """Say how often and how long the kernel ran; one launch has no spread to show."""
    group, spread = cluster.group, cluster.group.duration
    times = (
        [("Duration", spread.total)]
        if group.launches == 1
        else [
            ("Total", spread.total),
            ("Median", spread.median),
            (tail_label(group), spread.p99),
            ("First", spread.first if _stands_out(spread) else None),
        ]
    )
    told = (
        ("Launches", f"{group.launches:,}" if group.launches > 1 else None),
        *((label, show(value, "s") if value is not None else None) for label, value in times),
        ("Share", percent(cluster.share) if cluster.share is not None else None),
        ("Shape", shape(group) if group.workload == "kernel" else None),
        ("Context", cluster.speaker.context_name),
        ("Stream", cluster.speaker.stream_name if group.launches == 1 else None),
        ("Workload", None if group.workload == "kernel" else shape(group)),
    )
    return [Fact(label, text) for label, text in told if text]


def _stands_out(spread: Spread) -> bool:
    """Tell whether the first launch took another time than half of the others."""
    if spread.first is None or not spread.median:
        return False
    return abs(spread.first / spread.median - 1) >= _STANDS_OUT


def _seen_elsewhere(cluster: Cluster) -> list[str]:
    """Name the findings that only other launches have: by rule, whatever their numbers are."""
    own = {finding.rule for finding in cluster.speaker.findings}
    others = Counter(
        finding.rule for k in cluster.launches for finding in k.findings if finding.rule not in own
    )
    counts = sorted(others.items(), key=lambda item: (-item[1], item[0]))
    if not counts:
        return []
    told = [f"{words.rule_name(rule)} ({n:,})" for rule, n in counts[:_MOST_ELSEWHERE]]
    rest = len(counts) - len(told)
    more = f" and {words.count(rest, 'more finding')}" if rest else ""
    return [f"Found in other launches only: {', '.join(told)}{more}"]


def _notice(warning: str, effect: str) -> Fact:
    return Fact(words.sentence(warning), words.sentence(effect))


def _numbers(kernel: KernelDiagnosis, book: Book) -> list[NumberRow]:
    """List every quantity; the method section tells where each usually comes from."""
    return [
        NumberRow(
            label=book.label(id),
            value=book.text(kernel, id),
            basis=words.of_what(book.entry(id).basis),
            origin=book.origin(kernel, id) if id in kernel.provenance else None,
        )
        for id in kernel.quantities
    ]


def _absent(kernel: KernelDiagnosis, book: Book) -> list[Fact]:
    """Say why quantities are missing; that many kernels have no shape goes without saying."""
    shapeless = kernel.workload != "kernel"
    return [
        Fact(book.label(id), book.reason(kernel, id))
        for id, why in kernel.absent.items()
        if not (shapeless and why == "not-applicable")
    ]


def _stream(launch: KernelDiagnosis) -> str:
    """Print a stream's number, and the name that the program gave it."""
    told = ("" if one is None else str(one) for one in (launch.stream, launch.stream_name))
    return " ".join(filter(None, told))


def _launches(cluster: Cluster) -> list[LaunchRow]:
    """List every launch of a group of several."""
    if len(cluster.launches) < 2:
        return []
    return [
        LaunchRow(
            id=launch.id,
            anchor="" if launch is cluster.speaker else anchor(launch.id),
            duration=show(seconds, "s") if (seconds := number(launch, "duration")) else "unknown",
            stream=_stream(launch),
            mark=words.mark(launch.bottleneck.kind),
        )
        for launch in cluster.launches
    ]

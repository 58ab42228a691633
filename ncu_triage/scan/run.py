"""A scan from beginning to end: find, look, judge, write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from ncu_triage import __version__
from ncu_triage.model import Tool
from ncu_triage.scan.places import Found, Place
from ncu_triage.scan.row import Index, Loss, Row
from ncu_triage.scan.store import Store, key_of, stem_of
from ncu_triage.scan.summary import by_worst
from ncu_triage.scan.work import Judge, Judged, Look, Seen, Setup
from ncu_triage.scan.worker import Answer, Lost, Request


class Workers(Protocol):
    """Whoever answers requests: processes of this machine, or a cluster."""

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each request with its answer, as they come."""


class Progress(Protocol):
    """Whoever wants to know how far a scan is."""

    def total(self, contents: int) -> None:
        """Hear how many rows there will be."""

    def done(self, row: Row, where: str, known: bool) -> None:
        """Hear of a row; `known` is one that an earlier run has judged."""


class Content(NamedTuple):
    """One content, where it was found, and when it was written there (Unix time)."""

    sha256: str
    places: list[Place]
    written: list[float | None]


class Scanned(NamedTuple):
    """The rows of a scan, and its contents with their rows."""

    overview: Index
    contents: list[tuple[Content, Row]]


def scan(found: Found, store: Store, setup: Setup, workers: Workers, progress: Progress) -> Scanned:
    """Judge what was found, each content once, and put pages and data into the folder.

    What an earlier run has judged in the same way is taken over.
    """
    refused = [_lost("unreadable", one.reason, one.name) for one in found.refused]
    contents, lost = _look(found.places, workers)
    progress.total(len(refused) + len(lost) + len(contents))
    for row, where in [*((row, row.names[0]) for row in refused), *lost]:
        progress.done(row, where, False)
    judged = _judge(contents, store, setup, workers, progress)
    rows = [*refused, *(row for row, _ in lost), *(row for _, row in judged)]
    tool = Tool(name="ncu-triage", version=__version__, rules=setup.version)
    overview = Index(tool=tool, reports=sorted(rows, key=by_worst), passed_over=found.passed_over)
    return Scanned(overview, judged)


def _look(places: Sequence[Place], workers: Workers) -> tuple[list[Content], list[tuple[Row, str]]]:
    """Hash every file; those that cannot be read come back as rows, with their places."""
    seen: dict[int, Answer] = dict(workers.answers([Look(place) for place in places]))
    contents: dict[str, Content] = {}
    lost: list[tuple[Row, str]] = []
    for number, place in enumerate(places):
        answer = seen[number]
        if isinstance(answer, Seen):
            content = contents.setdefault(answer.sha256, Content(answer.sha256, [], []))
            content.places.append(place)
            content.written.append(answer.modified)
        elif isinstance(answer, Lost):
            lost.append((_lost(answer.loss, answer.reason, place.name), place.where))
    return list(contents.values()), lost


def _judge(
    contents: Sequence[Content],
    store: Store,
    setup: Setup,
    workers: Workers,
    progress: Progress,
) -> list[tuple[Content, Row]]:
    keys = [_key(content, setup) for content in contents]
    rows: dict[int, Row] = {}
    for number, (content, key) in enumerate(zip(contents, keys, strict=True)):
        if (row := store.known(key)) is not None:
            rows[number] = _placed(row, content, store)
            progress.done(rows[number], content.places[0].where, True)
    open_ = [number for number in range(len(contents)) if number not in rows]
    requests = [Judge(contents[number].places[0]) for number in open_]
    for place, answer in workers.answers(requests):
        number = open_[place]
        rows[number] = _written(answer, contents[number], keys[number], store)
        progress.done(rows[number], contents[number].places[0].where, False)
    if any(row.loss is None for row in rows.values()):
        # Where not one was judged, pages of an earlier scan are worth more than none.
        lost = {contents[number].sha256 for number, row in rows.items() if row.loss}
        store.forget(set(keys), lost)
    return [(content, rows[number]) for number, content in enumerate(contents)]


def _written(answer: Answer, content: Content, key: str, store: Store) -> Row:
    """Put an answer into the folder: page and data first, then the note that it is done."""
    if isinstance(answer, Judged):
        stem = stem_of(content.places[0].name, content.sha256)
        row = replace(answer.row, page=f"reports/{stem}.html", data=f"reports/{stem}.json")
        store.write(row.page or "", answer.page)
        store.write(row.data or "", answer.data)
        store.keep(key, row)
        return _placed(row, content, store)
    assert isinstance(answer, Lost)
    row = replace(_lost(answer.loss, answer.reason), sha256=content.sha256)
    if answer.loss == "unreadable":
        # Anything else may come out otherwise the next time.
        store.keep(key, row)
    return _placed(row, content, store)


def _lost(loss: Loss, reason: str, *names: str) -> Row:
    """Return the row of what could not be judged: nothing of it is complete."""
    return Row(names=list(names), loss=loss, reason=reason, complete=False)


def _placed(row: Row, content: Content, store: Store) -> Row:
    """Name a row by all its places; what failed keeps what an earlier run made of it."""
    names = [place.name for place in content.places]
    earlier = store.earlier(content.sha256) if row.loss else None
    if earlier is None:
        return replace(row, names=names)
    return replace(row, names=names, page=earlier.page, data=earlier.data)


def _key(content: Content, setup: Setup) -> str:
    """Tell apart whatever decides what becomes of a content."""
    name = content.places[0].name
    return key_of(content.sha256, name, __version__, setup.version, setup.script, *setup.ceilings)

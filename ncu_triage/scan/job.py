"""Carry a scan out: the workers, the folder, the index, and what changed since last time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from ncu_triage.engine.adjust import configuration
from ncu_triage.engine.ruleset import RuleSet
from ncu_triage.errors import InputError, TriageError, UsageError
from ncu_triage.gate.gated import Gated
from ncu_triage.gate.subjects import Subjects
from ncu_triage.history.database import opened
from ncu_triage.pipeline import rules
from ncu_triage.render.comparison_gate import gate_sentence
from ncu_triage.render.plotly_js import script
from ncu_triage.scan.gating import subjects
from ncu_triage.scan.limits import cores
from ncu_triage.scan.options import Options
from ncu_triage.scan.places import find
from ncu_triage.scan.pool import Pool
from ncu_triage.scan.recording import Kept, Wanted, keep
from ncu_triage.scan.row import Gate, Index
from ncu_triage.scan.run import Progress, Scanned, Workers, scan
from ncu_triage.scan.shown import headline, recorded, shown
from ncu_triage.scan.store import Store
from ncu_triage.scan.times import time_of
from ncu_triage.scan.work import Setup, warm

_SHARED = "plotly.js"
Judge: TypeAlias = Callable[[Subjects], Gated | None]


class Done(NamedTuple):
    """A finished scan: where it lies, what it says, and what the history knows of it.

    `chosen` where the user gave a label or a time for the history, `gated` what the gate said.
    """

    store: Store
    overview: Index
    kept: Kept
    written: bool = True
    chosen: bool = False
    gated: Gated | None = None

    @property
    def complete(self) -> bool:
        """Whether there was something to judge, and all of it was judged."""
        return bool(self.overview.judged) and not self.overview.lost

    @property
    def line(self) -> str:
        """Say in one line how it went, and where to read on."""
        left = "" if self.written else "; the earlier scan there is left as it is"
        return f"{headline(self.overview)}{left}: {self.store.folder / 'index.html'}"

    @property
    def note(self) -> str | None:
        """Say what was not recorded because the history had it."""
        return recorded(self.kept.recorded, self.kept.known, self.chosen)


def carry_out(options: Options, progress: Progress, judge: Judge | None = None) -> Done:
    """Scan, record, hold the gate, and write the folder.

    Raises UsageError for arguments that make no sense, or a history that does not open.
    """
    when = time_of(options.when)
    _look_at(options.history)
    store = Store(options.out)
    setup = _setup(options, store)
    with store.held():
        found = find(options.paths, options.out)
        with _workers(options, setup) as workers:
            scanned = scan(found, store, setup, workers, progress)
        try:
            kept = _kept(options, when, store, scanned)
        except TriageError:
            # What was judged is not lost with the history.
            _publish(store, scanned.overview)
            raise
        overview = replace(scanned.overview, events=kept.events)
        gated = judge(subjects(store, overview, kept)) if judge else None
        overview = replace(overview, gate=_told(gated))
        written = _publish(store, overview)
        store.recorded()
    chosen = options.label is not None or options.when is not None
    return Done(store, overview, kept, written, chosen, gated)


def _told(gated: Gated | None) -> Gate | None:
    if gated is None or not gated.rows:
        return None
    rows = [row for row in gated.rows if row.outcome != "passed"]
    return Gate(
        verdict=gated.verdict,
        sentence=gate_sentence(gated),
        rows=rows,
        passed=len(gated.rows) - len(rows),
    )


def _look_at(history: str | None) -> None:
    """Open the history and bring it up to date before any work: hours may lie in that."""
    if history is None:
        return
    try:
        with opened(history) as database:
            database.check_writing()
    except InputError as error:
        raise UsageError(str(error)) from error


def _kept(options: Options, when: float | None, store: Store, scanned: Scanned) -> Kept:
    """Record the reports in the history, if there is one."""
    if options.history is None:
        return Kept([], {}, [])
    now = time.time()
    began = store.recording_since(now)
    wanted = Wanted(options.history, options.label, when, now, began)
    return keep(wanted, store, scanned.contents, _rules(options))


def _rules(options: Options) -> RuleSet:
    folders = tuple(path.absolute() for path in options.rules)
    config = configuration(options.config, Path.cwd()).path
    return rules(folders, config.absolute() if config else None)


def _setup(options: Options, store: Store) -> Setup:
    """Settle how reports are judged, so that any worker can do the same."""
    folders = tuple(str(path.absolute()) for path in options.rules)
    config = configuration(options.config, Path.cwd()).path
    shared = f"../{_SHARED}" if script() else None
    where = str(config.absolute()) if config else None
    # A cluster's workers share no disk with this machine, or none that is known here.
    spool = str(store.spool.absolute()) if options.cluster is None else None
    version, ceilings = _rules(options).version, _ceilings(options)
    return Setup(folders, where, version, shared, spool, ceilings)


def _ceilings(options: Options) -> tuple[str, ...]:
    """Read the files of ceilings, each checked before any work. Raises UsageError."""
    if not options.ceilings:
        return ()
    from ncu_triage.ceilings.file import read, text_of

    return tuple(text_of(read(path)) for path in options.ceilings)


@contextmanager
def _workers(options: Options, setup: Setup) -> Iterator[Workers]:
    if options.cluster is not None:
        from ncu_triage.scan.cluster import Cluster

        with Cluster(options.cluster, setup, options.limits) as cluster:
            yield cluster
        return
    warm()
    pool = Pool(setup, options.jobs or cores(), options.limits)
    try:
        yield pool
    finally:
        pool.close()


def _publish(store: Store, overview: Index) -> bool:
    """Write the index; one that has no report does not replace one that has."""
    if not overview.judged and store.shows_reports():
        return False
    write(store, overview)
    return True


def write(store: Store, overview: Index) -> None:
    """Write what lies over the reports; the page comes last, when all it names is there."""
    from ncu_triage.render.scan_index import render
    from ncu_triage.scan.table import write as write_table

    plotly = script()
    if overview.judged and plotly is not None:
        store.write(_SHARED, plotly.read_bytes())
    with store.beside("kernels.parquet") as path:
        write_table(path, store.folder, overview.judged)
    data = msgspec.json.format(msgspec.json.encode(overview, order="deterministic"), indent=1)
    store.write("index.json", data + b"\n")
    store.write("index.html", render(shown(overview)))

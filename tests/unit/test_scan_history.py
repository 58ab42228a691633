"""Nights that are scanned one after the other: what changed, and what a gate makes of it."""

from __future__ import annotations

import datetime
import os
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from fixtures.report_writer import launch, report_bytes, write_report

from ncu_triage.cli.gate_option import Asked, hold
from ncu_triage.errors import InputError
from ncu_triage.gate.conditions import conditions
from ncu_triage.gate.rows import Row as GateRow
from ncu_triage.gate.rows import verdict
from ncu_triage.scan import job, recording
from ncu_triage.scan.gating import subjects
from ncu_triage.scan.job import Done, carry_out
from ncu_triage.scan.options import Options
from ncu_triage.scan.row import Row

pytest.importorskip("sqlalchemy")
FIRST = datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC).timestamp()
DAY = 86400


class Silent:
    """A progress that nobody hears of."""

    def total(self, contents: int) -> None:
        """Hear how many rows there will be."""

    def done(self, row: Row, where: str, known: bool) -> None:
        """Hear of a row."""


def _night(folder: Path, night: int, duration: float, dram: float, locked: bool = True) -> None:
    metrics = {
        "gpu__time_duration.sum": round(duration * 1e9),
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": dram,
        "lts__throughput.avg.pct_of_peak_sustained_elapsed": 10.0,
        "l1tex__throughput.avg.pct_of_peak_sustained_active": 10.0,
        "device__attribute_display_name": "NVIDIA A100",
    }
    day = datetime.date(2026, 1, 5) + datetime.timedelta(night)
    path = folder / str(day) / "model.ncu-rep"
    path.parent.mkdir(parents=True)
    write_report(path, [launch(name="gemm", metrics=metrics, clock_locked=locked)] * 5)
    os.utime(path, (FIRST + DAY * night,) * 2)


Nights = Callable[..., Done]


def test_a_history_that_fails_in_the_end_loses_no_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object) -> None:
        raise InputError("--history h: the disk is full")

    monkeypatch.setattr(job, "keep", fail)
    _night(tmp_path / "nights", 0, 1e-3, 91.0)
    out, history = tmp_path / "out", str(tmp_path / "h.sqlite")
    with pytest.raises(InputError, match="full"):
        carry_out(Options(paths=[str(tmp_path / "nights")], out=out, history=history), Silent())
    assert "model" in (out / "index.json").read_text()


@pytest.fixture
def nights(tmp_path: Path) -> Nights:
    """Return a function that adds nights and scans them all; each is a duration in ms."""
    count = 0

    def scan(durations: Sequence[float], dram: float = 91.0, locked: bool = True) -> Done:
        nonlocal count
        for duration in durations:
            noise = 0.002 * (count % 3) + 1e-5 * count  # no two nights are the same file
            _night(tmp_path / "nights", count, 1e-3 * duration * (1 + noise), dram, locked)
            count += 1
        options = Options(
            paths=[str(tmp_path / "nights")],
            out=tmp_path / "out",
            history=str(tmp_path / "h.sqlite"),
        )
        return carry_out(options, Silent())

    return scan


def _gate(done: Done, *texts: str) -> tuple[str, list[str]]:
    rows = _rows(done, *texts)
    failed = [row for row in rows if row.outcome == "failed"]
    return verdict(rows), [row.about.source or "" for row in failed]


def _rows(done: Done, *texts: str) -> list[GateRow]:
    gated = hold(
        Asked(conditions(texts, two=True), []),
        subjects(done.store, done.overview, done.kept),
        datetime.date(2026, 3, 1),
    )
    assert gated is not None
    return gated.rows


def test_a_quiet_history_has_nothing_to_say(nights: Nights) -> None:
    done = nights([1.0] * 10)
    assert done.overview.events == []
    assert done.line.startswith("10 reports judged: ")
    assert _gate(done, "regression=5%,3sigma", "bottleneck-change") == ("passed", [])


def test_a_regression_is_said_and_gated_on_its_second_night(nights: Nights) -> None:
    nights([1.0] * 10)
    first = nights([1.2])
    assert first.overview.events == []
    assert _gate(first, "regression=5%,3sigma") == ("passed", [])
    second = nights([1.2])
    (event,) = second.overview.events
    assert (event.event, event.direction) == ("step", "slower")
    assert (event.benchmark, event.device) == ("model", "NVIDIA A100")
    assert event.since == "2026-01-15, 2026-01-15/model.ncu-rep"
    assert "1 kernel slower (gemm by" in second.line
    assert "What changed" in (second.store.folder / "index.html").read_text()
    ended, failed = _gate(second, "regression=5%,3sigma")
    assert (ended, failed) == ("failed", ["2026-01-16/model.ncu-rep"])
    assert _gate(second, "regression=30%,3sigma") == ("passed", [])
    third = nights([1.2])
    assert third.overview.events == []
    assert _gate(third, "regression=5%,3sigma") == ("passed", [])


def test_a_change_of_bottleneck_is_said_and_gated(nights: Nights) -> None:
    nights([1.0] * 6)
    done = nights([1.0] * 2, dram=30.0)
    (event,) = done.overview.events
    assert event.kind_before == "dram-bandwidth"
    assert "1 kernel with another bottleneck" in done.line
    assert _gate(done, "bottleneck-change") == ("failed", ["2026-01-12/model.ncu-rep"])


def test_findings_that_are_new_are_gated_on_their_second_night(nights: Nights) -> None:
    nights([1.0] * 6)
    assert _gate(nights([1.0], dram=30.0), "new-finding=info")[0] != "failed"
    ended, failed = _gate(nights([1.0], dram=30.0), "new-finding=info")
    assert ended == "failed" and set(failed) == {"2026-01-12/model.ncu-rep"}


def test_a_first_night_has_nothing_to_be_held_against(nights: Nights) -> None:
    done = nights([1.0])
    for needs_two in ("regression=5%,3sigma", "new-finding=info", "bottleneck-change"):
        assert _gate(done, needs_two) == ("nothing", [])


def test_scanning_again_changes_nothing(nights: Nights) -> None:
    nights([1.0] * 10)
    once, again = nights([1.2, 1.2]), nights([])
    assert once.overview.events and once.overview == again.overview


def _copied(folder: Path, *names: str) -> None:
    """Put one report under several names, each a second younger than the one before."""
    metrics = {"gpu__time_duration.sum": 1_000_000}
    content = report_bytes([launch(name="gemm", metrics=metrics)])
    for number, name in enumerate(names):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (FIRST + number,) * 2)


def _reports(history: Path) -> list[tuple[object, ...]]:
    with sqlite3.connect(history) as connection:
        chosen = "SELECT benchmark, name, label FROM report ORDER BY benchmark"
        return connection.execute(chosen).fetchall()


def test_a_content_is_a_night_of_each_benchmark_that_its_names_speak_of(tmp_path: Path) -> None:
    _copied(
        tmp_path / "n", "model-2026-01-05.ncu-rep", "latest.ncu-rep", "2026-01-05/model.ncu-rep"
    )
    history = tmp_path / "h.sqlite"
    options = Options(paths=[str(tmp_path / "n")], out=tmp_path / "out", history=str(history))
    done = carry_out(options, Silent())
    # Of two names of one benchmark the older file is the night, and the younger a copy.
    nights = [("latest", "latest.ncu-rep", None), ("model", "model-2026-01-05.ncu-rep", None)]
    assert _reports(history) == nights
    (row,) = done.overview.reports
    assert len(row.names) == 3 and done.note is None
    assert {benchmark for _, benchmark in done.kept.reports} == {"latest", "model"}


def test_a_regression_shows_in_each_benchmark_of_a_copied_report(
    nights: Nights, tmp_path: Path
) -> None:
    for durations in [[1.0] * 10, [1.2, 1.2]]:
        nights(durations)
        for report in (tmp_path / "nights").glob("*/model.ncu-rep"):
            shutil.copy2(report, report.with_name("a-copy.ncu-rep"))
    done = nights([])
    assert {event.benchmark for event in done.overview.events} == {"model", "a-copy"}
    failed = ["2026-01-16/a-copy.ncu-rep", "2026-01-16/model.ncu-rep"]
    assert _gate(done, "regression=5%,3sigma") == ("failed", failed)


def test_what_the_history_has_keeps_its_label_and_the_scan_says_so(tmp_path: Path) -> None:
    _copied(tmp_path / "n", "model.ncu-rep")
    history = tmp_path / "h.sqlite"

    def scan(label: str | None = None, when: str | None = None) -> str | None:
        options = Options(
            paths=[str(tmp_path / "n")],
            out=tmp_path / "out",
            history=str(history),
            label=label,
            when=when,
        )
        return carry_out(options, Silent()).note

    assert scan("v1") is None
    was = "history: nothing recorded; 1 night was there already"
    assert scan() == was
    assert scan("v2") == scan(when="2026-02-01") == f"{was} and keeps its label and time"
    assert _reports(history) == [("model", "model.ncu-rep", "v1")]
    _night(tmp_path / "n", 0, 1e-3, 91.0)
    write_report(tmp_path / "n" / "other.ncu-rep", [launch(name="other")])
    assert scan("v2") == (
        "history: 2 recorded; 1 night was there already and keeps its label and time"
    )


_LAST = "2026-01-15/model.ncu-rep"


def test_a_gate_judges_nothing_on_a_night_that_was_profiled_in_another_way(
    nights: Nights,
) -> None:
    needing_two = ("regression=5%,3sigma", "new-finding=info", "bottleneck-change")
    assert _gate(nights([1.0] * 10), *needing_two) == ("passed", [])
    first = nights([1.2], locked=False)
    (row,) = (r for r in _rows(first, needing_two[0]) if r.about.source == _LAST)
    assert row.found == (
        "not comparable with the night before: clock control: base before, none after"
    )
    for done in (first, nights([1.2], locked=False)):
        # Twenty percent, and not the kernel's: nothing is said of it, and nothing passes.
        assert done.overview.events == []
        assert [_gate(done, one)[0] for one in needing_two] == ["nothing"] * 3
    # From the fifth night of that kind on there is something to hold it against.
    assert _gate(nights([1.2] * 3, locked=False), *needing_two) == ("passed", [])
    assert _gate(nights([1.4] * 2, locked=False), needing_two[0])[0] == "failed"


def test_nights_that_are_scanned_at_once_are_all_judged(nights: Nights, tmp_path: Path) -> None:
    nights([1.0] * 10)
    # A weekend: the second night confirms the step, the third is scanned with it.
    done = nights([1.2] * 3)
    (event,) = done.overview.events
    assert (event.since[:10], event.found[:10]) == ("2026-01-15", "2026-01-16")
    failed = ["2026-01-16/model.ncu-rep"]
    assert _gate(done, "regression=5%,3sigma") == ("failed", failed)
    assert _gate(nights([]), "regression=5%,3sigma") == ("failed", failed)
    # Nights of before are no rows that could not be judged.
    sources = {row.about.source for row in _rows(nights([]), "regression=5%,3sigma")}
    assert sources == {f"2026-01-{day}/model.ncu-rep" for day in (15, 16, 17)}
    # The job of an older night, run again, says what it said.
    options = Options(
        paths=[str(tmp_path / "nights" / "2026-01-16")],
        out=tmp_path / "again",
        history=str(tmp_path / "h.sqlite"),
    )
    assert nights([1.2]).overview.events == []
    again = carry_out(options, Silent())
    assert [one.found[:10] for one in again.overview.events] == ["2026-01-16"]
    assert _gate(again, "regression=5%,3sigma") == ("failed", ["model.ncu-rep"])


def test_a_gate_fails_for_what_the_events_say_and_nothing_else(nights: Nights) -> None:
    nights([1.0] * 10)
    # Slow, normal, slow, slow: it comes and goes, which no night makes certain.
    for duration in (1.3, 1.0, 1.3, 1.3):
        done = nights([duration])
        assert done.overview.events == []
        assert _gate(done, "regression=5%,3sigma") == ("passed", [])


def test_the_whole_is_held_against_its_own_nights(nights: Nights) -> None:
    assert _gate(nights([1.0] * 4), "total-regression=5%") == ("nothing", [])
    (row,) = _rows(nights([]), "total-regression=5%")
    assert row.found == "3 earlier nights to compare with, and 4 are needed"
    assert _gate(nights([1.0] * 6), "total-regression=5%") == ("passed", [])
    ended, failed = _gate(nights([1.2] * 2), "total-regression=5%")
    assert (ended, failed) == ("failed", ["2026-01-16/model.ncu-rep"])


def _several(folder: Path, night: int, kernels: Sequence[str], name: str = "model") -> None:
    day = datetime.date(2026, 1, 5) + datetime.timedelta(night)
    path = folder / str(day) / f"{name}.ncu-rep"
    path.parent.mkdir(parents=True, exist_ok=True)
    times = {"gpu__time_duration.sum": 1_000_000 + night}
    write_report(path, [launch(name=kernel, metrics=times) for kernel in kernels])
    os.utime(path, (FIRST + DAY * night,) * 2)


def _scan(tmp_path: Path, *paths: Path) -> Done:
    options = Options(
        paths=[str(path) for path in paths],
        out=tmp_path / "out",
        history=str(tmp_path / "h.sqlite"),
    )
    return carry_out(options, Silent())


def test_a_kernel_that_is_gone_was_not_measured(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    for night in range(4):
        _several(folder, night, ["gemm", "relu"])
    _scan(tmp_path, folder)
    for night in (4, 5):
        _several(folder, night, ["gemm"])
        done = _scan(tmp_path, folder)
        failed = [row for row in _rows(done, "nothing-measured") if "gone" in row.found]
        assert [row.outcome for row in failed] == ["failed"] * (night == 5)
    assert failed[0].found == "gone from its benchmark since 2026-01-09"


def test_a_benchmark_whose_report_no_longer_comes_is_missed_once(tmp_path: Path) -> None:
    folder = tmp_path / "n"
    for night in range(4):
        _several(folder, night, ["gemm"])
        _several(folder, night, ["relu"], "other")
    _scan(tmp_path, folder)
    missed = []
    for night in (4, 5, 6):
        _several(folder, night, ["gemm"])
        done = _scan(tmp_path, folder)
        missed.append([(e.event, e.kernel, e.since[:10]) for e in done.overview.events])
        told = [row.found for row in _rows(done, "nothing-measured") if "no report" in row.found]
        assert len(told) == len(missed[-1])
    assert missed == [[], [("missing", "other", "2026-01-09")], []]


def test_a_series_goes_on_however_the_folders_are_given(tmp_path: Path) -> None:
    for night in range(3):
        _several(tmp_path / "boxA", night, ["gemm"])
    _several(tmp_path / "boxB", 7, ["gemm"])
    history = tmp_path / "h.sqlite"
    _scan(tmp_path, tmp_path / "boxA")
    _scan(tmp_path, tmp_path / "boxA", tmp_path / "boxB")
    benchmarks = [benchmark for benchmark, *_ in _reports(history)]
    assert benchmarks == ["boxB/model", "model", "model", "model"]


def test_a_recording_that_was_interrupted_goes_on_as_one(
    nights: Nights, monkeypatch: pytest.MonkeyPatch
) -> None:
    nights([1.0] * 10)
    real, count = recording.record, 0

    def dying(*args: Any) -> bool:
        nonlocal count
        count += 1
        if count == 3:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(recording, "record", dying)
    with pytest.raises(KeyboardInterrupt):
        nights([1.2] * 3)
    # Two nights were recorded, which show the step; the third is no reason to forget it.
    (event,) = nights([]).overview.events
    assert event.event == "step" and count == 4

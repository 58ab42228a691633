"""Nights that are scanned one after the other: what changed, and what a gate makes of it."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fixtures.report_writer import launch, write_report

from ncu_triage.cli.gate_option import Asked, hold
from ncu_triage.errors import InputError
from ncu_triage.gate.conditions import conditions
from ncu_triage.scan import job
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


def _night(folder: Path, night: int, duration: float, dram: float) -> None:
    metrics = {
        "gpu__time_duration.sum": round(duration * 1e9),
        "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": dram,
        "device__attribute_display_name": "NVIDIA A100",
    }
    day = datetime.date(2026, 1, 5) + datetime.timedelta(night)
    path = folder / str(day) / "model.ncu-rep"
    path.parent.mkdir(parents=True)
    write_report(path, [launch(name="gemm", metrics=metrics)] * 5)
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

    def scan(durations: Sequence[float], dram: float = 91.0) -> Done:
        nonlocal count
        for duration in durations:
            noise = 0.002 * (count % 3) + 1e-5 * count  # no two nights are the same file
            _night(tmp_path / "nights", count, 1e-3 * duration * (1 + noise), dram)
            count += 1
        options = Options(
            paths=[str(tmp_path / "nights")],
            out=tmp_path / "out",
            history=str(tmp_path / "h.sqlite"),
        )
        return carry_out(options, Silent())

    return scan


def _gate(done: Done, *texts: str) -> tuple[str, list[str]]:
    gated = hold(
        Asked(conditions(texts, two=True), []),
        subjects(done.store, done.overview, done.kept.trends, done.kept.reports),
        datetime.date(2026, 3, 1),
    )
    assert gated is not None
    failed = [row for row in gated.rows if row.outcome == "failed"]
    return gated.verdict, [row.about.source or "" for row in failed]


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
    verdict, failed = _gate(second, "regression=5%,3sigma")
    assert (verdict, failed) == ("failed", ["2026-01-16/model.ncu-rep"])
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
    verdict, failed = _gate(nights([1.0], dram=30.0), "new-finding=info")
    assert verdict == "failed" and set(failed) == {"2026-01-12/model.ncu-rep"}


def test_a_first_night_has_nothing_to_be_held_against(nights: Nights) -> None:
    assert _gate(nights([1.0]), "regression=5%,3sigma") == ("nothing", [])


def test_scanning_again_changes_nothing(nights: Nights) -> None:
    nights([1.0] * 10)
    once, again = nights([1.2, 1.2]), nights([])
    assert once.overview.events and once.overview == again.overview

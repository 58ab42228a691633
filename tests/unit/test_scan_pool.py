"""Worker processes: a crash, a hang and a lack of memory cost one file each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest
from fixtures.faulty_worker import START

from ncu_triage.errors import UsageError
from ncu_triage.pipeline import rules
from ncu_triage.scan import child
from ncu_triage.scan.limits import Limits, cores, size, size_text
from ncu_triage.scan.places import Place
from ncu_triage.scan.pool import Pool
from ncu_triage.scan.work import Look, Seen, Setup
from ncu_triage.scan.worker import Answer, Lost

SETUP = Setup((), None, rules().version, None)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pool]:
    monkeypatch.setattr(child, "_START", START)
    made = Pool(SETUP, 2, Limits(seconds=3.0, memory=2 << 30), child.command)
    yield made
    made.close()


def _answers(pool: Pool, *names: str) -> list[Answer]:
    found = dict(pool.answers([Look(Place(name, name)) for name in names]))
    assert sorted(found) == list(range(len(names)))
    return [found[number] for number in range(len(names))]


@pytest.mark.parametrize(
    ("name", "loss", "words"),
    [
        ("crash", "crashed", "SIGSEGV"),
        ("abort", "crashed", "SIGABRT"),
        ("exit", "crashed", "exit code 5"),
        ("hang", "out-of-time", "more than 3 s"),
        ("spin", "out-of-time", "more than 3 s"),
        ("memory", "out-of-memory", "more than 2 GiB"),
        ("deep", "crashed", "too deep"),
        ("bug", "bug", "ZeroDivisionError"),
    ],
)
def test_a_fault_costs_its_file_alone(pool: Pool, name: str, loss: str, words: str) -> None:
    first, bad, *rest = _answers(pool, "a", name, "b", "c", "d")
    assert isinstance(bad, Lost) and bad.loss == loss
    assert words in bad.reason and "secret" not in bad.reason
    good = [one.sha256.split()[1] for one in (first, *rest) if isinstance(one, Seen)]
    assert good == ["a", "b", "c", "d"]


def test_what_a_library_prints_is_no_answer(pool: Pool) -> None:
    assert [type(one) for one in _answers(pool, "noise", "a")] == [Seen, Seen]


def test_a_worker_goes_on_after_a_file(pool: Pool) -> None:
    workers = {
        one.sha256.split()[0] for one in _answers(pool, *"abcdefgh") if isinstance(one, Seen)
    }
    assert 1 <= len(workers) <= 2


def test_no_worker_outlives_the_pool(pool: Pool) -> None:
    found = _answers(pool, "a", "b")
    pool.close()
    for one in found:
        assert isinstance(one, Seen)
        with pytest.raises(ProcessLookupError):
            os.kill(int(one.sha256.split()[0]), 0)


def test_an_idle_worker_that_died_is_replaced(pool: Pool) -> None:
    (one,) = _answers(pool, "a")
    assert isinstance(one, Seen)
    os.kill(int(one.sha256.split()[0]), 9)
    time.sleep(0.2)
    (other,) = _answers(pool, "b")
    assert isinstance(other, Seen)


def test_a_copy_of_this_process_works_as_well() -> None:
    pool = Pool(SETUP, 1, Limits(), child.fork)
    (missing,) = dict(pool.answers([Look(Place("none", "none"))])).values()
    pool.close()
    assert isinstance(missing, Lost) and missing.reason == "there is no such file"


@pytest.mark.parametrize(
    ("value", "text"),
    [(77, "77 B"), (1 << 20, "1 MiB"), (3 << 29, "1.5 GiB"), (1000 << 20, "1000 MiB")],
)
def test_sizes_are_printed_in_the_unit_that_fits(value: int, text: str) -> None:
    assert size_text(value) == text


@pytest.mark.parametrize(
    ("text", "value"), [("512M", 512 << 20), ("2GiB", 2 << 30), ("1.5g", 3 << 29), ("77", 77)]
)
def test_a_size_is_read(text: str, value: int) -> None:
    assert size(text) == value


@pytest.mark.parametrize("text", ["", "many", "-1G", "4 bananas"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="such as 2GiB"):
        size(text)


def test_there_is_a_core() -> None:
    assert cores() >= 1

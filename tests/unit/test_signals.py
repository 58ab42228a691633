"""Signals that wait until a block is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator

import pytest

from ncu_triage.errors import Stopped
from ncu_triage.signals import held


@pytest.fixture
def _heeded() -> Iterator[None]:
    def stop(number: int, frame: object) -> None:
        raise Stopped(number)

    before = signal.signal(signal.SIGTERM, stop)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("_heeded")
def test_a_signal_waits_for_the_end_of_the_block() -> None:
    done = []
    with pytest.raises(Stopped) as stopped, held():
        signal.raise_signal(signal.SIGTERM)
        done.append("all of it")
    assert done == ["all of it"]
    assert stopped.value.exit_code == 143


@pytest.mark.usefixtures("_heeded")
def test_without_a_signal_everything_is_as_before() -> None:
    before = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)
    with held():
        pass
    assert (signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGHUP)) == before


def test_another_thread_holds_nothing() -> None:
    done = []

    def work() -> None:
        with held():
            done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]

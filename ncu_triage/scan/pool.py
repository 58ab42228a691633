"""Workers over the cores of this machine; each file costs at most itself."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from ncu_triage.scan.child import Child, Starter, starter, why
from ncu_triage.scan.limits import Limits
from ncu_triage.scan.work import Setup
from ncu_triage.scan.worker import Answer, Lost, Request


class _Busy(NamedTuple):
    """A worker with what it works on, and until when it may."""

    child: Child
    number: int
    deadline: float


class Pool:
    """Worker processes on this machine; a lost one is replaced."""

    def __init__(
        self, setup: Setup, jobs: int, limits: Limits, start: Starter | None = None
    ) -> None:
        self.made_for = (setup, limits)
        self._jobs = jobs
        self._limits = limits
        self._start = start or starter()
        self._idle: list[Child] = []
        self._busy: dict[Connection, _Busy] = {}

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each request with its answer, as they come."""
        waiting = list(enumerate(requests))[::-1]
        while waiting or self._busy:
            while waiting and len(self._busy) < self._jobs:
                self._give(*waiting.pop())
            yield from self._take()

    def close(self) -> None:
        """End all workers."""
        for child in [*self._idle, *(busy.child for busy in self._busy.values())]:
            child.kill()
            child.end()
        self._idle, self._busy = [], {}

    def _give(self, number: int, request: Request) -> None:
        child = self._idle.pop() if self._idle else self._started()
        try:
            child.requests.send(request)
        except OSError:
            # It died while it was idle, which is no file's fault.
            child.end()
            child = self._started()
            child.requests.send(request)
        deadline = time.monotonic() + self._limits.seconds
        self._busy[child.answers] = _Busy(child, number, deadline)

    def _started(self) -> Child:
        others = [*self._idle, *(busy.child for busy in self._busy.values())]
        return self._start(*self.made_for, others)

    def _take(self) -> Iterator[tuple[int, Answer]]:
        """Wait for the next answer or the next limit, and yield what has come."""
        first = min(busy.deadline for busy in self._busy.values())
        ready = wait(list(self._busy), timeout=max(0.0, first - time.monotonic()))
        for pipe in ready:
            busy = self._busy.pop(pipe)  # type: ignore[call-overload]
            yield busy.number, self._received(busy.child)
        for pipe, busy in list(self._busy.items()):
            if pipe not in ready and time.monotonic() >= busy.deadline:
                del self._busy[pipe]
                yield busy.number, self._overdue(busy.child)

    def _received(self, child: Child) -> Answer:
        try:
            answer: Answer = child.answers.recv()
        except (EOFError, OSError):
            return why(child.end(), self._limits)
        if isinstance(answer, Lost) and answer.loss == "out-of-memory":
            # What is left of a full memory is not to be trusted.
            child.kill()
            child.end()
        else:
            self._idle.append(child)
        return answer

    def _overdue(self, child: Child) -> Lost:
        child.kill()
        child.end()
        return Lost("out-of-time", f"judging it took more than {self._limits.seconds:g} s")

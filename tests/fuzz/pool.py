"""Worker processes with limits; one that hangs or dies costs its input, and is a find."""

from __future__ import annotations

import multiprocessing
import os
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import NamedTuple

from fuzz.seeds import Seed
from fuzz.target import environment, made, run

SECONDS = 10.0
MEMORY = 2 << 30  # of addresses, beyond what the runner has; what is used stays far below
_PATIENCE = 25.0  # a busy machine is no hang: the processor's time is what counts
_LIFE = 300


class Outcome(NamedTuple):
    """What became of an input; seconds are the processor's, memory in bytes."""

    number: int
    kind: str
    code: int
    problems: list[str]
    seconds: float
    memory: float


class _Worker(NamedTuple):
    process: multiprocessing.process.BaseProcess
    pipe: Connection


def outcomes(seeds: list[Seed], seed: int, numbers: Sequence[int], jobs: int) -> Iterator[Outcome]:
    """Yield what became of each input, as they come."""
    waiting = [numbers[i : i + _LIFE] for i in range(0, len(numbers), _LIFE)]
    busy: dict[Connection, tuple[_Worker, list[int], float]] = {}
    while waiting or busy:
        while waiting and len(busy) < jobs:
            part = list(waiting.pop(0))
            worker = _started(seeds, seed, part)
            busy[worker.pipe] = (worker, part, time.monotonic())
        ready = wait(list(busy), timeout=0.5)
        for pipe in ready:
            worker, left, _ = busy.pop(pipe)  # type: ignore[call-overload]
            try:
                yield worker.pipe.recv()
            except EOFError:
                worker.process.join()
                if left:
                    yield _lost(left[0], seeds, seed, f"it died: {worker.process.exitcode}")
                    waiting.insert(0, left[1:])
                continue
            busy[worker.pipe] = (worker, left[1:], time.monotonic())
        for pipe, (worker, left, since) in list(busy.items()):
            if time.monotonic() - since > _PATIENCE:
                worker.process.kill()
                worker.process.join()
                del busy[pipe]
                yield _lost(left[0], seeds, seed, f"it hung for {_PATIENCE} s")
                waiting.insert(0, left[1:])


def _lost(number: int, seeds: list[Seed], seed: int, why: str) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        kind = made(seeds, seed, number, Path(folder)).kind
    return Outcome(number, kind, -1, [why], SECONDS, 0)


def _started(seeds: list[Seed], seed: int, numbers: list[int]) -> _Worker:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(theirs, seeds, seed, numbers), daemon=False)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _work(pipe: Connection, seeds: list[Seed], seed: int, numbers: list[int]) -> None:
    most = _addresses() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
        folder = Path(name)
        environment(folder)
        for number in numbers:
            pipe.send(_one(seeds, seed, number, folder))
        os.chdir("/")
    pipe.close()


def _addresses() -> int:
    """Return how many bytes of addresses this process has; a test runner can have many."""
    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def _one(seeds: list[Seed], seed: int, number: int, folder: Path) -> Outcome:
    given = made(seeds, seed, number, folder)
    began = time.process_time()
    try:
        code, problems = run(given, folder)
    except Exception as error:
        code, problems = -1, [f"{type(error).__name__}: {error}"[:300]]
    seconds = time.process_time() - began
    if seconds > SECONDS:
        problems.append(f"it took {seconds:.1f} s")
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Outcome(number, given.kind, code, problems, seconds, memory)

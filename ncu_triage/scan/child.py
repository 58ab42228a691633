"""Start and end worker processes, and tell why one ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection, Pipe
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import NamedTuple, TypeAlias

from ncu_triage.scan.limits import Limits
from ncu_triage.scan.work import Setup
from ncu_triage.scan.worker import HELD, NO_MEMORY, Lost, out_of_memory, serve

_ROOT = str(Path(__file__).resolve().parents[2])
# Not `-m`, which would put the user's folder in front: a `json.py` may lie there.
_START = "import sys; sys.path.append(sys.argv[1]); from ncu_triage.scan.worker import main; main()"
_PATIENCE = 10.0


class Child(NamedTuple):
    """A worker process and the pipes to it."""

    process: ForkProcess | subprocess.Popen[bytes]
    requests: Connection
    answers: Connection

    def end(self) -> int | None:
        """End the process and what it started; return how it ended (negative: by a signal)."""
        for pipe in (self.requests, self.answers):
            pipe.close()
        return _wait(self.process)

    def kill(self) -> None:
        """End the process at once, and what it started."""
        pid = self.process.pid
        if pid is not None:
            for end in (os.killpg, os.kill):
                with contextlib.suppress(OSError):
                    end(pid, signal.SIGKILL)


Starter: TypeAlias = Callable[[Setup, Limits, Sequence["Child"]], Child]


def starter() -> Starter:
    """Choose how to start workers: a copy of this process is ready at once.

    With other threads in this process a copy could inherit a lock that nobody opens.
    """
    alone = sys.platform == "linux" and len(list(Path("/proc/self/task").iterdir())) == 1
    return fork if alone else command


def fork(setup: Setup, limits: Limits, others: Sequence[Child]) -> Child:
    """Start a copy of this process, with all that is loaded in it."""
    theirs, requests = Pipe(duplex=False)
    answers, back = Pipe(duplex=False)
    unused = [requests, answers, *(pipe for c in others for pipe in (c.requests, c.answers))]
    process = get_context("fork").Process(target=_forked, args=(theirs, back, unused), daemon=True)
    # A signal that comes before the copy has settled would be taken as meant for this process.
    held = signal.pthread_sigmask(signal.SIG_BLOCK, HELD)
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)
    for end in (theirs, back):
        end.close()
    requests.send((setup, limits))
    return Child(process, requests, answers)


def _forked(requests: Connection, answers: Connection, unused: Sequence[Connection]) -> None:
    """Serve; a pipe that is held here would never seem closed to the worker at its end."""
    for pipe in unused:
        pipe.close()
    serve(requests, answers)


def command(setup: Setup, limits: Limits, others: Sequence[Child]) -> Child:
    """Start a process of its own."""
    line = [sys.executable, "-P", "-c", _START, _ROOT]
    process = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin is not None and process.stdout is not None
    requests = Connection(os.dup(process.stdin.fileno()), readable=False)
    answers = Connection(os.dup(process.stdout.fileno()), writable=False)
    process.stdin.close()
    process.stdout.close()
    requests.send((setup, limits))
    return Child(process, requests, answers)


def why(code: int | None, limits: Limits) -> Lost:
    """Say why a worker ended that was at work."""
    if code == NO_MEMORY:
        return Lost("out-of-memory", out_of_memory(limits))
    if code == -signal.SIGKILL:
        return Lost("crashed", "its worker was killed from outside, perhaps for lack of memory")
    known = {-one.value: one.name for one in signal.Signals}
    return Lost("crashed", f"judging it crashed ({known.get(code or 0, f'exit code {code}')})")


def _wait(process: ForkProcess | subprocess.Popen[bytes]) -> int | None:
    if isinstance(process, subprocess.Popen):
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.wait(_PATIENCE)
        return None
    process.join(_PATIENCE)
    return process.exitcode

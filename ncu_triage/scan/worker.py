"""A worker process: takes requests, gives answers, until nobody asks any more."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeAlias

from msgspec import Struct

from ncu_triage.errors import InputError, TriageError
from ncu_triage.scan.limits import Limits, size_text
from ncu_triage.scan.row import Loss
from ncu_triage.scan.work import Judge, Judged, Look, Seen, Setup, answer

Request: TypeAlias = Look | Judge
# Nobody may be left who would end a worker that hangs: it ends itself a little later.
_GRACE = 30
# The exit code of a worker whose memory does not suffice for an answer.
NO_MEMORY = 77
# Signals that wait until a worker has settled what they mean to it.
HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Lost(Struct, frozen=True):
    """The answer that is none: what a file came to instead, and why."""

    loss: Loss
    reason: str


Answer: TypeAlias = Seen | Judged | Lost


def main() -> None:
    """Serve on standard input and output: the way in for a process of its own."""
    requests = Connection(os.dup(0), writable=False)
    answers = Connection(os.dup(1), readable=False)
    # What a library prints must not come between the answers.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    serve(requests, answers)


def serve(requests: Connection, answers: Connection) -> None:
    """Answer requests until the other side closes; the first message is the setup."""
    try:
        setup, limits = requests.recv()
        _restrict(limits)
        while True:
            request = requests.recv()
            signal.alarm(int(limits.seconds) + _GRACE)
            answers.send(attempt(setup, request, limits))
            signal.alarm(0)
    except MemoryError:
        # What is left does not even suffice for an answer.
        os._exit(NO_MEMORY)
    except (EOFError, OSError):
        # Whoever asked is gone.
        os._exit(0)


def attempt(setup: Setup, request: Request, limits: Limits) -> Answer:
    """Answer a request, whatever happens."""
    try:
        return answer(setup, request)
    except InputError as error:
        return Lost("unreadable", str(error))
    except TriageError as error:
        return Lost("bug", str(error))
    except MemoryError:
        return Lost("out-of-memory", out_of_memory(limits))
    except RecursionError:
        return Lost("crashed", "judging it went too deep: the file is damaged, or made to do harm")
    except Exception as error:
        return Lost("bug", _bug(error))


def out_of_memory(limits: Limits) -> str:
    """Say that a file took more memory than one may."""
    return f"judging it took more than {size_text(limits.memory)} of memory"


def _restrict(limits: Limits) -> None:
    """Set the memory limit, and leave the terminal's group: whoever asks ends this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, HELD)
    if os.getpgid(0) != os.getpid():
        os.setpgid(0, 0)
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))


def _bug(error: Exception) -> str:
    """Say what and where, without any of the report's data."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if "ncu_triage" in f.filename]
    place = f" in {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
    return f"this is a bug in ncu-triage, please report it: {type(error).__name__}{place}"

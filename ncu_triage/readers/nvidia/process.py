"""Talk with a worker process: one request in, answers out one by one.

The worker is a module whose `main` calls `serve`. Whatever NVIDIA's library does there
(crash, hang, print) stays there: the side that asks gets a `WorkerFailure`.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Timer
from typing import IO, TypeAlias, TypeVar

import msgspec

T = TypeVar("T")
Worker: TypeAlias = "subprocess.Popen[bytes]"

# Seconds that a worker may take for one answer; of the real reports none took two.
TIME_LIMIT = 60.0
# Far above the largest real answer, 2 MB.
MAX_ANSWER = 256 << 20
_LENGTH = struct.Struct("<I")
_ROOT = str(Path(__file__).resolve().parents[3])
# Not `-m`, which would put the user's folder in front: a `json.py` may lie there.
_START = (
    "import sys, importlib; sys.path.append(sys.argv[1]);"
    " importlib.import_module(sys.argv[2]).main()"
)


class WorkerFailure(Exception):
    """The worker crashed, hung, or said something else than was asked; says which."""


def is_installed() -> bool:
    """Tell whether NVIDIA's reader is there, without importing it."""
    return find_spec("ncu_report") is not None


def ask(module: str, request: object) -> Iterator[bytes]:
    """Run a worker with a request; yield its answers, encoded, until it says that it is done."""
    command = [sys.executable or "", "-P", "-c", _START, _ROOT, module]
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    try:
        worker = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=null)
    except OSError as error:
        raise WorkerFailure("did not start") from error
    with worker:
        try:
            with _time_limit(worker):
                _send(worker.stdin, msgspec.msgpack.encode(request))
            yield from _answers(worker)
        finally:
            worker.kill()


def decode(answer: bytes, kind: type[T]) -> T:
    """Decode an answer; that it has the right shape is not believed."""
    try:
        return msgspec.msgpack.decode(answer, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise WorkerFailure("gave an answer that is not understood") from error


def serve(answers: Callable[[bytes], Iterable[object]]) -> None:
    """Answer the request on standard input, and end the process: called in a worker only."""
    # What NVIDIA's library prints must not come between the answers.
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with os.fdopen(out, "wb") as pipe:
        for one in answers(sys.stdin.buffer.read()):
            data = msgspec.msgpack.encode(one)
            pipe.write(_LENGTH.pack(len(data)) + data)
            pipe.flush()
        pipe.write(_LENGTH.pack(0))
    # Without taking NVIDIA's library down in order, which costs time and may crash.
    os._exit(0)


@contextmanager
def _time_limit(worker: Worker) -> Iterator[None]:
    """End a worker that does not answer in time; a read from it then sees the end."""
    timer = Timer(TIME_LIMIT, worker.kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _send(pipe: IO[bytes] | None, request: bytes) -> None:
    assert pipe is not None
    try:
        with pipe:
            pipe.write(request)
    except OSError as error:
        raise WorkerFailure("ended before it was asked") from error


def _answers(worker: Worker) -> Iterator[bytes]:
    assert worker.stdout is not None
    while True:
        with _time_limit(worker):
            answer = _receive(worker.stdout)
        if not answer:
            return
        yield answer


def _receive(pipe: IO[bytes]) -> bytes:
    """Read one answer; an empty one says that the worker is done."""
    prefix = pipe.read(_LENGTH.size)
    size = _LENGTH.unpack(prefix)[0] if len(prefix) == _LENGTH.size else MAX_ANSWER + 1
    if size > MAX_ANSWER or len(data := pipe.read(size)) < size:
        raise WorkerFailure("crashed, or took too long")
    return data

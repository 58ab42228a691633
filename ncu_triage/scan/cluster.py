"""The same work on a Dask cluster: each of its workers keeps a process that judges."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from ncu_triage.errors import UsageError
from ncu_triage.scan.child import command
from ncu_triage.scan.limits import Limits
from ncu_triage.scan.pool import Pool
from ncu_triage.scan.work import Setup
from ncu_triage.scan.worker import Answer, Lost, Request

if TYPE_CHECKING:
    from distributed import Client

_PATIENCE = "10s"
# One for each thread of a Dask worker: it outlives a task, and a crash in it costs a file.
_own = threading.local()


class Cluster:
    """A Dask cluster at an address; a worker that is lost costs nothing but time."""

    def __init__(self, address: str, setup: Setup, limits: Limits) -> None:
        self._setup = setup
        self._limits = limits
        self._client = _connected(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()  # type: ignore[no-untyped-call]

    def answers(self, requests: Sequence[Request]) -> Iterator[tuple[int, Answer]]:
        """Yield the number of each request with its answer, as they come.

        Dask runs the task of a lost worker again on another one; the number tells which
        request an answer belongs to, so none is missed and none is taken twice.
        """
        from distributed import as_completed

        client, setup, limits = self._client, self._setup, self._limits
        numbers = {
            client.submit(answer, setup, limits, request, pure=False): number
            for number, request in enumerate(requests)
        }
        for future in as_completed(numbers, loop=client.loop):  # type: ignore[no-untyped-call]
            yield numbers[future], _result(future)
            # What was taken need not stay in the cluster's memory.
            future.release()


def answer(setup: Setup, limits: Limits, request: Request) -> Answer:
    """Answer a request; runs in a thread of a Dask worker."""
    pool: Pool | None = getattr(_own, "pool", None)
    if pool is None or pool.made_for != (setup, limits):
        if pool is not None:
            pool.close()
        pool = _own.pool = Pool(setup, 1, limits, command)
    ((_, found),) = pool.answers([request])
    return found


def _connected(address: str) -> Client:
    """Connect to a scheduler; the only import of Dask.

    Raises UsageError where Dask is not installed, or nobody answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError("--cluster needs more: pip install 'ncu-triage[cluster]'") from error
    try:
        return Client(address, timeout=_PATIENCE, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise UsageError(f"--cluster {address}: no scheduler answers there ({error})") from error


def _result(future: Any) -> Answer:
    """Take a task's result; one that its workers did not survive is lost."""
    if future.cancelled():
        raise UsageError(
            "--cluster: the scheduler is gone; what is done is kept, and the same call goes on"
        )
    error = future.exception()
    if error is None:
        result: Answer = future.result()
        return result
    if type(error).__name__ == "KilledWorker":
        return Lost("crashed", "the workers of the cluster that judged it did not survive it")
    return Lost("bug", f"its worker failed: {type(error).__name__}")

"""Time a scan with pages against a shell loop of NVIDIA's own command line.

    python benchmarks/scan.py NCU CORPUS [--runs N]

NCU is the program `ncu`, CORPUS a folder with the reports under rep/ and broken ones
under bad/. An `ncu` refuses reports of versions after its own, which costs it little: the
fair comparison is over the files that it reads, and the other one is printed as well.
Both sides run alternately, from warm file caches, and the fastest run of each counts:
by the clock, and by the processor's time (user and system), which a busy machine changes
less. The loop uses one core at a time, a scan all that there are.
"""

from __future__ import annotations

import argparse
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple


def readable(ncu: Path, files: Sequence[Path]) -> list[Path]:
    """Return the files that NVIDIA's program reads."""
    return [path for path in files if _quiet([str(ncu), "--import", str(path)]) == 0]


def loop(ncu: Path, files: Sequence[Path]) -> None:
    """Print the details of each file, as a shell script would."""
    call = f'{shlex.quote(str(ncu))} --import "$f" --page details >/dev/null 2>&1'
    script = f'for f in "$@"; do {call}; done'
    _quiet(["bash", "-c", script, "loop", *map(str, files)])


def scan(files: Sequence[Path]) -> None:
    """Judge all files and write a page each, into a new folder."""
    with tempfile.TemporaryDirectory() as out:
        _quiet([sys.executable, "-m", "ncu_triage", "scan", *map(str, files), "-o", out])


def _quiet(command: Sequence[str]) -> int:
    null = subprocess.DEVNULL
    return subprocess.run(command, stdout=null, stderr=null, check=False).returncode


class Cost(NamedTuple):
    """What a run took: seconds by the clock, and of the processor over all cores."""

    wall: float
    cpu: float


def fastest(runs: int, *sides: Callable[[], None]) -> list[Cost]:
    """Return the least of each side, by the clock and by the processor's time."""
    costs: list[list[Cost]] = [[] for _ in sides]
    for _ in range(runs):
        for side, own in zip(sides, costs, strict=True):
            own.append(_timed(side))
    return [Cost(*map(min, zip(*own, strict=True))) for own in costs]


def _timed(side: Callable[[], None]) -> Cost:
    began, used = time.perf_counter(), _used()
    side()
    return Cost(time.perf_counter() - began, _used() - used)


def _used() -> float:
    """Return the processor's time of all processes that have ended below this one."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def compare(what: str, ncu: Path, files: Sequence[Path], runs: int) -> None:
    """Time both sides over the same files and print how they compare."""
    theirs, ours = fastest(runs, lambda: loop(ncu, files), lambda: scan(files))
    print(f"{what}: {len(files)} files")
    for name, loop_took, scan_took in zip(("wall", "cpu"), theirs, ours, strict=True):
        took = f"loop {loop_took:.2f} s, scan {scan_took:.2f} s"
        print(f"  {name}: {took}, {loop_took / scan_took:.1f} times as much")


def main() -> None:
    """Time, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("ncu", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    files = [path for name in ("rep", "bad") for path in sorted((given.corpus / name).iterdir())]
    compare("what ncu reads", given.ncu, readable(given.ncu, files), given.runs)
    compare("all", given.ncu, files, given.runs)


if __name__ == "__main__":
    main()

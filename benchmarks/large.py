"""Judge very many launches: from a file, from a packed file and through a pipe.

    python benchmarks/large.py REPORT [--launches 5000] [--folder DIR]

The large report repeats the blocks of another one. Memory is the sum over all processes of a
call, sampled ten times a second; what several share counts once (PSS, where Linux tells it).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import zstandard
from speed import repeated

_TICK = 0.1
_RUN = f"{sys.executable} -m ncu_triage"


def memory(pid: int) -> int:
    """Add up a process and what it started, in bytes; 0 for one that is gone."""
    total = 0
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1]) * 1024
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += sum(map(memory, map(int, (task / "children").read_text().split())))
    return total


def measured(line: str) -> tuple[int, float, int]:
    """Run a line of the shell; return its exit code, seconds, and the most bytes it had."""
    began = time.monotonic()
    most = 0
    with subprocess.Popen(["sh", "-c", line]) as process:
        while process.poll() is None:
            most = max(most, memory(process.pid))
            time.sleep(_TICK)
    return process.returncode, time.monotonic() - began, most


def main() -> None:
    """Print a line for each way to read the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--launches", type=int, default=5000)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        report = repeated(options.report, options.launches, folder)
        packed = report.with_suffix(".ncu-repz")
        with report.open("rb") as plain, packed.open("wb") as target:
            zstandard.ZstdCompressor().copy_stream(plain, target)
        print(f"{report.stat().st_size / 1e9:.2f} GB, packed {packed.stat().st_size / 1e6:.1f} MB")
        for kind in ("json", "html"):
            out = folder / f"out.{kind}"
            for how, line in {
                "a file": f"{_RUN} {report} -o {out}",
                "a packed file": f"{_RUN} {packed} -o {out}",
                "a pipe": f"cat {report} | {_RUN} - -o {out}",
            }.items():
                code, seconds, most = measured(line)
                size = out.stat().st_size / 1e6
                print(
                    f"{kind} from {how:<14} exit {code} {seconds:6.1f} s {most / 1e6:6.0f} MB,"
                    f" output {size:.1f} MB",
                    flush=True,
                )
            if kind == "json":
                found = json.loads(out.read_text())
                whole = found["sources"][0]["complete"]
                print(f"{len(found['kernels'])} launches judged, complete: {whole}")


if __name__ == "__main__":
    main()

"""Time whole processes: this tool, and NVIDIA's command line where it is given.

    python benchmarks/speed.py REPORT [--ncu PATH] [--runs 5] [--launches 1,10,100]

Prints wall time and peak memory of the fastest run (the machine may be busy), and the
ratio to NVIDIA's `--page details` in the same run. Larger reports are made by repeating
the report's own blocks.
"""

from __future__ import annotations

import argparse
import os
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def repeated(report: Path, times: int, folder: Path) -> Path:
    """Write a report with the launches of another, so many times over."""
    data = report.read_bytes()
    header = 8 + struct.unpack_from("<I", data, 4)[0]
    path = folder / f"{times}.ncu-rep"
    with path.open("wb") as file:
        file.write(data[:header])
        for _ in range(times):
            file.write(data[header:])
    return path


def measured(command: list[str], runs: int, folder: Path) -> tuple[float, float] | None:
    """Return seconds and MB of the fastest run; None where the command fails.

    It runs in another folder, so that what is installed is measured, not this checkout.
    """
    best: tuple[float, float] | None = None
    for _ in range(runs):
        before = time.perf_counter()
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return None
        seconds = time.perf_counter() - before
        if best is None or seconds < best[0]:
            best = (seconds, usage.ru_maxrss / 1000)
    return best


def row(name: str, found: tuple[float, float] | None, base: tuple[float, float] | None) -> None:
    """Print one line of the table."""
    if found is None:
        print(f"  {name:<34} failed")
        return
    ratio = f"{found[0] / base[0]:6.2f}" if base else "     -"
    print(f"  {name:<34} {found[0]:7.3f} s {found[1]:7.0f} MB {ratio}")


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--ncu", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launches", default="1")
    options = parser.parse_args()
    own = [sys.executable, "-m", "ncu_triage"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for times in map(int, options.launches.split(",")):
            path = repeated(options.report, times, folder)
            size = path.stat().st_size / 1e6
            print(f"{times} times the report, {size:.1f} MB" + " " * 22 + "time   memory  ratio")
            base = None
            if options.ncu:
                ncu = [str(options.ncu), "--import", str(path), "--page", "details"]
                base = measured(ncu, options.runs, folder)
                row("NVIDIA, details", base, base)
                row("NVIDIA, details as CSV", measured([*ncu, "--csv"], options.runs, folder), base)
            for kind in ("json", "html"):
                out = str(folder / f"out.{kind}")
                row(
                    f"this, {kind}",
                    measured([*own, str(path), "-o", out], options.runs, folder),
                    base,
                )
            row("this, --version", measured([*own, "--version"], options.runs, folder), base)


if __name__ == "__main__":
    main()

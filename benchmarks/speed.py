"""Time whole processes: this tool, and NVIDIA's command line where it is given.

    python benchmarks/speed.py REPORT [--ncu PATH] [--runs 5] [--launches 1,10,100,1000]

Prints a table for each size: wall time and peak memory of the fastest run (a machine is
never quite idle), and the ratio to NVIDIA's `--page details --csv` and `--page details`
in the same run. Larger reports are made by repeating the report's own blocks, and the CSV
of the same launches by NVIDIA's own export. What runs is the installed `ncu_triage`, not
this checkout.
"""

from __future__ import annotations

import argparse
import os
import platform
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_QUIET = subprocess.DEVNULL


class Cost(NamedTuple):
    """What a process took: seconds, and MB at its largest."""

    seconds: float
    memory: float


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


def measured(command: Sequence[str], runs: int, folder: Path) -> Cost | None:
    """Return the cost of the fastest run; None where the command fails."""
    best: Cost | None = None
    for _ in range(runs):
        before = time.perf_counter()
        with subprocess.Popen(command, stdout=_QUIET, stderr=_QUIET, cwd=folder) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return None
        cost = Cost(time.perf_counter() - before, usage.ru_maxrss / 1000)
        best = min(best, cost) if best else cost
    return best


class Table:
    """A table for one size, with the ratios to what NVIDIA's program took."""

    def __init__(self, title: str, runs: int, folder: Path) -> None:
        self._runs, self._folder = runs, folder
        self._bases: list[float] = []
        print(f"\n{title}\n\n| what | time | memory | of details | of details as CSV |")
        print("|---|---:|---:|---:|---:|")

    def base(self, name: str, command: Sequence[str]) -> None:
        """Measure what the others are held against."""
        cost = self.row(name, command)
        self._bases.append(cost.seconds if cost else float("nan"))

    def row(self, name: str, command: Sequence[str]) -> Cost | None:
        """Measure a command and print its line."""
        cost = measured(command, self._runs, self._folder)
        if cost is None:
            print(f"| {name} | failed | | | |")
            return None
        ratios = [f"{cost.seconds / base:.2f}" for base in self._bases]
        cells = [f"{cost.seconds:.3f} s", f"{cost.memory:.0f} MB", *ratios, *["-"] * 2]
        print(f"| {name} | {' | '.join(cells[:4])} |", flush=True)
        return cost


def compare(report: Path, ncu: Path | None, runs: int) -> None:
    """Print the table for one report."""
    own, folder = [sys.executable, "-m", "ncu_triage"], report.parent
    title = f"{report.stem} times the report, {report.stat().st_size / 1e6:.1f} MB"
    table = Table(title, runs, folder)
    if ncu:
        details = [str(ncu), "--import", str(report), "--page", "details"]
        table.base("NVIDIA, details", details)
        table.base("NVIDIA, details as CSV", [*details, "--csv"])
    for kind in ("json", "html"):
        table.row(f"this, to {kind}", [*own, str(report), "-o", f"out.{kind}"])
    if ncu:
        exported = report.with_suffix(".csv")
        with exported.open("wb") as file:
            raw = [str(ncu), "--import", str(report), "--page", "raw", "--csv"]
            subprocess.run(raw, stdout=file, stderr=_QUIET, check=False)
        size = exported.stat().st_size / 1e6
        table.row(
            f"this, its raw CSV ({size:.1f} MB) to json", [*own, str(exported), "-o", "o.json"]
        )
    table.row("this, --version", [*own, "--version"])


def main() -> None:
    """Print a table for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("report", type=Path)
    parser.add_argument("--ncu", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--launches", default="1")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"Python {platform.python_version()}, {os.cpu_count()} cores", end="; ")
        for command in ([sys.executable, "-m", "ncu_triage"], [str(options.ncu)]):
            if command[0] != "None":
                told = subprocess.run(
                    [*command, "--version"], capture_output=True, text=True, cwd=folder
                )
                print(told.stdout.strip().splitlines()[-1], end="; ")
        for times in map(int, options.launches.split(",")):
            path = repeated(options.report.resolve(), times, folder)
            compare(path, options.ncu, options.runs)
            for file in folder.iterdir():
                file.unlink()


if __name__ == "__main__":
    main()

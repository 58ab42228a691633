"""What the mutations start from: files of the tests' own, or those of a folder."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path
from typing import NamedTuple

from fixtures.csv_writer import DURATION, SOL, csv_launch, details, raw
from fixtures.example import PATH as EXAMPLE
from fixtures.operators_case import OPERATORS
from fixtures.report_writer import Rule, launch, report_bytes
from fixtures.timeline_case import hand_worked, steps
from fixtures.timeline_nsys import write_export
from fixtures.timeline_trace import trace_text

RULES = Path(__file__).resolve().parents[2] / "rules"
_LARGEST = 700_000
_ERROR = ("SpeedOfLight", "SOLBottleneck", "ERR", "Failed:\nno metric.", "", "")

CONFIG = b"""disable = ["short-kernel"]

[severity]
small-grid = "low"

[thresholds.bandwidth-wall]
wall = 85.0
"""
ACKNOWLEDGED = b"""[[acknowledged]]
rule = "bank-conflicts"
kernel = "transpose*"
reason = "padding breaks the loads"
expires = 2099-03-31

[[acknowledged]]
condition = "severity"
reason = "known"
expires = 2020-01-01
"""


class Seed(NamedTuple):
    """A sound input, and what it is."""

    kind: str
    data: bytes


def own() -> list[Seed]:
    """Return the project's own, of every kind."""
    found = [Seed("report", data) for data in _reports()]
    found += [Seed("packed", data) for data in _reports()]
    found += [Seed("csv", text.encode()) for text in _tables()]
    found += [Seed("trace", trace_text(spec).encode()) for spec in (hand_worked(), steps())]
    found.append(Seed("trace", trace_text(hand_worked(), old=True).encode()))
    found.append(Seed("trace", gzip.compress(trace_text(steps(2)).encode())))
    with tempfile.TemporaryDirectory() as folder:
        for old in (False, True):
            path = write_export(Path(folder) / f"{old}.sqlite", hand_worked(), old=old)
            found.append(Seed("export", path.read_bytes()))
    names = ("bank-conflicts", "bandwidth-wall", "low-occupancy", "launch-overhead")
    found += [Seed("rule", (RULES / f"{name}.yaml").read_bytes()) for name in names]
    found += [Seed("config", CONFIG), Seed("acknowledged", ACKNOWLEDGED)]
    found += [Seed("operators", OPERATORS.encode()), Seed("ceilings", _ceilings())]
    return [*found, judged()]


def of_folder(folder: Path) -> list[Seed]:
    """Return the files of a folder, by what is in them; large ones are left out."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.stat().st_size <= _LARGEST:
            data = path.read_bytes()
            found.append(Seed(_kind(data), data))
    return found


def judged() -> Seed:
    """Return the example's diagnosis as JSON."""
    from ncu_triage.pipeline import diagnose, rules
    from ncu_triage.render.json_ import render

    return Seed("diagnosis", render(diagnose([EXAMPLE], rules())[0]))


def _ceilings() -> bytes:
    from ncu_triage.ceilings.file import Ceilings, Gpu, Reached, text_of

    gpu = Gpu(name="NVIDIA RTX A4500", compute_capability="8.6", sm_count=56, dram_nominal=6.4e11)
    copy = Reached(
        unit="DRAM", mix="copy", value=5.6e11, nominal=6.4e11, share_pct=88.0, busy_pct=92.0,
        sm_clock=1.05e9, kernel="copy_rows", report="copy.ncu-rep", launches=3, how="by hand",
    )  # fmt: skip
    return text_of(Ceilings(format=1, gpu=gpu, ceiling=[copy])).encode()


def _kind(data: bytes) -> str:
    if data.startswith(b"NVR\0"):
        return "report"
    if data.startswith(b"SQLite format 3\0"):
        return "export"
    json = data.lstrip()[:1] in (b"{", b"[") or data.startswith(b"\x1f\x8b")
    return "trace" if json else "csv"


def _reports() -> list[bytes]:
    full = launch(
        metrics={"a": 1, "b": 2.5, "text": "x", "none": None, "gpu__time_duration.sum": 1e6},
        histograms={"sass__inst_executed_per_opcode": {"FFMA": 3}},
        sections=["SpeedOfLight"],
        rules=[Rule(title="T", speedup=3.0)],
        push_pop={1: ["step"]},
        start_end=["epoch"],
        stream_name="copies",
    )
    kinds = [launch(kind=kind) for kind in ("range", "graph", "cmdlist")]
    mixed = report_bytes([full, *kinds, launch(name="last")], settings={8: "base"})
    return [EXAMPLE.read_bytes(), mixed, report_bytes([full] * 4, per_block=4, names_last=True)]


def _tables() -> list[str]:
    rows = [DURATION, (SOL, "DRAM Throughput", "%", "88.30"), (SOL, "Memory Throughput", "%", "9")]
    page = details(csv_launch(rules=[_ERROR], rows=rows), csv_launch(id=1, rows=rows))
    units = {"gpu__time_duration.sum": "ns", "sass__inst_executed_per_opcode": ""}
    live = f"hello, world\n==PROF== Connected to process 1\n{page}==PROF== Disconnected\n"
    gui = 'ID,0\nFunction Name,foo\ngpu__time_duration.sum [us],12.3\nx.sum [],"1,234 {8}"\n'
    return [page, live, raw(units), page.replace('"', ""), page.replace(".", ";"), gui]

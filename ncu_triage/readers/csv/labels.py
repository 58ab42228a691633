"""What the labels of the "details" page stand for."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from ncu_triage.readers.csv.units import dimensional, factor

_FILE = Path(__file__).with_name("labels.toml")
# Stands for "active" or "elapsed", which the numbers decide (`basis.py`).
OPEN_BASIS = "?"
_BREAKDOWN = re.compile(r"(?:SOL )?(SM|L1|L2|SYSLTS|GPU|DRAM|IDC): (\w[\w ]*)")
_UNITS = {
    "SM": "sm",
    "L1": "l1tex",
    "L2": "lts",
    "SYSLTS": "syslts",
    "GPU": "gpu",
    "DRAM": "dram",
    "IDC": "idc",
}
_OF_FBPA = "dram_sectors"
_STALL = re.compile(r"(?:Stall )(\w[\w ]*)|(Selected)")
# Names as `--print-metric-name` prints them: alone, or in brackets behind the label.
_NAME = re.compile(
    r"[\w.:]*__[\w.:]*|(?:\w*_executed|memory_|derived_)\w*|[a-z]\w*\.(?:sum|avg|min|max|pct|ratio)\S*"
)
_LABEL_AND_NAME = re.compile(r".* \((?P<name>[\w.:]*__[\w.:]*|[a-z]\w*_[\w.]*)\)")
_LONGEST = 256
_COMMAND_LINE = "Command line profiler metrics"
_ROOFLINE = "SpeedOfLight_RooflineChart"


class _Tables(NamedTuple):
    sections: dict[str, str]
    labels: dict[str, dict[str, str]]
    anywhere: dict[str, set[str]]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    raw = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    sections = {title: id for id, titles in raw["sections"].items() for title in titles}
    anywhere: dict[str, set[str]] = defaultdict(set)
    for labels in raw["labels"].values():
        for label, metric in labels.items():
            anywhere[label].add(metric)
    return _Tables(sections, raw["labels"], anywhere)


def section_id(title: str) -> str:
    """Return the identifier of a section by its title; an unknown one is its own."""
    return _tables().sections.get(title, title)


def metric_of(section: str, label: str, body: str = "") -> str | None:
    """Return the metric that a row's section, label and body item stand for."""
    id = section_id(section)
    known = _tables().labels
    for table in (body, _ROOFLINE if id.startswith("SpeedOfLight_") else id):
        if label in known.get(table, ()):
            return known[table][label]
    return _mechanical(id, label) or _printed_name(label)


def _mechanical(section: str, label: str) -> str | None:
    """Spell out the labels that are made from names by a rule."""
    breakdown = _BREAKDOWN.fullmatch(label)
    if breakdown and section == "SpeedOfLight":
        item = breakdown[2].lower().replace(" ", "_")
        unit = "fbpa" if item == _OF_FBPA else _UNITS[breakdown[1]]
        return f"{unit}__{item}.avg.pct_of_peak_sustained_elapsed"
    stall = _STALL.fullmatch(label)
    if stall and section == "WarpStateStats":
        state = (stall[1] or stall[2]).lower().replace(" ", "_")
        return f"smsp__average_warps_issue_stalled_{state}_per_issue_active.ratio"
    return None


def _printed_name(label: str) -> str | None:
    if _NAME.fullmatch(label):
        return label
    match = _LABEL_AND_NAME.fullmatch(label)
    return match["name"] if match else None


class Plan(NamedTuple):
    """How to read a row's value: its metric, None for no certain one, and its unit."""

    metric: str | None
    factor: float
    unit: str
    section: str
    unit_missing: bool


def plan(section: str, label: str, unit: str, body: str = "") -> Plan:
    """Say how to read the rows of a section, label, unit and body item."""
    if max(len(section), len(label), len(unit), len(body)) > _LONGEST:
        return Plan(None, 1.0, "", "", False)
    return _plan(section, label, unit, body)


@lru_cache(maxsize=4096)
def _plan(section: str, label: str, unit: str, body: str) -> Plan:
    metric = metric_of(section, label, body)
    missing = not unit and metric is not None and dimensional(metric)
    id = "" if section == _COMMAND_LINE else section_id(section)
    return Plan(metric, factor(unit), unit, id, missing)


def pivot_metric(label: str) -> str | None:
    """Return a label's metric where section and unit are lost: "" for one that needs them.

    None for a text that is no label at all.
    """
    metrics = _tables().anywhere.get(label)
    if not metrics:
        return None
    certain = len(metrics) == 1 and not any(map(dimensional, metrics))
    metric = next(iter(metrics))
    return metric if certain and not metric.endswith(OPEN_BASIS) else ""

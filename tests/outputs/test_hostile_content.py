"""Texts of a report that want to do something: in every place, through every output."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.csv_writer import DURATION, SOL, csv_launch, details
from fixtures.diagnosis_cases import hostile_report
from fixtures.example import PATH as EXAMPLE
from fixtures.report_writer import Rule, Workload, launch, write_report
from fuzz.chance import PAYLOADS
from fuzz.checks import faults
from fuzz.target import called

from ncu_triage.render import OUTPUTS, console, notebook, renderer

MEGABYTE = 1_000_000
SUFFIXES = {"static": ".html", "md-uncut": ".md", "json": ".json"}
KINDS = sorted(OUTPUTS.keys() - {"png"})
# Marks that turn the direction, and signs that steer a terminal.
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
# What a page may weigh although every text in it is a megabyte; its own script aside.
MOST = {"static": 3_000_000, "sarif": 4_000_000}
_MOST_ELSE = 1_000_000


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_text_is_a_text_in_every_output(kind: str, payload: str) -> None:
    data = renderer(kind)(hostile_report(payload))
    assert list(faults(SUFFIXES.get(kind, f".{kind}"), data)) == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_text_is_a_text_in_the_terminal_and_the_notebook(payload: str) -> None:
    assert not STEERING.search(console.render(hostile_report(payload), width=100))
    page = f"<html>{notebook.render(hostile_report(payload))}</html>"
    assert list(faults(".html", page.encode())) == []


@pytest.mark.parametrize("fill", ["<b>&", "void f<int, 4>::`|漢"])
def test_a_megabyte_does_not_blow_an_output_up(fill: str) -> None:
    given = hostile_report((fill * MEGABYTE)[:MEGABYTE])
    for kind in sorted(OUTPUTS.keys() - {"json", "png", "html", "md-uncut"}):
        assert len(renderer(kind)(given)) < MOST.get(kind, _MOST_ELSE), kind
    assert len(console.render(given, width=100)) < 50_000


def _everywhere(text: str, number: int) -> Workload:
    """Build a launch that has a text wherever a report can have one."""
    rule = Rule(id=text, name=text, section=text, title=text, text=text, speedup=3.0)
    return launch(
        name=f"{text}{number}",
        demangled=f"{text}{number}",
        metrics={
            "gpu__time_duration.sum": 1e6,
            "device__attribute_display_name": text,
            "launch__occupancy_limit_warps": text,
            text: 3.0,
            f"breakdown:{text}": text,
        },
        histograms={"sass__inst_executed_per_opcode": {text: 3}},
        sections=[text],
        rules=[rule],
        push_pop={1: [text]},
        start_end=[text],
        context_name=text,
        stream_name=text,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    name = '"><img src=x onerror=alert(1)>\x1b[2J\u202e=cmd|A0'
    return write_report(
        folder / f"{name.replace('/', '')}.ncu-rep",
        [_everywhere(text, number) for number, text in enumerate(PAYLOADS)],
        version=PAYLOADS[0],
        device=PAYLOADS[1],
        host=PAYLOADS[2],
        command_line=f"ncu --set {PAYLOADS[3]}",
        settings={8: PAYLOADS[0], 11: PAYLOADS[1]},
    )


ENDINGS = ("html", "md", "csv", "json", "sarif", "xml", "svg")


def test_a_report_says_nothing_but_text(report: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / f"out.{ending}" for ending in ENDINGS]
    _is_text([str(report)], outputs)
    _is_text([str(report), "--static", "--lines"], [tmp_path / "static.html"])
    _is_text([str(report), "--anonymise"], [tmp_path / "out.md", tmp_path / "out.html"])
    for words in ([], ["--kernel", "."]):
        ran = called([str(report), *words], [])
        assert ran.code == 0 and not STEERING.search(ran.shown + ran.said)


def _is_text(words: list[str], outputs: list[Path], code: int = 0) -> None:
    ran = called([*words, *(word for path in outputs for word in ("-o", str(path)))], outputs)
    assert ran.code == code and not STEERING.search(ran.said), ran.said
    for path in outputs:
        assert list(faults(path.suffix, path.read_bytes())) == [], path.suffix


def test_a_comparison_says_nothing_but_text(report: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / f"diff.{ending}" for ending in ("html", "md", "json", "sarif", "xml")]
    _is_text(["compare", str(EXAMPLE), str(report)], outputs, code=3)  # no kernel is in both
    _is_text(["compare", str(report), str(report), "--fail-on", "regression=5%"], outputs)
    ran = called(["compare", str(report), str(report)], [])
    assert ran.code == 0 and not STEERING.search(ran.shown + ran.said)


def test_a_gate_says_nothing_but_text(report: Path) -> None:
    ran = called([str(report), "--fail-on", "severity=info"], [])
    assert ran.code == 3 and "nothing to judge" in ran.said  # nothing was measured
    assert not STEERING.search(ran.said + ran.shown)


def test_a_table_says_nothing_but_text(tmp_path: Path) -> None:
    payloads = [text for text in PAYLOADS if "\0" not in text and "\n" not in text]
    rows = [DURATION, *((SOL, text, "%", "3.00") for text in payloads)]
    rows += [(text, "DRAM Throughput", text, text) for text in payloads]
    launches = [
        csv_launch(
            id=number,
            kernel=text,
            rows=rows,
            rules=[("SpeedOfLight", text, "WRN", text, text, text)],
        )
        for number, text in enumerate(payloads)
    ]
    path = tmp_path / "details.csv"
    path.write_text(details(*launches), newline="")
    _is_text([str(path)], [tmp_path / f"out.{ending}" for ending in ENDINGS])


def test_pages_of_a_scan_and_of_a_trend_say_nothing_but_text(report: Path, tmp_path: Path) -> None:
    out, history = tmp_path / "site", tmp_path / "history.sqlite"
    command = [sys.executable, "-m", "ncu_triage"]
    for night in (1, 2):
        when = ["--history", str(history), "--when", f"2026-11-0{night}T00:00Z"]
        label = ["--label", PAYLOADS[night]]
        words = ["scan", str(report.parent), "-o", str(out), *when, *label]
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert not STEERING.search(done.stderr + done.stdout)
    page = tmp_path / "trend.html"
    words = ["trend", ".", "--history", str(history)]
    shown = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    assert shown.returncode == 0 and not STEERING.search(shown.stdout), shown.stderr
    subprocess.run([*command, *words, "-o", str(page)], check=True)
    for path in (*out.rglob("*.html"), page):
        assert list(faults(".html", path.read_bytes())) == [], path.name
    assert json.loads((out / "index.json").read_text())


def test_a_rule_of_the_user_reaches_no_file_and_no_code(tmp_path: Path) -> None:
    """YAML makes no objects, conditions call nothing, and texts are no templates."""
    rules, made = tmp_path / "rules", tmp_path / "made"
    rules.mkdir()
    for text in (
        f"id: evil\ntitle: !!python/object/apply:os.system ['touch {made}']\n",
        f"id: evil\nwhen: open('{EXAMPLE}').size() > 0.0\n",
        f"id: evil\nextends: {EXAMPLE}\n",
        "&a [*a]\n",
    ):
        (rules / "evil.yaml").write_text(text)
        ran = called([str(EXAMPLE), "--rules", str(rules)], [])
        assert ran.code == 2 and ran.said.count("\n") == 1 and not made.exists()


def test_a_rules_texts_are_no_templates(tmp_path: Path) -> None:
    rules = tmp_path / "rules"
    rules.mkdir()
    text = "{{ cycler.__init__.__globals__ }} <script>alert(1)</script> ${7*7}"
    source = (Path(__file__).parents[2] / "rules" / "bank-conflicts.yaml").read_text()
    changed = re.sub(r"cause: >\n(  .*\n)+", f"cause: {json.dumps(text)}\n", source)
    (rules / "bank-conflicts.yaml").write_text(changed)
    outputs = [tmp_path / f"out.{ending}" for ending in ("html", "md", "json")]
    ran = called([str(EXAMPLE), "--rules", str(rules), "-o", str(outputs[0])], outputs)
    assert ran.code == 2 or os.path.getsize(outputs[0])  # noqa: PTH202

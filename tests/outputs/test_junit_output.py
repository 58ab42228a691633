"""JUnit XML: a case for each kernel that a condition was held against."""

from __future__ import annotations

import datetime
from typing import Any
from xml.etree import ElementTree as xml

from fixtures.diagnosis_builder import (
    bottleneck,
    diagnosis,
    empty,
    evidence,
    finding,
    kernel,
    quantities,
)
from fixtures.diagnosis_cases import HOSTILE, realistic

from ncu_triage.compare.build import compare
from ncu_triage.gate.acknowledged import read_acknowledged
from ncu_triage.gate.conditions import condition
from ncu_triage.gate.gated import Gated, Lost
from ncu_triage.gate.judge import gate
from ncu_triage.model import KernelDiagnosis
from ncu_triage.render import junit

TODAY = datetime.date(2026, 11, 29)


def _k(seconds: float = 1e-3, **more: Any) -> KernelDiagnosis:
    return kernel(quantities=quantities(seconds), **more)


def _gated(result: Any, *texts: str, known: str = "") -> Gated:
    entries = read_acknowledged(known) if known else []
    return Gated(gate(result, [condition(t) for t in texts], entries, TODAY), entries)


def _counts(element: xml.Element) -> tuple[int, ...]:
    return tuple(int(element.get(name, "")) for name in ("tests", "failures", "errors", "skipped"))


def test_a_failure_says_expected_found_and_evidence() -> None:
    fired = finding(severity="high", evidence=[evidence("shared_load_ways", 32.0, ">", 2.0)])
    given = diagnosis([_k(findings=[fired]), _k(grid=(1, 1, 1))])
    root = xml.fromstring(junit.render(given, _gated(given, "severity=high")))
    assert _counts(root) == (2, 1, 0, 0)
    (failure,) = root.iter("failure")
    assert failure.get("type") == "severity=high"
    assert failure.get("message", "").startswith("expected no finding of severity high; found low-")
    assert "shared_load_ways 32 > 2" in (failure.text or "")


def test_a_warning_is_no_failure_and_what_is_acknowledged_is_skipped() -> None:
    given = diagnosis([_k(findings=[finding(severity="high")])])
    known = '[[acknowledged]]\nrule = "low-occupancy"\nreason = "ok"\nexpires = 2027-01-01'
    root = xml.fromstring(junit.render(given, _gated(given, "warn:severity=high")))
    assert _counts(root) == (1, 0, 0, 0)
    assert "warning" in next(root.iter("system-out")).text.__str__()
    root = xml.fromstring(junit.render(given, _gated(given, "severity=high", known=known)))
    assert _counts(root) == (1, 0, 0, 1)
    assert next(root.iter("skipped")).get("message") == "ok (until 2027-01-01)"


def test_a_condition_that_judged_nothing_is_an_error() -> None:
    root = xml.fromstring(junit.render(empty(), _gated(empty(), "severity=high")))
    assert _counts(root)[2] == 1
    bare = compare(diagnosis([kernel(quantities={})]), diagnosis([kernel(quantities={})]))
    root = xml.fromstring(junit.render_comparison(bare, _gated(bare, "regression")))
    assert _counts(root)[2] == 1


def test_a_warning_that_judged_nothing_fails_no_job() -> None:
    given = diagnosis([_k(bottleneck=bottleneck("insufficient-data", "low"))])
    root = xml.fromstring(junit.render(given, _gated(given, "warn:severity=high")))
    # A case for the kernel, skipped, and one with text: no reader of the file sees red.
    assert _counts(root) == (2, 0, 0, 1)
    (said,) = root.iter("system-out")
    assert said.text == "warning: a gate that measured nothing does not pass"
    both = _gated(given, "warn:severity=high", "severity=high")
    assert _counts(xml.fromstring(junit.render(given, both))) == (4, 0, 1, 2)


def test_a_condition_that_judged_something_is_none() -> None:
    blind = _k(grid=(1, 1, 1), bottleneck=bottleneck("insufficient-data", "low"))
    given = diagnosis([_k(), blind])
    root = xml.fromstring(junit.render(given, _gated(given, "severity=high")))
    assert _counts(root) == (2, 0, 0, 1)


def test_without_a_gate_nothing_fails() -> None:
    root = xml.fromstring(junit.render(realistic()))
    assert _counts(root) == (6, 0, 0, 1)
    assert "bank-conflicts (high)" in next(root.iter("system-out")).text.__str__()


def test_an_input_that_could_not_be_read_is_an_error() -> None:
    given = diagnosis([_k()])
    lost = [Lost("a.ncu-rep", "the file is empty")]
    for rows in ([], _gated(given, "severity=high").rows):
        root = xml.fromstring(junit.render(given, Gated(rows, [], lost)))
        assert _counts(root) == (2, 0, 1, 0)
        (error,) = root.iter("error")
        assert error.get("message") == "the file is empty"


def test_a_hostile_name_stays_text_in_valid_xml() -> None:
    name = HOSTILE + "\0\x0b\ud800]]>&lt;\x1b[2J\"'"
    given = diagnosis([_k(name=name, demangled=name, findings=[finding(title=name)])])
    data = junit.render(given, _gated(given, "severity=medium"))
    assert b"<img" not in data and b"\x1b" not in data
    assert HOSTILE.split(">")[0] in next(xml.fromstring(data).iter("failure")).get("message", "")


def test_the_rows_of_many_reports_are_written_together() -> None:
    rows = [row for _ in range(2) for row in _gated(realistic(), "severity=high").rows]
    root = xml.fromstring(junit.render_rows(rows))
    assert _counts(root)[0] == len(rows)

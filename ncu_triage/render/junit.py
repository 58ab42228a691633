"""JUnit XML: a suite for each condition of a gate, a case for each kernel it was held against.

Without a gate, one suite: kernels that were judged, and those that could not be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree import ElementTree as xml

from ncu_triage.compare.comparison import Comparison
from ncu_triage.gate.compared import of_comparison
from ncu_triage.gate.gated import Gated, Lost
from ncu_triage.gate.rows import Level, Row
from ncu_triage.gate.subjects import Subject, of_diagnosis
from ncu_triage.model import Diagnosis
from ncu_triage.render.comparison_gate import about_text
from ncu_triage.render.letters import printable
from ncu_triage.view.header import file_name

_TOOL = "ncu-triage"


def render(diagnosis: Diagnosis, gated: Gated | None = None) -> bytes:
    """Write the rows of a gate, or which kernels of a report were judged."""
    sources = [source.name for source in diagnosis.sources]
    return _write(_suites(of_diagnosis(diagnosis).kernels, gated), sources)


def render_comparison(comparison: Comparison, gated: Gated | None = None) -> bytes:
    """Write the rows of a gate, or which kernels of two reports could be compared."""
    sources = [*comparison.before.sources, *comparison.after.sources]
    return _write(_suites(of_comparison(comparison).kernels, gated), sources)


def render_rows(rows: Sequence[Row]) -> bytes:
    """Write the rows of a gate, whatever it was held against."""
    return _write(list(_of_gate(rows)), [])


def _suites(kernels: Sequence[Subject], gated: Gated | None) -> list[xml.Element]:
    lost = [_of_lost(gated.lost)] if gated and gated.lost else []
    if gated and gated.rows:
        return [*lost, *_of_gate(gated.rows)]
    suite = _suite("kernels")
    for subject in kernels:
        case = _case(suite, "kernels", about_text(subject.about))
        if why := subject.no_bottleneck:
            _note(case, "skipped", why)
        elif subject.findings:
            lines = [f"{f.rule} ({f.severity}): {f.title}" for f in subject.findings]
            _body(xml.SubElement(case, "system-out"), lines)
    return [*lost, suite]


def _of_lost(lost: Sequence[Lost]) -> xml.Element:
    """Return a suite of the inputs that could not be read."""
    suite = _suite("inputs")
    for one in lost:
        _note(_case(suite, "inputs", one.name), "error", one.why, type="unreadable")
    return suite


def _of_gate(rows: Sequence[Row]) -> Iterator[xml.Element]:
    for condition in dict.fromkeys(row.condition for row in rows):
        suite = _suite(condition)
        own = [row for row in rows if row.condition == condition]
        for row in own:
            _row(_case(suite, condition, _name(row)), row)
        if all(row.outcome == "nothing" for row in own):
            _refuse(_case(suite, condition, "nothing to judge"), own[0].level)
        yield suite


def _name(row: Row) -> str:
    return f"{about_text(row.about)}{f': {row.rule}' if row.rule else ''}"


def _row(case: xml.Element, row: Row) -> None:
    """Add what is to be said of a row; a warning does not fail, as its exit code does not."""
    message = f"expected {row.expected}; found {row.found}"
    if row.outcome == "acknowledged":
        _note(case, "skipped", row.reason or "")
    elif row.outcome == "nothing":
        _note(case, "skipped", f"nothing to judge: {row.found}")
    elif row.outcome == "failed" and row.level == "error":
        _body(_note(case, "failure", message, type=row.condition), [message, *row.evidence])
    elif row.outcome == "failed":
        _body(xml.SubElement(case, "system-out"), [f"warning: {message}", *row.evidence])


def _refuse(case: xml.Element, level: Level) -> None:
    """Say beside cases that were all skipped that nothing was judged; a warning fails no job."""
    text = "a gate that measured nothing does not pass"
    if level == "error":
        _note(case, "error", text, type="nothing-measured")
    else:
        _body(xml.SubElement(case, "system-out"), [f"warning: {text}"])


def _suite(name: str) -> xml.Element:
    return xml.Element("testsuite", name=printable(name))


def _case(suite: xml.Element, condition: str, name: str) -> xml.Element:
    # Readers take what stands before the last dot for a package: there is none here.
    classname = printable(f"{_TOOL} {condition}".replace(".", ","))
    return xml.SubElement(suite, "testcase", classname=classname, name=printable(name))


def _note(case: xml.Element, tag: str, message: str, type: str = "") -> xml.Element:
    named = {"type": printable(type)} if type else {}
    return xml.SubElement(case, tag, {"message": printable(message), **named})


def _body(element: xml.Element, lines: Sequence[str]) -> None:
    element.text = "\n".join(map(printable, lines))


def _write(suites: Sequence[xml.Element], sources: Sequence[str]) -> bytes:
    """Count the cases, and put the suites together."""
    files = ", ".join(file_name(source) for source in sources)
    root = xml.Element("testsuites", name=printable(" ".join(filter(None, (_TOOL, files)))))
    for suite in suites:
        root.append(suite)
        _count(suite, [suite])
    _count(root, suites)
    xml.indent(root)
    written: bytes = xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _count(element: xml.Element, suites: Sequence[xml.Element]) -> None:
    """Set the counts that readers show without looking at the cases."""
    for name, path in (
        ("tests", "testcase"),
        ("failures", "testcase/failure"),
        ("errors", "testcase/error"),
        ("skipped", "testcase/skipped"),
    ):
        element.set(name, str(sum(len(suite.findall(path)) for suite in suites)))

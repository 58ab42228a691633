"""How the numbers came about: what each means, of what it is a percentage, from where."""

from __future__ import annotations

from ncu_triage.model import Diagnosis
from ncu_triage.view import words
from ncu_triage.view.book import Book, origin
from ncu_triage.view.ceilings import ceilings
from ncu_triage.view.header import file_name
from ncu_triage.view.shown import Fact, Method, MethodRow

_NOT_STATED = "not stated in the report"


def method(diagnosis: Diagnosis, book: Book) -> Method:
    """Describe the quantities that appear, their denominators, and the settings."""
    ids = [id for id in diagnosis.catalogue if _appears(id, diagnosis)]
    entries = [book.entry(id) for id in ids]
    bases = sorted({entry.basis for entry in entries if entry.basis} & set(words.BASES))
    return Method(
        rows=[_row(id, book) for id in ids],
        bases=[Fact(basis, words.BASES[basis]) for basis in bases],
        facts=_facts(diagnosis),
        ceilings=ceilings(diagnosis),
    )


def _appears(id: str, diagnosis: Diagnosis) -> bool:
    return any(id in kernel.quantities for kernel in diagnosis.kernels) or any(
        row.quantity == id
        for kernel in diagnosis.kernels
        for finding in kernel.findings
        for row in finding.evidence
    )


def _row(id: str, book: Book) -> MethodRow:
    entry = book.entry(id)
    return MethodRow(
        label=book.label(id),
        id=id,
        unit=entry.unit,
        basis=entry.basis,
        origin=origin(entry) or "given with each kernel",
    )


def _facts(diagnosis: Diagnosis) -> list[Fact]:
    """Say how the profile was taken, what is not known included."""
    settings = diagnosis.collection
    return [
        *(Fact(file_name(s.name), _source(s.format, s.sha256)) for s in diagnosis.sources),
        Fact("Set", settings.set or _NOT_STATED),
        Fact("Sections", ", ".join(settings.sections) or _NOT_STATED),
        Fact("Clock control", settings.clock_control or _NOT_STATED),
        Fact("Cache control", settings.cache_control or _NOT_STATED),
        Fact("Replay", settings.replay_mode or _NOT_STATED),
        Fact(
            "Judged by",
            f"{diagnosis.tool.name} {diagnosis.tool.version}, rules {diagnosis.tool.rules}",
        ),
    ]


def _source(format: str, sha256: str) -> str:
    return f"{format}, SHA-256 {sha256[:16]}…" if sha256 else format

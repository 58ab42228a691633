"""Real reports: every value equals that of NVIDIA's reader; damaged ones never surprise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.nvidia_reader import NvidiaLaunch, nvidia_view

from ncu_triage.errors import InputError
from ncu_triage.model import Launch
from ncu_triage.readers.ncu_rep import schema
from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.container import Container
from ncu_triage.readers.ncu_rep.rules import raw_messages
from ncu_triage.readers.open import open_report

pytestmark = pytest.mark.corpus

# NVIDIA's reader takes up to 20 MB for each file and keeps it.
CHUNKS = 8

# What damage leaves: launches that can be read, launches known to be lost.
JUDGED = {
    "bitflip-1.ncu-rep": (1, 0),
    "concatenated-twice.ncu-rep": (1, 0),
    "cut-minus-1.ncu-rep": (1, 0),
    "cut-minus-100.ncu-rep": (1, 0),
    "multi-cut-10pct.ncu-rep": (14, 1),
    "multi-cut-50pct.ncu-rep": (76, 1),
    "multi-cut-90pct.ncu-rep": (138, 1),
    "multi-cut-99pct.ncu-rep": (152, 1),
    "plain-named.ncu-repz": (1, 0),
    "renamed.csv": (1, 0),
    "trailing-garbage.ncu-rep": (1, 0),
}
UNHARMED = {"bitflip-1.ncu-rep", "plain-named.ncu-repz", "renamed.csv"}


def raw_rules(path: Path) -> Iterator[list[tuple[str, str, str, str, str]]]:
    """Read the rule messages with their markup, which a `Launch` has no more."""
    container = Container(ByteFile(path.open("rb")))
    for block in container.blocks:
        for _, data in container.messages(block):
            messages = raw_messages(schema.Kernel.FromString(data).rules)
            yield [(one.rule, one.section, one.kind, one.title, one.text) for one in messages]


def ours(one: Launch, rules: list[tuple[str, str, str, str, str]]) -> NvidiaLaunch:
    return NvidiaLaunch(
        place=one.id.partition("/")[2],
        name=one.name,
        workload=one.workload,
        values=dict(one.metrics),
        valueless=one.valueless,
        nan=one.nan,
        sections=list(one.sections),
        rules=rules,
        nvtx=list(one.nvtx),
    )


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_value_equals_nvidias(chunk: int, corpus: Path) -> None:
    paths = sorted((corpus / "rep").iterdir())[chunk::CHUNKS]
    assert paths

    for path, theirs in zip(paths, nvidia_view(paths), strict=True):
        report = open_report(path, 0)
        launches = list(report.launches())
        assert report.source().complete, path.name
        for one, rules, other in zip(launches, raw_rules(path), theirs, strict=True):
            mine = ours(one, rules)
            for part, left, right in zip(mine._fields, mine, other, strict=True):
                assert left == right, f"{path.name} {one.id}: {part}"


def test_a_damaged_or_foreign_file_gives_one_line_or_an_incomplete_source(corpus: Path) -> None:
    for path in sorted((corpus / "bad").iterdir()):
        try:
            report = open_report(path, 0)
            read = len(list(report.launches()))
            source = report.source()
        except InputError as error:
            assert path.name not in JUDGED, str(error)
            assert len(str(error).splitlines()) == 1
            continue
        assert (read, source.lost_launches) == JUDGED[path.name], path.name
        assert source.complete == (path.name in UNHARMED), path.name
        assert len(source.notes) == (0 if source.complete else 1), path.name


def test_the_flipped_letter_changes_one_text_and_no_number(corpus: Path) -> None:
    (flipped,) = open_report(corpus / "bad" / "bitflip-1.ncu-rep", 0).launches()
    sample = corpus / "rep" / "sample-transposeCoalesced-a4500.ncu-rep"
    (whole,) = open_report(sample, 0).launches()

    changed = {name for name, value in whole.metrics.items() if flipped.metrics[name] != value}
    assert changed == {"group:memory__l2_cache_evict_policy_table"}

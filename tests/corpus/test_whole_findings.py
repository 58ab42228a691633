"""Real reports as a whole: what is found, and that its bytes and times add up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ncu_triage.model import Diagnosis, Finding, Part
from ncu_triage.pipeline import diagnose, rules

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def found(corpus: Path) -> list[tuple[Diagnosis, Finding]]:
    def all_of_them() -> Iterator[tuple[Diagnosis, Finding]]:
        for path in sorted((corpus / "rep").iterdir()):
            judged, _ = diagnose([path], rules())
            assert not judged.rule_errors, path.name
            yield from ((judged, finding) for finding in judged.findings)

    return list(all_of_them())


def _sum(judged: Diagnosis, ids: list[str], quantity: str) -> float:
    wanted = set(ids)
    values = (k.quantities.get(quantity) for k in judged.kernels if k.id in wanted)
    return sum(value for value in values if isinstance(value, float))


def _number(of: Finding | Part, quantity: str) -> float:
    (value,) = (one.value for one in of.evidence if one.quantity == quantity)
    assert isinstance(value, float)
    return value


def test_a_chain_hands_on_what_its_members_write(found: list[tuple[Diagnosis, Finding]]) -> None:
    chains = [(d, f) for d, f in found if f.rule == "fusion-candidate"]
    assert chains
    for judged, finding in chains:
        for part in finding.parts:
            written = _sum(judged, part.kernels[:-1], "dram_bytes_written")
            assert _number(part, "fusion_bytes") == pytest.approx(written)
            read = _sum(judged, part.kernels[1:], "dram_bytes_read")
            assert read == pytest.approx(written, rel=0.1)
        total = sum(_number(part, "fusion_bytes") for part in finding.parts)
        assert _number(finding, "fusion_bytes") == pytest.approx(total)
        assert _number(finding, "fusion_bytes_saved") == pytest.approx(2 * total)


def test_transposes_add_up_to_their_bytes_and_time(found: list[tuple[Diagnosis, Finding]]) -> None:
    copies = [(d, f) for d, f in found if f.rule == "layout-copies"]
    assert len(copies) >= 3
    counted = 0
    for judged, finding in copies:
        ids = [id for part in finding.parts for id in part.kernels]
        assert all("transpose" in k.name.lower() for k in judged.kernels if k.id in set(ids))
        assert _number(finding, "layout_time") == pytest.approx(_sum(judged, ids, "duration"))
        for of in (finding, *finding.parts):
            if any(one.quantity == "layout_bytes" for one in of.evidence):
                own = ids if isinstance(of, Finding) else of.kernels
                moved = _sum(judged, own, "dram_bytes")
                assert _number(of, "layout_bytes") == pytest.approx(moved)
                counted += 1
    assert counted


def test_what_is_found_of_real_reports_is_what_was_looked_at(
    found: list[tuple[Diagnosis, Finding]],
) -> None:
    # Every one of these was read against its report. A rule that speaks up in more of them
    # is to be looked at before the number is raised.
    rules_found = [f.rule for _, f in found]
    counts = {rule: rules_found.count(rule) for rule in set(rules_found)}
    assert counts == {
        "launch-overhead": 7,
        "layout-copies": 3,
        "fusion-candidate": 1,
        "slow-shape": 1,
    }


def test_times_of_parts_are_shares_of_the_whole(found: list[tuple[Diagnosis, Finding]]) -> None:
    for judged, finding in found:
        assert finding.parts, finding.rule
        for part in finding.parts:
            assert part.time == pytest.approx(_sum(judged, part.kernels, "duration"))
            assert part.share_pct is not None and 0 < part.share_pct <= 100.001

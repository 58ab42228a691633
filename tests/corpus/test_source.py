"""Attribution on real reports; their programs were removed, so that offsets come out."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ncu_triage.readers.ncu_rep.bytefile import ByteFile
from ncu_triage.readers.ncu_rep.container import Container
from ncu_triage.readers.source.attribute import attribute
from ncu_triage.readers.source.instances import read_instances

pytestmark = pytest.mark.corpus

CONFLICTS = "derived__memory_l1_wavefronts_shared_excessive"
SECTORS = "derived__memory_l2_theoretical_sectors_global_excessive"
STALLS = "smsp__pcsamp_warps_issue_stalled_long_scoreboard"
METRICS = (CONFLICTS, SECTORS, STALLS, f"{STALLS}_not_issued", "inst_executed")
OFFSET = re.compile(r"\+0x[0-9a-f]+( in function \d+)?")
# One of each: the oldest kind, several functions, several launches, the newest.
OTHERS = (
    "gtx1080-old202-39866c3.nsight-cuprof-report",
    "rtx3080-2020.2-3d528bf.ncu-rep",
    "rtx3050ti-2022.4-60d7862.ncu-rep",
    "gh200480gb-2025.1-11bd23c.ncu-rep",
    "rtx3090-2025.4-d5f0aef.ncu-rep",
)
# Print what NVIDIA's reader has: a line for each metric of a launch.
ORACLE = """
import json, sys, ncu_report
path, *metrics = sys.argv[1:]
for number, action in enumerate(a for one in ncu_report.load_report(path) for a in one):
    for name in metrics:
        metric = action.metric_by_name(name)
        if metric is not None and metric.num_instances():
            ids = metric.correlation_ids()
            pairs = [[ids.as_uint64(i), metric.as_double(i)] for i in range(metric.num_instances())]
            print(json.dumps([number, name, pairs]))
"""


def reports(corpus: Path) -> list[Path]:
    samples = sorted((corpus / "rep").glob("sample-*"))
    assert len(samples) == 8
    return samples + [corpus / "rep" / name for name in OTHERS]


def nvidias(path: Path) -> dict[tuple[int, str], dict[int, float]]:
    command = [sys.executable, "-c", ORACLE, str(path), *METRICS]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = (json.loads(line) for line in lines.splitlines())
    return {
        (number, name): {pc: value for pc, value in pairs if value > 0}
        for number, name, pairs in rows
    }


def test_values_by_instruction_equal_nvidias(corpus: Path) -> None:
    compared = 0
    for path in reports(corpus):
        container = Container(ByteFile(path.open("rb")))
        wanted = dict.fromkeys(range(container.launches), METRICS)
        ours = {
            (one.number, name): values
            for one in read_instances(container, wanted)
            for name, values in one.metrics.items()
        }
        theirs = nvidias(path)
        # A launch whose values are all 0 is left out.
        assert {k: v for k, v in ours.items() if v} == {k: v for k, v in theirs.items() if v}
        compared += sum(map(len, theirs.values()))
    print(f"{compared} values by instruction compared, none differ")
    assert compared > 15_000


def test_places_are_offsets_and_their_shares_a_part_of_the_whole(corpus: Path) -> None:
    for path in reports(corpus):
        found = attribute(path, {0: METRICS, 1: METRICS})
        assert found or path.name in OTHERS, path.name
        for places in found.values():
            shares = [one.share for one in places]
            assert 0 < len(places) <= 5
            assert 0 < sum(shares) <= 1 + 1e-9
            assert shares == sorted(shares, reverse=True)
            assert all(share >= 0.01 for share in shares)
            for one in places:
                assert (one.file, one.line) == (None, None)
                assert OFFSET.fullmatch(one.sass or "")


def test_the_samples_conflicts_lie_in_the_loads_of_the_naive_transpose(corpus: Path) -> None:
    naive, padded = (
        attribute(corpus / "rep" / f"sample-transpose{name}-a4500.ncu-rep", {0: [CONFLICTS]})
        for name in ("Coalesced", "NoBankConflicts")
    )

    assert [one.share for one in naive[0, CONFLICTS]] == [0.25] * 4
    assert padded == {}

"""`ncu-triage rules` and `ncu-triage explain` as a user calls them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "tests" / "fixtures" / "example.ncu-rep"


OWN_METRIC = """
id: low-tag-hits
title: "{tag_hit_pct} of the lookups hit"
status: experimental
severity: low
metrics:
  tag_hit_pct: {metric: lts__t_tag_hit_rate.pct, unit: "%", label: L2 tag hits, basis: lookups}
needs: [tag_hit_pct]
thresholds: {low: 20.0}
when: tag_hit_pct < low && bottleneck != "dram-bandwidth"
evidence: [tag_hit_pct < low]
cause: They miss.
remedies: ["Reuse more."]
false_alarms: Streams.
collect: --metrics lts__t_tag_hit_rate.pct
cases:
  - {name: few, given: {tag_hit_pct: 10.0, bottleneck: latency}, expect: fires}
  - {name: many, given: {tag_hit_pct: 30.0, bottleneck: latency}, expect: silent}
"""


def _call(*args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncu_triage", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_list_has_every_rule() -> None:
    done = _call("rules", "list")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == len(list((ROOT / "rules").glob("*.yaml")))


def test_a_rule_is_shown_whole() -> None:
    text = _call("rules", "show", "bank-conflicts").stdout
    for part in ("## Cause", "## When it fires", "## What to do", "## False alarms", "## Cases"):
        assert part in text


def test_an_unknown_rule_ends_in_2() -> None:
    done = _call("rules", "show", "no-such-rule")
    assert done.returncode == 2
    assert "there is no rule" in done.stderr


def test_a_new_rule_loads_passes_its_cases_and_speaks(tmp_path: Path) -> None:
    assert _call("rules", "new", "dram-high", "--in", tmp_path).returncode == 0
    done = _call("rules", "check", tmp_path)
    assert (done.returncode, done.stdout) == (0, "rules: 1, cases: 2, failed: 0\n")
    report = _call(EXAMPLE, "--rules", tmp_path, "--format", "json")
    assert '"rule":"dram-high"' in report.stdout.replace(" ", "")
    assert _call("rules", "new", "dram-high", "--in", tmp_path).returncode == 2


def test_a_new_rule_gets_its_folder_and_may_have_texts_and_a_metric_of_its_own(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "a" / "my-rules"
    assert _call("rules", "new", "low-tag-hits", "--in", folder).returncode == 0
    # What docs/write-a-rule.md says may be there, and may be left out.
    (folder / "low-tag-hits.yaml").write_text(OWN_METRIC)
    done = _call("rules", "check", folder)
    assert (done.returncode, done.stdout) == (0, "rules: 1, cases: 2, failed: 0\n")
    report = _call(EXAMPLE, "--rules", folder, "--format", "json")
    assert (
        "--metrics lts__t_tag_hit_rate.pct" in json.loads(report.stdout)["collect_next"]["command"]
    )


def test_a_failed_case_ends_in_1_and_shows_the_values(tmp_path: Path) -> None:
    _call("rules", "new", "dram-high", "--in", tmp_path)
    path = tmp_path / "dram-high.yaml"
    path.write_text(path.read_text().replace("79.0", "81.0"))
    done = _call("rules", "check", tmp_path)
    assert done.returncode == 1
    assert "should be silent, is fires" in done.stdout
    assert "dram_throughput_pct [81.0 %] >= limit [80.0 %]" in done.stdout


@pytest.mark.parametrize("args", [(EXAMPLE, "--rules"), ("rules", "check")])
def test_a_folder_without_a_rule_ends_in_2(tmp_path: Path, args: tuple[str | Path, ...]) -> None:
    (tmp_path / "rule.yml").write_text("id: rule\n")
    done = _call(*args, tmp_path)
    assert done.returncode == 2
    assert "holds no rule" in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_faulty_rule_ends_in_2_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text("id: broken\n")
    done = _call(EXAMPLE, "--rules", tmp_path)
    assert done.returncode == 2
    assert "broken.yaml" in done.stderr and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("kernel", "rule", "words"),
    [
        ("transpose", "bank-conflicts", "fires          bank-conflicts"),
        ("copy_rows", "bank-conflicts", "does not apply bank-conflicts"),
        ("advance_particles", "debug-build", "undecided      debug-build"),
        ("copy_rows", "latency-not-hidden", "silent         latency-not-hidden"),
    ],
)
def test_explain_says_why(kernel: str, rule: str, words: str) -> None:
    done = _call("explain", EXAMPLE, "--kernel", kernel, "--rule", rule)
    assert done.returncode == 0
    assert words in done.stdout


def test_explain_tells_of_the_report_as_a_whole_too() -> None:
    done = _call("explain", EXAMPLE, "--rule", "fusion-candidate")
    told = done.stdout[done.stdout.index("the report as a whole") :]
    assert "fires          fusion-candidate" in told
    assert "fusion_launches [2 launches] >= several [2 launches]" in told
    one = _call("explain", EXAMPLE, "--kernel", "copy_rows", "--rule", "fusion-candidate")
    assert "the report as a whole" not in one.stdout


def test_explain_takes_several_rules_and_heads_nothing_empty() -> None:
    rules = ("--rule", "bandwidth-wall", "--rule", "short-kernel")
    told = _call("explain", EXAMPLE, *rules).stdout
    assert "bandwidth-wall" in told and "duration [950 µs] < short [10.0 µs]" in told
    assert "the report as a whole" not in told
    assert _call("explain", EXAMPLE, *rules, "--rule", "no-such").returncode == 2


def test_explain_says_how_busy_each_unit_was() -> None:
    done = _call("explain", EXAMPLE, "--kernel", "copy_rows", "--rule", "bandwidth-wall")
    assert "measured: DRAM 88.3 % of elapsed time; L2 30.0 % of elapsed time" in done.stdout


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--kernel", "no_such"), 3),
        (("--kernel", "("), 2),
        (("--rule", "no-such"), 2),
    ],
)
def test_explain_refuses_what_is_not_there(args: tuple[str, ...], code: int) -> None:
    done = _call("explain", EXAMPLE, *args)
    assert done.returncode == code
    assert len(done.stderr.splitlines()) == 1


def test_the_rules_pages_are_up_to_date(tmp_path: Path) -> None:
    assert _call("rules", "docs", tmp_path).returncode == 0
    made = {path.name: path.read_text() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs" / "rules").iterdir()}
    assert made == kept, "run: ncu-triage rules docs docs/rules"


@pytest.mark.parametrize("id", ["../outside", "Bad Name", "bank-conflicts", "x.y"])
def test_an_id_that_is_none_is_refused(tmp_path: Path, id: str) -> None:
    assert _call("rules", "new", id, "--in", tmp_path).returncode == 2
    assert list(tmp_path.parent.glob("outside*")) == []


def test_a_folder_without_rules_is_no_success(tmp_path: Path) -> None:
    done = _call("rules", "check", tmp_path)
    assert done.returncode == 2
    assert "holds no rule" in done.stderr

"""The whole way, from report files to one diagnosis."""

from __future__ import annotations

from pathlib import Path

import pytest
from fixtures.launches import A4500
from fixtures.report_writer import launch, write_report

from ncu_triage.pipeline import diagnose, rules

TIME = "gpu__time_duration.sum"
DRAM = "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"


def _report(path: Path, *durations: float, **metrics: float | str) -> Path:
    many = [launch(name="step", metrics={**A4500, TIME: d, **metrics}) for d in durations]
    return write_report(path, many)


def test_like_launches_form_a_group_with_its_spread(tmp_path: Path) -> None:
    diagnosis, _ = diagnose([_report(tmp_path / "a.ncu-rep", 3e6, 1e6, 2e6)], rules())
    (group,) = diagnosis.groups
    assert (group.launches, group.duration.median, group.duration.first) == (3, 2e-3, 3e-3)
    assert group.duration.p99 == 3e-3
    assert group.duration.total == pytest.approx(6e-3)
    assert diagnosis.totals.duration == pytest.approx(6e-3)


def test_two_gpus_are_two_devices_and_two_groups(tmp_path: Path) -> None:
    other = {"device__attribute_display_name": "NVIDIA RTX A2000"}
    files = [
        _report(tmp_path / "a.ncu-rep", 1e6),
        _report(tmp_path / "b.ncu-rep", 1e6, **other),
    ]
    diagnosis, _ = diagnose(files, rules())
    assert [device.name for device in diagnosis.devices] == ["NVIDIA RTX A4500", "NVIDIA RTX A2000"]
    assert [kernel.device for kernel in diagnosis.kernels] == [0, 1]
    assert [kernel.id for kernel in diagnosis.kernels] == ["0/0/0", "1/0/0"]
    assert len(diagnosis.groups) == 2


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_judged(tmp_path: Path) -> None:
    bad = tmp_path / "bad.ncu-rep"
    bad.write_bytes(b"")
    diagnosis, failures = diagnose([bad, _report(tmp_path / "a.ncu-rep", 1e6)], rules())
    assert [failure.path for failure in failures] == [bad]
    assert [kernel.id for kernel in diagnosis.kernels] == ["1/0/0"]


def test_what_is_the_same_for_all_kernels_stands_in_the_catalogue_once(tmp_path: Path) -> None:
    diagnosis, _ = diagnose([_report(tmp_path / "a.ncu-rep", 1e6, 2e6, **{DRAM: 50.0})], rules())
    assert diagnosis.catalogue["dram_throughput_pct"].metric == DRAM
    assert diagnosis.catalogue["duration"].unit == "s"
    assert all(not kernel.provenance for kernel in diagnosis.kernels)


def test_an_origin_that_differs_stays_with_its_kernel(tmp_path: Path) -> None:
    odd = launch(name="odd", metrics={**A4500, "gpu__time_duration": 5e5})
    usual = [launch(name="step", metrics={**A4500, TIME: 1e6}) for _ in range(2)]
    diagnosis, _ = diagnose([write_report(tmp_path / "a.ncu-rep", [odd, *usual])], rules())
    assert diagnosis.catalogue["duration"].metric == TIME
    assert diagnosis.kernels[0].provenance["duration"].metric == "gpu__time_duration"


def test_priorities_are_ranked_by_seconds_not_by_percent(tmp_path: Path) -> None:
    few = {"launch__grid_size": 14.0, "launch__occupancy_limit_warps": 2.0}
    waiting = {
        DRAM: 30.0,
        "lts__throughput.avg.pct_of_peak_sustained_elapsed": 20.0,
        "l1tex__throughput.avg.pct_of_peak_sustained_active": 20.0,
        "launch__grid_size": 5600.0,
        "launch__occupancy_limit_warps": 2.0,
    }
    small = launch(name="small", metrics={**A4500, TIME: 5e6, **few, DRAM: 5.0})
    large = launch(name="large", metrics={**A4500, TIME: 5e7, **waiting})
    diagnosis, _ = diagnose([write_report(tmp_path / "a.ncu-rep", [small, large])], rules())
    assert [p.rule for p in diagnosis.priorities] == ["latency-not-hidden", "small-grid"]
    first = diagnosis.priorities[0]
    # 0.5 * (1 - 30/90) of 50 ms
    assert first.time_saved.expected == pytest.approx(50e-3 / 3)
    assert first.share_pct == pytest.approx(100 * (50 / 3) / 55)


def test_many_short_launches_are_a_finding_about_the_whole(tmp_path: Path) -> None:
    diagnosis, _ = diagnose([_report(tmp_path / "a.ncu-rep", *[3e3] * 20)], rules())
    (finding,) = diagnosis.findings
    assert finding.rule == "launch-overhead"
    assert "20 of 20 launches" in finding.title


def test_what_to_collect_names_the_kernels_that_take_the_time(tmp_path: Path) -> None:
    heavy = launch(name="heavy", metrics={**A4500, TIME: 5e7, DRAM: 30.0})
    light = launch(name="light", metrics={**A4500, TIME: 5e4, DRAM: 30.0})
    diagnosis, _ = diagnose([write_report(tmp_path / "a.ncu-rep", [heavy, light])], rules())
    assert diagnosis.collect_next is not None
    assert "--kernel-name heavy" in diagnosis.collect_next.command
    assert "on 1 of 2 launches" in diagnosis.collect_next.why


def test_a_hostile_name_never_reaches_the_command(tmp_path: Path) -> None:
    name = "x; rm -rf ~ #"
    heavy = launch(name=name, metrics={**A4500, TIME: 5e7, DRAM: 30.0})
    light = launch(name="light", metrics={**A4500, TIME: 5e4, DRAM: 30.0})
    diagnosis, _ = diagnose([write_report(tmp_path / "a.ncu-rep", [heavy, light])], rules())
    assert diagnosis.collect_next is not None
    assert "rm -rf" not in diagnosis.collect_next.command


OWN_RULE = """\
id: cold-tags
title: "Tags miss: {my_rate}"
status: experimental
severity: medium
metrics:
  my_rate: {metric: lts__my_rate.pct, unit: "%", label: My rate, basis: lookups}
needs: [my_rate]
thresholds: {low: 50.0}
when: my_rate < low
evidence: [my_rate < low]
cause: Too few hits.
remedies: [Reuse.]
false_alarms: None known.
collect: --metrics lts__my_rate.pct
references: []
cases: []
"""


def test_a_users_rule_on_a_metric_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "cold-tags.yaml").write_text(OWN_RULE)
    seen = launch(name="a", metrics={**A4500, TIME: 1e6, "lts__my_rate.pct": 12.0})
    blind = launch(name="b", metrics={**A4500, TIME: 1e6})
    report = write_report(tmp_path / "r.ncu-rep", [seen, blind])
    diagnosis, _ = diagnose([report], rules((tmp_path,)))
    (finding,) = (f for f in diagnosis.kernels[0].findings if f.rule == "cold-tags")
    assert finding.title == "Tags miss: 12.0 %"
    assert diagnosis.catalogue["my_rate"].metric == "lts__my_rate.pct"
    assert "cold-tags" in {u.rule for u in diagnosis.kernels[1].undecided}
    assert diagnosis.kernels[1].absent["my_rate"] == "not-collected"

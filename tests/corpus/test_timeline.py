"""Real timelines: every reference figure, to the nanosecond; real pairs, joined or refused."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from ncu_triage.api import diagnose as diagnose_
from ncu_triage.errors import InputError
from ncu_triage.model import Diagnosis
from ncu_triage.pipeline import diagnose, rules
from ncu_triage.privacy.hidden import hidden
from ncu_triage.render import renderer
from ncu_triage.timeline.attach import with_timeline
from ncu_triage.timeline.events import Timeline
from ncu_triage.timeline.join.names import spelled
from ncu_triage.timeline.measure.figures import figures
from ncu_triage.timeline.measure.shares import by_name
from ncu_triage.timeline.open import open_timeline
from ncu_triage.timeline.summarise import beside, summarise

pytestmark = pytest.mark.corpus

COLUMNS = 28  # of figures; behind them stand the five kernels that take most
PLACES = 6  # to which shares are rounded there


def expected(corpus: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    folder = corpus / "timeline"
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name, _, _ = row.pop("file").partition(" ")
            yield folder / name, row


def measured(timeline: Timeline) -> dict[str, int | float | None]:
    whole = figures(timeline)
    found: dict[str, int | float | None] = {}
    for part in (whole, whole.kernels, whole.gaps, whole.copies, whole.launches):
        values = msgspec.structs.asdict(part)
        found |= {name: value for name, value in values.items() if not hasattr(value, "kernels")}
    return found


def test_every_figure_of_every_timeline(corpus: Path) -> None:
    seen = 0
    for path, row in expected(corpus):
        found = measured(open_timeline(path))
        for name in [column for column in row if not column.startswith("top")]:
            value = found[name]
            if row[name] == "":
                assert value in (None, 0), (path.name, name)
            else:
                assert value is not None, (path.name, name)
                assert round(value, PLACES) == float(row[name]), (path.name, name)
            seen += 1
    assert seen == 32 * COLUMNS


def test_the_kernels_that_take_most(corpus: Path) -> None:
    for path, row in expected(corpus):
        found = by_name(open_timeline(path))
        for place in range(1, 6):
            if name := row[f"top{place}_name"]:
                one = found[place - 1]
                assert one.name == name, path.name
                assert (one.time_ns, one.calls) == (
                    float(row[f"top{place}_ns"]),
                    float(row[f"top{place}_calls"]),
                ), path.name


INCOMPLETE = {
    "truncated_gzip.json.gz": (6, 1),
    "truncated_mid_event.json": (200, 1),
    "unclosed_after_comma.json": (201, 0),
}
MENDED = {"bad_escapes.json": 130, "bare_inf_literal.json": 1, "nan_inf_literals.json": 1}


def test_damaged_traces_are_read_as_far_as_they_go(corpus: Path) -> None:
    for name, (kernels, lost) in INCOMPLETE.items():
        one = open_timeline(corpus / "timeline" / "derived" / name)
        assert (len(one.kernels), one.source.lost_events) == (kernels, lost), name
        assert not one.source.complete, name
    for name, kernels in MENDED.items():
        one = open_timeline(corpus / "timeline" / "derived" / name)
        assert (len(one.kernels), one.source.lost_events) == (kernels, 0), name
        assert one.source.complete, name


def test_every_timeline_is_told_without_a_secret(corpus: Path) -> None:
    count = 0
    for folder in ("dev", "derived"):
        for path in sorted((corpus / "timeline" / folder).iterdir()):
            text = msgspec.json.encode(summarise(open_timeline(path))).decode()
            assert "redacted-string" not in text, path.name
            assert "/home/" not in text and "/tmp/" not in text, path.name
            count += 1
    assert count == 35


def test_reports_and_tables_are_no_timelines(corpus: Path) -> None:
    for path in sorted((corpus / "timeline" / "pairs").iterdir()):
        with pytest.raises(InputError) as caught:
            open_timeline(path)
        assert len(str(caught.value).splitlines()) == 1


def judged(corpus: Path, name: str) -> Diagnosis:
    diagnosis, failures = diagnose([corpus / "timeline" / "pairs" / name], rules())
    assert not failures
    return diagnosis


def gemm(corpus: Path) -> Timeline:
    return open_timeline(corpus / "timeline" / "dev" / "nsys_2025.5_int8gemm_b200_a.sqlite")


def weather(corpus: Path) -> Timeline:
    return open_timeline(corpus / "timeline" / "dev" / "nsys_2022.2_miniweather_gp100.sqlite")


def test_the_true_pair_is_joined(corpus: Path) -> None:
    one = beside(gemm(corpus), judged(corpus, "int8gemm_b200_a.ncu-rep"))
    (group,) = one.match.groups

    assert (one.match.comparable, one.match.confidence) == (True, "high")
    assert (group.how, group.launches, one.match.real_ns) == ("name", 1, {"0/0/0": 11_649})
    assert group.factor == pytest.approx(22_592 / 11_649)
    assert group.clock_ratio == pytest.approx(1.79, abs=0.01)
    assert group.share_of_end_to_end == pytest.approx(11_649 / 8_787_892)
    assert one.priorities


def test_the_table_of_the_same_profile_is_joined_less_surely(corpus: Path) -> None:
    one = beside(gemm(corpus), judged(corpus, "int8gemm_b200_a.ncu_details.csv"))

    assert one.match.comparable
    assert (one.match.groups[0].how, one.match.confidence) == ("unscoped", "medium")


@pytest.mark.parametrize("name", ["miniweather_baseline", "miniweather_divtomult"])
def test_the_pair_of_another_gpu_and_size_is_refused(name: str, corpus: Path) -> None:
    report, timeline = judged(corpus, f"{name}.ncu-rep"), weather(corpus)
    refused = beside(timeline, report).match

    assert not refused.comparable
    assert "Tesla V100-SXM2-32GB" in str(refused.reason) and "GP100" in str(refused.reason)
    assert (refused.groups, refused.real_ns) == ((), {})

    # Were it the same GPU, the problem size would still be another one.
    same = tuple(
        replace(gpu, name="Tesla V100-SXM2-32GB", compute_capability="7.0", sm_count=80)
        for gpu in timeline.devices
    )
    sized = beside(replace(timeline, devices=same), report).match
    assert not sized.comparable
    assert "another problem size" in str(sized.reason)
    assert (sized.groups, sized.real_ns) == ((), {})


def test_real_names_of_one_export_stay_apart(corpus: Path) -> None:
    for path in sorted((corpus / "timeline" / "dev").iterdir()):
        names = {name.full for name in open_timeline(path).names}
        assert len({spelled(name) for name in names}) == len(names), path.name


# The product: `--timeline` beside a report.


def real_pair(corpus: Path) -> tuple[Path, Path]:
    folder = corpus / "timeline"
    return (
        folder / "pairs" / "int8gemm_b200_a.ncu-rep",
        folder / "dev" / "nsys_2025.5_int8gemm_b200_a.sqlite",
    )


def test_the_end_to_end_time_of_every_timeline_adds_up(corpus: Path) -> None:
    for path, _ in expected(corpus):
        one = summarise(open_timeline(path))
        whole, figures = one.whole, one.figures
        work = whole.kernels_ns + whole.copies_ns + whole.graphs_ns
        idle = whole.late_ns + whole.queued_ns + whole.outside_ns
        assert work + idle == whole.total_ns, path.name
        assert (whole.kernels_ns, work) == (figures.kernels.busy_ns, figures.any_busy_ns), path.name
        assert whole.total_ns == figures.gpu_span_ns * len(one.devices), path.name


def test_a_real_report_is_ranked_by_the_program_s_time(corpus: Path) -> None:
    report, timeline = real_pair(corpus)
    alone, both = diagnose_(report), diagnose_(report, timeline=timeline)

    assert both.timeline and both.timeline.comparable
    (kernel,) = both.timeline.matched
    assert round(kernel.time * 1e9) == 11_649
    assert kernel.profiled_median == pytest.approx(22_592e-9)
    assert kernel.share_pct == pytest.approx(100 * 11_649 / 8_787_892)
    assert both.timeline.real_durations == pytest.approx({"0/0/0": 11_649e-9})
    mine, real = alone.priorities[0].time_saved, both.priorities[0].in_program
    assert both.priorities[0].time_saved == mine
    assert real
    assert real.time_saved.expected == pytest.approx(mine.expected * 11_649 / 22_592)
    assert (alone.ranked_by, both.ranked_by) == ("report", "timeline")


@pytest.mark.parametrize("name", ["miniweather_baseline", "miniweather_divtomult"])
def test_a_real_pair_of_two_gpus_stays_apart_in_every_output(name: str, corpus: Path) -> None:
    report = corpus / "timeline" / "pairs" / f"{name}.ncu-rep"
    other = corpus / "timeline" / "dev" / "nsys_2022.2_miniweather_gp100.sqlite"
    found = diagnose_(report, timeline=other)

    assert found.timeline and not found.timeline.comparable
    assert (found.ranked_by, found.timeline.matched) == ("report", [])
    assert found.priorities == diagnose_(report).priorities
    for text in (found.to_markdown(), found.to_html(static=True)):
        assert "not comparable with this report" in text
        assert "Quadro GP100" in text and "end to end</small>" not in text


def test_every_timeline_makes_a_page_without_a_secret(corpus: Path) -> None:
    """None but one is of this report's program; each is said to be another, in full."""
    report, own = real_pair(corpus)
    alone = judged(corpus, report.name)
    for folder in ("dev", "derived"):
        for path in sorted((corpus / "timeline" / folder).iterdir()):
            found = hidden(with_timeline(alone, path))
            assert found.timeline and found.timeline.comparable == (path == own), path.name
            text = "".join(renderer(kind)(found).decode() for kind in ("static", "json", "md"))
            for secret in ("redacted-string", "/home/", "/tmp/"):
                assert secret not in text, path.name
